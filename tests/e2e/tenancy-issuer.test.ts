/** An issuer of JWTs that the second folder of a server names: its keys are fetched over HTTP by the real program. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedTwins, servedTwins } from './served-twins.ts';
import { marked, PLATFORM } from './tenancy-world.ts';

const ISSUER = 'https://id.example';

let twins: ServedTwins;
let issuer: Server;
let key: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
let fetched = 0;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256', { extractable: true });
  key = pair.privateKey;
  const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }];
  issuer = createServer((_, answer) => {
    fetched++;
    answer.end(JSON.stringify({ keys }));
  });
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  const { port } = issuer.address() as AddressInfo;
  const trusting = `server: {jwt: [{issuer: '${ISSUER}', audience: plinth, jwks_url: 'http://127.0.0.1:${port}/keys'}], limits:`;
  twins = await servedTwins([], (tenant) => {
    const files = marked(tenant);
    const config = files['config.yaml'] as string;
    return tenant === 'acme'
      ? files
      : { ...files, 'config.yaml': config.replace('server: {limits:', trusting) };
  });
  for (const tenant of ['acme', 'globex']) await twins.person(tenant, 'ada', { role: 'admin' });
}, 300_000);
afterAll(async () => {
  await twins?.stop();
  issuer?.closeAllConnections();
  await new Promise((resolve) => issuer?.close(resolve));
});

const signed = (
  tenant: string,
  claims: Readonly<Record<string, unknown>> = {},
  kid = 'k1',
): Promise<string> =>
  new SignJWT({ tenant, sub: 'ada', iss: ISSUER, aud: 'plinth', ...claims })
    .setProtectedHeader({ alg: 'ES256', kid })
    .setExpirationTime('1h')
    .sign(key);

test('speaks for the people of that folder, at both doors', async () => {
  const jwt = await signed('globex');
  const me = await twins.ask('GET', `${PLATFORM}/me`, { bearer: jwt });
  expect(me.body).toMatchObject({ name: 'ada', tenant: 'globex', tenant_role: 'admin' });
  expect((await twins.ask('GET', `${twins.globex}/metadata`, { bearer: jwt })).status).toBe(200);
  expect((await twins.ask('GET', `${twins.acme}/metadata`, { bearer: jwt })).status).toBe(403);
  expect(fetched).toBe(1);
});

test('speaks for nobody else', async () => {
  for (const jwt of [
    await signed('acme'),
    await signed('acme', { sub: 'root' }),
    await signed('globex', { sub: 'root' }),
    await signed('globex', { aud: 'other' }),
    await signed('globex', { iss: 'https://evil.example' }),
    await signed('globex', { iss: 'plinth' }),
    await signed('globex', {}, 'k2'),
  ]) {
    const { status, body } = await twins.ask('GET', `${PLATFORM}/me`, { bearer: jwt });
    expect([status, body.code]).toEqual([401, 'auth.invalid']);
  }
  expect(fetched).toBe(1);
});
