import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Of this machine, not of a package. */
const OPENSSL = 'openssl';

/** A certificate that is signed by itself, with its key: `name.pem` and `name.key`. `of`: the names and addresses that it is for. */
export function makeCertificate(folder: string, name: string, of = 'IP:127.0.0.1,DNS:localhost'): void {
  execFileSync(
    OPENSSL,
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ],
      ...['-subj', `/CN=${name}`, '-addext', `subjectAltName=${of}`],
      ...['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.pem`)],
    ],
    { stdio: 'ignore' },
  );
}
