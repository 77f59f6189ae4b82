/** A server of the state that speaks TLS, with certificates that openssl makes here. */
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PostgresServer, postgresPrograms, startPostgresServer } from '../postgres-server.ts';
import { newSchema } from '../postgres-state.ts';
import { makeCertificate } from '../support/make-certificate.ts';
import { type StateOptions, withConfiguredState } from './configured-state.ts';
import { until } from './until.ts';

const folder = mkdtempSync(join(tmpdir(), 'plinth-state-tls-'));
const at = (name: string): string => join(folder, name);

describe.skipIf(postgresPrograms() === undefined)('a state on a server with TLS', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    makeCertificate(folder, 'here', 'IP:127.0.0.1');
    makeCertificate(folder, 'elsewhere', 'DNS:db.example.org');
    server = await startPostgresServer();
    await speaksTls('here');
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true });
  });

  /** From now on; connections that are open stay as they are. */
  async function speaksTls(name: string): Promise<void> {
    const data = join(server.folder, 'data');
    const { uid, gid } = statSync(data);
    for (const [from, to] of [
      [`${name}.pem`, 'server.crt'],
      [`${name}.key`, 'server.key'],
    ] as const) {
      copyFileSync(at(from), join(data, to));
      chownSync(join(data, to), uid, gid);
      chmodSync(join(data, to), 0o600);
    }
    const [loaded] = await server.ask('SELECT pg_conf_load_time()::TEXT AS at');
    await server.ask('ALTER SYSTEM SET ssl = on');
    await server.ask('SELECT pg_reload_conf()');
    await until('the certificate', async () => {
      const [row] = await server.ask("SELECT current_setting('ssl') AS ssl, pg_conf_load_time()::TEXT AS at");
      return row?.['ssl'] === 'on' && row['at'] !== loaded?.['at'] ? true : undefined;
    });
  }

  const schema = newSchema();
  /** Whether the connection of a store is encrypted. */
  const isEncrypted = (options: StateOptions): Promise<unknown> =>
    withConfiguredState(server.port, { schema, application_name: 'over tls', ...options }, async () => {
      const found = await server.ask(
        "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'over tls'",
      );
      return [...new Set(found.map(({ ssl }) => ssl))];
    });
  const refusal = async (options: StateOptions): Promise<Readonly<Record<string, unknown>>> => {
    const error: unknown = await isEncrypted(options).catch((each: unknown) => each);
    const { code, message, diagnostic } = error as Readonly<Record<string, unknown>>;
    return { code, message, hint: (diagnostic as { readonly hint?: unknown } | undefined)?.hint };
  };
  const refused = {
    code: 'state.cannot-connect',
    message: expect.stringContaining('gateway local'),
    hint: expect.stringMatching(/sslmode in gateways\.local\.state_connection/),
  };

  test('is encrypted unless sslmode is disable', async () => {
    for (const sslmode of ['prefer', 'require']) expect(await isEncrypted({ sslmode })).toEqual([true]);
    expect(await isEncrypted({})).toEqual([true]);
    expect(await isEncrypted({ sslmode: 'disable' })).toEqual([false]);
  });

  test('is trusted by verify-full and verify-ca when sslrootcert has signed its certificate, and only then', async () => {
    for (const sslmode of ['verify-full', 'verify-ca']) {
      expect(await isEncrypted({ sslmode, sslrootcert: at('here.pem') })).toEqual([true]);
      expect(await refusal({ sslmode, sslrootcert: at('elsewhere.pem') })).toMatchObject(refused);
      expect(await refusal({ sslmode })).toMatchObject(refused);
    }
  });

  test('that is another one than host says is refused by verify-full, and not by verify-ca', async () => {
    await speaksTls('elsewhere');
    const sslrootcert = at('elsewhere.pem');
    expect(await refusal({ sslmode: 'verify-full', sslrootcert })).toMatchObject(refused);
    expect(await isEncrypted({ sslmode: 'verify-ca', sslrootcert })).toEqual([true]);
    await speaksTls('here');
  });

  test('that refuses connections without TLS says so to sslmode disable, and is reached with all others', async () => {
    writeFileSync(
      join(server.folder, 'data', 'pg_hba.conf'),
      'local all postgres trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n',
    );
    await server.ask('SELECT pg_reload_conf()');
    expect(
      await until('the refusal', async () => {
        const found = await refusal({ sslmode: 'disable' });
        return found['code'] === undefined ? undefined : found;
      }),
    ).toMatchObject({
      code: 'state.login-refused',
      message: expect.stringMatching(/gateway local .*no encryption/),
    });
    for (const sslmode of ['allow', 'prefer', 'require'])
      expect(await isEncrypted({ sslmode })).toEqual([true]);
  });
});
