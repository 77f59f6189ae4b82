/** Several folders in one server: whoever owns one of them can write into its state and configuration what he likes. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Identity } from '../../src/domain/principal.ts';
import type { AccessContext } from '../../src/operations/access/access-context.ts';
import { createPrincipal, createPrincipalAtHome } from '../../src/operations/access/create-principal.ts';
import { createTenantAtHome } from '../../src/operations/access/create-tenant.ts';
import { createToken, createTokenAtHome } from '../../src/operations/access/create-token.ts';
import { Directory } from '../../src/operations/access/directory.ts';
import { grantRole } from '../../src/operations/access/grant-role.ts';
import { JwtVerifier } from '../../src/operations/access/jwt-verifier.ts';
import { listGrants } from '../../src/operations/access/list-grants.ts';
import { listPrincipals } from '../../src/operations/access/list-principals.ts';
import { listTenants } from '../../src/operations/access/list-tenants.ts';
import { listTokens } from '../../src/operations/access/list-tokens.ts';
import { readAuditLog } from '../../src/operations/access/read-audit-log.ts';
import { removeTenantAtHome } from '../../src/operations/access/remove-tenant.ts';
import { signJwt } from '../../src/operations/access/sign-jwt.ts';
import { TokenVerifier } from '../../src/operations/access/token-verifier.ts';
import type { Platform, Product } from '../../src/operations/platform.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

const NOW = Date.UTC(2026, 0, 2);

let projects: TemporaryProject[];
let platform: Platform;
let keyServer: Server;
let issuerKey: Key;
let clock: number;

const productOf = (tenant: string): Product => {
  const found = platform.products.find((product) => product.tenant === tenant);
  if (found === undefined) throw new Error(tenant);
  return found;
};

/** As `plinth user` and `plinth token` in the folder of `owner` act: they ask nobody. */
const contextIn = (owner: string): AccessContext => ({
  principals: productOf(owner).world.state.principals,
  eventsOf: owner,
  actor: 'the owner of a folder',
  now: NOW,
});

const somebody = (tenant: string, name: string, isPlatformAdmin = false) =>
  ({ tenant, name, kind: 'user', role: 'admin', isPlatformAdmin, groups: [] }) as const;

async function tokenMadeIn(owner: string, tenant: string, isPlatformAdmin = false): Promise<string> {
  const context = contextIn(owner);
  const principal = await createPrincipal(context, somebody(tenant, `mallory_${owner}`, isPlatformAdmin));
  await grantRole(context, { tenant, product: `${tenant}-sales`, principal: principal.name, role: 'owner' });
  return (await createToken(context, { principal, name: 'made here' })).text;
}

const identityOf = (text: string): Promise<Identity | undefined> =>
  new TokenVerifier(platform, () => NOW).identityOf(text);

const directory = (): Directory =>
  new Directory(platform, { principalId: 'test', correlationId: 'test', now: NOW });

beforeEach(async () => {
  clock = NOW;
  const pair = await generateKeyPair('ES256', { extractable: true });
  issuerKey = pair.privateKey;
  const keys: JWK[] = [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }];
  keyServer = createServer((_, answer) => answer.end(JSON.stringify({ keys })));
  await new Promise<void>((resolve) => keyServer.listen(0, '127.0.0.1', resolve));
  const { port } = keyServer.address() as AddressInfo;
  const filesOf = (tenant: string, more = '') => ({
    'config.yaml': `name: sales\ntenant: ${tenant}\n${more}gateways: {local: {connection: {type: duckdb, database: sales.duckdb}}}\n`,
    'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a',
  });
  const issuer = `server: {jwt: [{issuer: 'https://id.example', audience: plinth, jwks_url: 'http://127.0.0.1:${port}/keys'}]}\n`;
  projects = [temporaryProject(filesOf('acme')), temporaryProject(filesOf('globex', issuer))];
  platform = await openPlatform({
    folders: projects.map(({ folder }) => folder),
    variables: {},
    executionTime: NOW,
  });
});

afterEach(async () => {
  await platform.close();
  for (const project of projects) project.delete();
  await new Promise((resolve) => keyServer.close(resolve));
});

describe('a token', () => {
  test('that was made in the second folder for the tenant of the first is nobody', async () => {
    expect(await identityOf(await tokenMadeIn('globex', 'acme'))).toBeUndefined();
    expect(await listPrincipals(directory(), 'acme')).toEqual([]);
    expect(await listTokens(directory(), 'acme')).toEqual([]);
    expect(await listGrants(directory(), productOf('acme'))).toEqual([]);
    expect((await readAuditLog(directory(), 'acme', { limit: 10 })).entries).toEqual([]);
  });

  test('that was made in the first folder for the tenant of the second is nobody either', async () => {
    expect(await identityOf(await tokenMadeIn('acme', 'globex'))).toBeUndefined();
    expect(await listPrincipals(directory(), 'globex')).toEqual([]);
  });

  test('that was made in the second folder for an administrator of the platform is one of its own tenant only', async () => {
    const identity = await identityOf(await tokenMadeIn('globex', 'globex', true));
    expect(identity).toMatchObject({ tenant: 'globex', tenantRole: 'admin', isPlatformAdmin: false });
    expect(await listPrincipals(directory(), 'globex')).toMatchObject([{ isPlatformAdmin: false }]);
  });

  test('that was made in the first folder for an administrator of the platform is one', async () => {
    expect(await identityOf(await tokenMadeIn('acme', 'acme', true))).toMatchObject({
      tenant: 'acme',
      isPlatformAdmin: true,
    });
  });

  test('of a tenant without a folder counts when it was made in the first folder, and not when in another', async () => {
    expect(await identityOf(await tokenMadeIn('acme', 'third'))).toMatchObject({ tenant: 'third' });
    expect(await identityOf(await tokenMadeIn('globex', 'third'))).toBeUndefined();
    expect((await listPrincipals(directory(), 'third')).map(({ name }) => name)).toEqual(['mallory_acme']);
  });

  test('of a tenant without a folder leaves no trace in the events of the product of the first', async () => {
    await tokenMadeIn('acme', 'third');
    await tokenMadeIn('acme', 'acme');
    const events = await productOf('acme').world.state.events.events({ after: 0, limit: 100 });
    expect(events.map(({ event, data }) => [event, (data as { principal?: string }).principal])).toEqual([
      ['grant.given', 'mallory_acme'],
      ['token.created', 'mallory_acme'],
    ]);
  });
});

