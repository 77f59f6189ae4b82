/* `plinth serve --tls-cert --tls-key`, with certificates that openssl makes here, asked by curl and by the Python client. */
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate } from '../support/make-certificate.ts';
import { PYTHON_FOLDER, type PythonVenv, pythonVenv } from './python-venv.ts';
import { runPlinth } from './run-plinth.ts';
import { newToken, type ServedProject, servedProject } from './served-project.ts';
import { TINY_PROJECT } from './tiny-project.ts';

/** Of this machine, not of a package. */
const OPENSSL = 'openssl';
const folder = mkdtempSync(join(tmpdir(), 'plinth-tls-'));
const at = (name: string): string => join(folder, name);
const venv: PythonVenv = await pythonVenv('3.13');

let served: ServedProject;
let token = '';

beforeAll(async () => {
  for (const name of ['first', 'second']) makeCertificate(folder, name);
  copyFileSync(at('first.pem'), at('used.pem'));
  copyFileSync(at('first.key'), at('used.key'));
  served = await servedProject(
    TINY_PROJECT,
    async (project) => {
      await project.plinth('user', 'create', 'ann', '--role', 'admin');
      token = await newToken(project, '--user', 'ann');
    },
    ['--auth', 'required', '--tls-cert', at('used.pem'), '--tls-key', at('used.key')],
  );
});
afterAll(async () => {
  await served?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

const ended = (
  file: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(
      file,
      args,
      { env: { ...process.env, ...variables }, timeout: 60_000 },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

/** The name that the server's certificate has on a new connection. */
const presented = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(
      { host: '127.0.0.1', port: Number(new URL(served.url).port), rejectUnauthorized: false },
      () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      },
    );
    socket.on('error', reject);
  });

describe('a server with a certificate', () => {
  test('says so in its address, and answers curl that trusts it', async () => {
    expect(served.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(served.products[0]?.base_url).toMatch(/^https:/);
    const { code, stdout } = await ended('curl', ['-sS', '--cacert', at('used.pem'), `${served.url}/readyz`]);
    expect([code, JSON.parse(stdout)]).toEqual([0, { status: 'ok', products: 1 }]);
    const apps = await ended('curl', [
      ...['-sS', '--cacert', at('used.pem'), '-H', `apikey: ${token}`],
      `${served.url}/platform-api/v1/tenants/default/resources/apps`,
    ]);
    expect(JSON.parse(apps.stdout).items[0].endpoints.rest).toMatch(/^https:/);
  });

  test('is refused by curl that does not, and answers nothing in the clear', async () => {
    expect((await ended('curl', ['-sS', `${served.url}/readyz`])).code).toBe(60);
    const clear = await ended('curl', ['-sS', `${served.url.replace('https:', 'http:')}/readyz`]);
    expect(clear.code).not.toBe(0);
    expect(clear.stdout).toBe('');
    expect((await ended('curl', ['-sk', '--tls-max', '1.1', `${served.url}/readyz`])).code).not.toBe(0);
  });

  test('gets a new certificate by SIGHUP, and keeps the old one when the new files are none', async () => {
    expect(await presented()).toBe('first');
    writeFileSync(at('used.key'), 'nothing');
    served.signal('SIGHUP');
    for (let left = 100; !/The one before is used/.test(served.output().stderr); left--) {
      expect(left).toBeGreaterThan(0);
      await sleep(50);
    }
    expect(await presented()).toBe('first');
    copyFileSync(at('second.pem'), at('used.pem'));
    copyFileSync(at('second.key'), at('used.key'));
    served.signal('SIGHUP');
    for (let left = 100; (await presented()) !== 'second'; left--) {
      expect(left).toBeGreaterThan(0);
      await sleep(50);
    }
  });
});

describe.skipIf(venv.kind === 'missing')(
  `the Python client${venv.kind === 'missing' ? ` (left out: ${venv.reason})` : ''}`,
  () => {
    const program = (verify: boolean): string => `
from plinth import DataProductClient, DataProductError
client = DataProductClient(fqdn=${JSON.stringify(served.url)}, dp_name=${JSON.stringify(served.products[0]?.name)}, access_token=${JSON.stringify(token)}, tenant="default", verify_ssl=${verify ? 'True' : 'False'})
try:
    print(client.query.run("SELECT 1 AS one").rows)
except DataProductError as error:
    print(error.status_code, error.detail)
`;
    const python = (verify: boolean, variables: Readonly<Record<string, string>> = {}): Promise<Ended> =>
      ended(venv.kind === 'ready' ? venv.program : '', ['-c', program(verify)], {
        PYTHONPATH: join(PYTHON_FOLDER, 'src'),
        ...variables,
      });

    test('says that the certificate is not trusted, and shows no token', async () => {
      const { stdout, stderr, code } = await python(true);
      expect(stderr).toBe('');
      expect(stdout).toMatch(/^0 .*certificate/i);
      expect(`${stdout}${stderr}`).not.toContain(token);
      expect(code).toBe(0);
    });

    test('asks when the machine trusts it, or when it was told not to look', async () => {
      expect((await python(true, { SSL_CERT_FILE: at('used.pem') })).stdout).toBe('[[1]]\n');
      expect((await python(false)).stdout).toBe('[[1]]\n');
    });
  },
);

describe('files that are no certificate', () => {
  const refused = async (certificate: string, key: string): Promise<string> => {
    const { code, stderr } = await runPlinth(
      ['serve', '--port', '0', '--no-scheduler', '--tls-cert', certificate, '--tls-key', key],
      { cwd: served.folder },
    );
    expect(code).not.toBe(0);
    return stderr;
  };

  test('are refused before the server listens, with a code and the file', async () => {
    writeFileSync(at('empty.pem'), '');
    writeFileSync(at('words.pem'), 'no certificate at all');
    execFileSync(OPENSSL, [
      'pkey',
      '-in',
      at('first.key'),
      '-aes256',
      '-passout',
      'pass:x',
      '-out',
      at('locked.key'),
    ]);
    for (const [certificate, key, file, words] of [
      ['none.pem', 'first.key', 'none.pem', /no such file/i],
      ['first.pem', 'none.key', 'none.key', /no such file/i],
      ['empty.pem', 'first.key', 'empty.pem', /not what a PEM file/],
      ['words.pem', 'first.key', 'words.pem', /not what a PEM file/],
      ['first.pem', 'words.pem', 'words.pem', /not what a PEM file/],
      ['first.key', 'first.pem', 'first.key', /not what a PEM file/],
      ['first.pem', 'second.key', 'second.key', /the key of another certificate/],
      ['first.pem', 'locked.key', 'locked.key', /encrypted/],
    ] as const) {
      const said = await refused(at(certificate), at(key));
      expect(said, `${certificate} ${key}`).toContain('server.cannot-read-tls');
      expect(said).toContain(file);
      expect(said, `${certificate} ${key}`).toMatch(words);
    }
  });

  test('are both needed', async () => {
    const { code, stderr } = await runPlinth(['serve', '--tls-cert', at('first.pem')], {
      cwd: served.folder,
    });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/server\.cannot-read-tls[\s\S]*--tls-key is missing/);
  });
});
