import { Failure } from '../../src/domain/failure.ts';
import { hash128 } from '../../src/foundation/hash128.ts';
import { permittedEnvironment } from '../../src/operations/access/callers.ts';
import { changePrincipalAtHome } from '../../src/operations/access/change-principal.ts';
import { createPrincipalAtHome } from '../../src/operations/access/create-principal.ts';
import { decideRequest } from '../../src/operations/access/decide-request.ts';
import { Directory } from '../../src/operations/access/directory.ts';
import { grantRoleAtHome } from '../../src/operations/access/grant-role.ts';
import { putGroup } from '../../src/operations/access/put-group.ts';
import { removeGroup } from '../../src/operations/access/remove-group.ts';
import { requestAccess } from '../../src/operations/access/request-access.ts';
import { compileQuestion } from '../../src/operations/ask/compile-question.ts';
import type { Product } from '../../src/operations/platform.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import { startServer } from '../../src/server/start-server.ts';
import { identityOf } from '../support/served-product.ts';
import { temporaryProject } from '../support/temporary-project.ts';
import { acting, type DiagnosticCase } from './diagnostic-case.ts';

const FILES = {
  'config.yaml':
    'name: served\ntenant: acme\nusers: [{username: eve, groups: [fixed]}]\ngateways: {local: {connection: {type: duckdb, database: served.duckdb}}}\n',
};
const NOW = Date.UTC(2026, 0, 2);

/** Something done to who may do what in a project where `bob` is a user. */
const managing = (
  code: string,
  work: (directory: Directory, product: Product) => Promise<unknown>,
): DiagnosticCase =>
  acting(code, async () => {
    const project = temporaryProject(FILES);
    const platform = await openPlatform({ folders: [project.folder], variables: {}, executionTime: NOW });
    try {
      const directory = new Directory(platform, { principalId: 'test', now: NOW });
      await createPrincipalAtHome(directory, { tenant: 'acme', name: 'bob', kind: 'user', groups: [] });
      await work(directory, platform.products[0] as Product);
      return undefined;
    } catch (error) {
      if (error instanceof Failure) return error.code;
      throw error;
    } finally {
      await platform.close();
      project.delete();
    }
  });

const wish = async (directory: Directory, product: Product, role: 'consumer' | 'owner') => {
  const { id } = (await directory.located('acme', 'bob')).principal;
  return requestAccess(directory, product, { principalId: id, role });
};

/** The code of the last of some requests to a server of a project. */
const answering = (
  code: string,
  requests: readonly { readonly method: string; readonly path: string; readonly body?: object }[],
  before: (product: Product) => Promise<unknown> = async () => undefined,
): DiagnosticCase =>
  acting(code, async () => {
    const project = temporaryProject(FILES);
    const options = { folders: [project.folder], variables: {}, executionTime: NOW };
    const server = await startServer({
      ...options,
      host: '127.0.0.1',
      port: 0,
      auth: 'disabled',
      hasScheduler: false,
      isForced: false,
      log: () => undefined,
    });
    const platform = await openPlatform(options);
    try {
      await before(platform.products[0] as Product);
      let last: unknown;
      for (const { method, path, body } of requests) {
        const answer = await fetch(`${server.url}/platform-api/v1/tenants/acme/${path}`, {
          method,
          headers: { 'idempotency-key': path, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        last = await answer.json();
      }
      return (last as { readonly code?: string }).code;
    } finally {
      await platform.close();
      await server.close();
      project.delete();
    }
  });

const USER = { method: 'POST', path: 'users', body: { name: 'ann' } };
const TOKEN = { method: 'POST', path: 'tokens', body: { principal: 'ann' } };

/** Roles, groups, grants and requests for access; keys and what is not there yet. */
export const accessCases: readonly DiagnosticCase[] = [
  managing('policy.environment', async (_, product) =>
    permittedEnvironment(
      product,
      identityOf({ tenant: 'acme', productRoles: { [product.slug]: 'consumer' } }),
      'dev',
    ),
  ),
  managing('policy.unreadable', () =>
    compileQuestion(
      {
        caller: { groups: [], isUnrestricted: false },
        context: { isUnreadable: true, environment: { name: 'prod' } },
      } as never,
      { kind: 'semantic-query', query: {} },
    ),
  ),
  managing('access.changed', (directory) =>
    changePrincipalAtHome(
      directory,
      { tenant: 'acme', name: 'bob' },
      { role: 'viewer', expected: ['another tag'] },
    ),
  ),
  managing('access.unknown-members', (directory) =>
    putGroup(directory, { tenant: 'acme', name: 'g', members: ['nobody'] }),
  ),
  managing('access.from-config', (directory) => removeGroup(directory, { tenant: 'acme', name: 'fixed' })),
  managing('access.has-role', async (directory, product) => {
    await grantRoleAtHome(directory, product, { principal: 'bob', role: 'editor' });
    await wish(directory, product, 'consumer');
  }),
  managing('access.decided', async (directory, product) => {
    const { request } = await wish(directory, product, 'owner');
    await decideRequest(directory, { request, home: product }, { kind: 'deny' });
    await decideRequest(directory, { request, home: product }, { kind: 'approve' });
  }),
  answering('http.not-yet', [{ method: 'POST', path: 'resources/apps' }]),
  answering('http.secret-shown', [USER, TOKEN, TOKEN]),
  answering('http.key-unfinished', [USER], async ({ world }) => {
    // As a process that was killed leaves it.
    const url = '/platform-api/v1/tenants/acme/users';
    const name = hash128('local-admin', 'POST', url, USER.path);
    const asked = hash128(JSON.stringify(USER.body));
    const at = Date.now();
    await world.state.answers.begin({ name, asked, worker: 'killed', at }, { canRepeat: false, since: 0 });
  }),
];