describe('the directory', () => {
  test('shows tenants that a folder made up nowhere', async () => {
    await contextIn('globex').principals.createTenant(
      { name: 'initech', createdAt: NOW },
      { at: NOW, tenant: 'initech', actor: 'x', action: 'tenant.create', target: 'initech', outcome: 'done' },
    );
    expect((await listTenants(directory())).map(({ name }) => name)).toEqual(['acme', 'globex']);
    await expect(removeTenantAtHome(directory(), 'initech')).rejects.toThrow('initech');
    await createTenantAtHome(directory(), 'initech');
    expect((await listTenants(directory())).map(({ name }) => name)).toEqual(['acme', 'globex', 'initech']);
    await removeTenantAtHome(directory(), 'initech');
  });

  test('makes people where their word counts', async () => {
    for (const tenant of ['acme', 'globex', 'third']) {
      const principal = await createPrincipalAtHome(directory(), somebody(tenant, 'ada'));
      const { text } = await createTokenAtHome(directory(), { principal, name: 'made by the API' });
      expect(await identityOf(text)).toMatchObject({ tenant, name: 'ada', tenantRole: 'admin' });
    }
  });
});

describe('a JWT', () => {
  const openVerifier = (): Promise<JwtVerifier> =>
    JwtVerifier.open(platform, { now: () => clock, onProblem: (problem) => expect.fail(problem) });
  const signedBy = (key: Key, tenant: string, name: string): Promise<string> =>
    new SignJWT({ tenant })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setSubject(name)
      .setIssuer('https://id.example')
      .setAudience('plinth')
      .setExpirationTime(NOW / 1000 + 60)
      .sign(key);

  test('of an issuer that the second folder names speaks for the people of its tenant only', async () => {
    await createPrincipal(contextIn('acme'), somebody('acme', 'ada', true));
    await createPrincipal(contextIn('acme'), somebody('third', 'ada'));
    await createPrincipal(contextIn('globex'), somebody('globex', 'ada', true));
    const jwts = await openVerifier();
    const asked = async (tenant: string) => jwts.identityOf(await signedBy(issuerKey, tenant, 'ada'));
    expect(await asked('globex')).toMatchObject({ tenant: 'globex', isPlatformAdmin: false });
    expect(await asked('acme')).toBeUndefined();
    expect(await asked('third')).toBeUndefined();
  });

  test('of an issuer that the second folder of a tenant names makes nobody an administrator of the platform', async () => {
    const { port } = keyServer.address() as AddressInfo;
    const second = temporaryProject({
      'config.yaml': `name: stock\ntenant: acme\nserver: {jwt: [{issuer: 'https://id.example', audience: plinth, jwks_url: 'http://127.0.0.1:${port}/keys'}]}\ngateways: {local: {connection: {type: duckdb, database: stock.duckdb}}}\n`,
      'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a',
    });
    await createPrincipal(contextIn('acme'), somebody('acme', 'root', true));
    await platform.close();
    projects.push(second);
    const folders = [projects[0] as TemporaryProject, second].map(({ folder }) => folder);
    platform = await openPlatform({ folders, variables: {}, executionTime: NOW });
    const identity = await (await openVerifier()).identityOf(await signedBy(issuerKey, 'acme', 'root'));
    expect(identity).toMatchObject({ tenant: 'acme', tenantRole: 'admin', isPlatformAdmin: false });
  });

  test('that the key of a folder signed speaks for the people whom that folder keeps', async () => {
    for (const owner of ['acme', 'globex'])
      for (const tenant of ['acme', 'globex', 'third'])
        await createPrincipal(contextIn(owner), somebody(tenant, `ada_${owner}`, true));
    // Who signs says when, by the clock of the machine.
    clock = Date.now();
    const jwts = await openVerifier();
    const found: Record<string, unknown> = {};
    for (const signer of ['acme', 'globex'])
      for (const owner of ['acme', 'globex'])
        for (const tenant of ['acme', 'globex', 'third']) {
          const { workspace } = productOf(signer);
          const jwt = await signJwt(workspace, { tenant, name: `ada_${owner}`, expiresAt: clock + 60_000 });
          const identity = await jwts.identityOf(jwt);
          if (identity !== undefined) found[`${signer} ${owner} ${tenant}`] = identity.isPlatformAdmin;
        }
    expect(found).toEqual({
      'acme acme acme': true,
      'acme acme third': true,
      'globex globex globex': false,
    });
  });
});
