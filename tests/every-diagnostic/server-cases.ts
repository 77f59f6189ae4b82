import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Failure } from '../../src/domain/failure.ts';
import type { AccessContext } from '../../src/operations/access/access-context.ts';
import { createPrincipal, createPrincipalAtHome } from '../../src/operations/access/create-principal.ts';
import { createTenant } from '../../src/operations/access/create-tenant.ts';
import { createToken } from '../../src/operations/access/create-token.ts';
import { Directory } from '../../src/operations/access/directory.ts';
import { findPrincipal } from '../../src/operations/access/find-principal.ts';
import { removeTenant } from '../../src/operations/access/remove-tenant.ts';
import { cancelRun } from '../../src/operations/serve/cancel-run.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import { previewPlan } from '../../src/operations/serve/preview-plan.ts';
import type { RunningServer, ServerOptions } from '../../src/operations/serve/running-server.ts';
import { startPlan } from '../../src/operations/serve/start-work.ts';
import { AnswerRoom } from '../../src/server/http/answers/answer-room.ts';
import type { Problem } from '../../src/server/http/answers/problem.ts';
import { startServer } from '../../src/server/start-server.ts';
import { PLAN_OPTIONS, servedProduct } from '../support/served-product.ts';
import { temporaryProject } from '../support/temporary-project.ts';
import { acting, type DiagnosticCase } from './diagnostic-case.ts';

const FILES: Readonly<Record<string, string>> = {
  'config.yaml':
    'name: served\ntenant: acme\nserver: {limits: {requests_per_second: 1, failed_credentials_per_minute: 1}}\ngateways: {local: {connection: {type: duckdb, database: served.duckdb}}}\n',
  'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a',
};

const options = (folder: string): ServerOptions => ({
  folders: [folder],
  variables: {},
  executionTime: Date.UTC(2026, 0, 2),
  host: '127.0.0.1',
  port: 0,
  auth: 'disabled',
  hasScheduler: false,
  isForced: false,
  log: () => undefined,
});

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const project = temporaryProject(FILES);
  try {
    return await work(project.folder);
  } finally {
    project.delete();
  }
}

const codeOfFailure = async (work: () => Promise<unknown>): Promise<string | undefined> =>
  work().then(
    () => undefined,
    (error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      return error.code;
    },
  );

/** A server that is started, and refuses to. */
const refusing = (
  code: string,
  change: Partial<ServerOptions> | ((folder: string) => Partial<ServerOptions>),
): DiagnosticCase =>
  acting(code, () =>
    inFolder((folder) =>
      codeOfFailure(async () => {
        const changed = typeof change === 'function' ? change(folder) : change;
        await (await startServer({ ...options(folder), ...changed })).close();
      }),
    ),
  );

async function served<Result>(
  change: Partial<ServerOptions>,
  work: (server: RunningServer) => Promise<Result>,
): Promise<Result> {
  return inFolder(async (folder) => {
    const server = await startServer({ ...options(folder), ...change });
    try {
      return await work(server);
    } finally {
      await server.close();
    }
  });
}

const codeOf = async (answer: Response): Promise<string> =>
  ((await answer.json()) as { readonly code: string }).code;

/** A request, and the code of its answer. */
const answering = (
  code: string,
  path: string,
  init: RequestInit = {},
  change: Partial<ServerOptions> = {},
): DiagnosticCase =>
  acting(code, () => served(change, async ({ url }) => codeOf(await fetch(`${url}${path}`, init))));

/** Something done to who may do what. */
const managing = (code: string, work: (context: AccessContext) => Promise<unknown>): DiagnosticCase =>
  acting(code, () =>
    inFolder(async (folder) => {
      const platform = await openPlatform(options(folder));
      const principals = platform.products[0]?.world.state.principals as AccessContext['principals'];
      try {
        return await codeOfFailure(() =>
          work({ principals, eventsOf: 'acme', actor: 'test', now: Date.UTC(2026, 0, 2) }),
        );
      } finally {
        await platform.close();
      }
    }),
  );

const APPS = '/platform-api/v1/tenants/acme/resources/apps';
const QUERY = '/plinth/tenants/acme/data-products/acme-served/api/v1/query/statement';
const post = (body: string, type = 'application/json'): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': type },
  body,
});
const ada = { tenant: 'acme', name: 'ada', kind: 'user', groups: [] } as const;

/** What is wrong with starting a server, with requests, and with who may ask. */
export const serverCases: readonly DiagnosticCase[] = [
  acting('server.same-product', () =>
    inFolder((folder) =>
      inFolder((other) =>
        codeOfFailure(() => openPlatform({ ...options(folder), folders: [folder, other] })),
      ),
    ),
  ),
  acting('server.same-state', () =>
    inFolder((folder) =>
      inFolder((other) => {
        const config = FILES['config.yaml'] as string;
        const state = join(folder, '.plinth', 'state.db');
        writeFileSync(
          join(other, 'config.yaml'),
          config
            .replace('tenant: acme', 'tenant: globex')
            .replace('{local: {', `{local: {state_connection: {type: sqlite, database: '${state}'}, `),
        );
        return codeOfFailure(() => openPlatform({ ...options(folder), folders: [folder, other] }));
      }),
    ),
  ),
  acting('server.not-served', () =>
    inFolder((folder) =>
      inFolder(async (second) => {
        writeFileSync(
          join(second, 'config.yaml'),
          (FILES['config.yaml'] as string).replace('tenant: acme', 'tenant: globex'),
        );
        mkdirSync(join(second, '.plinth'));
        writeFileSync(join(second, '.plinth', 'state.db'), 'no database'.repeat(1_000));
        return served({ folders: [folder, second] }, async ({ url }) =>
          codeOf(
            await fetch(
              `${url}${QUERY.replaceAll('acme', 'globex').replace('/query/statement', '/metadata')}`,
            ),
          ),
        );
      }),
    ),
  ),
  refusing('server.unsafe-bind', { host: '0.0.0.0' }),
  refusing('server.cannot-read-tls', (folder) => ({
    tls: { certificate: join(folder, 'none.pem'), key: join(folder, 'none.pem') },
  })),
  acting('server.cannot-listen', () =>
    served({}, ({ url }) =>
      inFolder((folder) =>
        codeOfFailure(() => startServer({ ...options(folder), port: Number(new URL(url).port) })),
      ),
    ),
  ),
  answering('http.not-found', '/nothing'),
  answering('http.wrong-method', APPS, { method: 'DELETE' }),
  answering('http.bad-request', QUERY, post('{"sql": ')),
  answering('http.invalid', QUERY, post('{"sql": 1}')),
  acting('http.foreign-host', () =>
    served(
      {},
      ({ url }) =>
        new Promise((resolve, reject) => {
          const asked = request(url, { headers: { host: 'attacker.example' } }, async (answer) =>
            resolve((JSON.parse(await text(answer)) as { code: string }).code),
          );
          asked.on('error', reject).end();
        }),
    ),
  ),
  answering('http.foreign-origin', QUERY, { method: 'POST', headers: { origin: 'http://attacker.example' } }),
  answering('http.too-large', QUERY, post(JSON.stringify({ sql: 'x'.repeat(5_000_000) }))),
  answering('http.too-deep', QUERY, post('['.repeat(300))),
  answering('http.wrong-content', QUERY, post('<sql/>', 'text/xml')),
  answering('http.not-acceptable', APPS, { headers: { accept: 'text/xml' } }),
  answering('http.bad-cursor', `${APPS}?cursor=zzz`),
  acting('http.too-many', () =>
    served({}, async ({ url }) => {
      await fetch(`${url}${APPS}`);
      return codeOf(await fetch(`${url}${APPS}`));
    }),
  ),
  acting('http.too-many-answers', async () => {
    const room = new AnswerRoom(2, 1_000);
    const full = (): (() => void) => room.take('ada', 2);
    full();
    try {
      full();
    } catch (error) {
      return (error as Problem).what.code;
    }
    return undefined;
  }),
  acting('http.key-reused', () =>
    inFolder(async (folder) => {
      const server = await startServer(options(folder));
      try {
        const plan = (body: string): Promise<Response> =>
          fetch(`${server.url}${QUERY.replace('query/statement', 'activity/plans')}`, {
            ...post(body),
            headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
          });
        await plan('{}');
        await new Promise((resolve) => setTimeout(resolve, 1100));
        return codeOf(await plan('{"environment": "dev"}'));
      } finally {
        await server.close();
      }
    }),
  ),
  acting('activity.run-elsewhere', async () => {
    const { product, again, close } = await servedProduct(
      {
        ...FILES,
        'models/slow.sql':
          'MODEL (name s.slow, kind FULL);\nSELECT count(*) AS n FROM range(10000000000) AS a, range(1000) AS b WHERE 1 = 0 OR a.range >= 0',
      },
      { isPlanned: false },
    );
    try {
      const planned = await previewPlan(product, {
        environment: undefined,
        options: PLAN_OPTIONS,
        who: 'a test',
        signal: new AbortController().signal,
      });
      if (planned.kind !== 'planned') throw new Error(JSON.stringify(planned));
      const { id } = await startPlan(product, planned.id, { who: 'a test' });
      const other = await again();
      const code = await codeOfFailure(() => cancelRun(other, id));
      await cancelRun(product, id);
      return code;
    } finally {
      await close();
    }
  }),
  acting('http.not-ready', () =>
    inFolder(async (folder) => {
      const server = await startServer(options(folder));
      try {
        await fetch(`${server.url}/readyz`);
        rmSync(join(folder, 'served.duckdb'));
        return await codeOf(await fetch(`${server.url}/readyz`));
      } finally {
        await server.close();
      }
    }),
  ),
  acting('http.draining', () =>
    served({}, async ({ url, drain }) => {
      // A request whose end is missing keeps the server waiting.
      const { port } = new URL(url);
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(
        `POST ${QUERY} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n`,
      );
      await new Promise((resolve) => setTimeout(resolve, 200));
      void drain();
      const code = await codeOf(await fetch(`${url}${APPS}`));
      socket.destroy();
      return code;
    }),
  ),
  answering('auth.missing', APPS, {}, { auth: 'required' }),
  answering('auth.invalid', APPS, { headers: { apikey: 'plt_0' } }, { auth: 'required' }),
  acting('auth.too-many', () =>
    served({ auth: 'required' }, async ({ url }) => {
      const ask = (): Promise<Response> => fetch(`${url}${APPS}`, { headers: { apikey: 'plt_0' } });
      await ask();
      return codeOf(await ask());
    }),
  ),
  answering('auth.ambiguous-credentials', APPS, { headers: { apikey: 'a', authorization: 'Bearer b' } }),
  acting('access.forbidden', () =>
    inFolder(async (folder) => {
      const text = await tokenOf(folder);
      const server = await startServer({ ...options(folder), auth: 'required' });
      try {
        const path = '/plinth/tenants/acme/data-products/acme-served/api/v1/query/statement';
        return codeOf(await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${text}` } }));
      } finally {
        await server.close();
      }
    }),
  ),
  managing('access.bad-name', (context) => createTenant(context, 'a-b')),
  managing('access.exists', async (context) => {
    await createTenant(context, 'acme');
    await createTenant(context, 'acme');
  }),
  managing('access.not-found', (context) => findPrincipal(context, 'acme', 'nobody')),
  managing('access.has-principals', async (context) => {
    await createPrincipal(context, ada);
    await removeTenant(context, 'acme');
  }),
  acting('access.admin-elsewhere', () =>
    inFolder((folder) =>
      inFolder(async (second) => {
        writeFileSync(
          join(second, 'config.yaml'),
          (FILES['config.yaml'] as string).replace('tenant: acme', 'tenant: globex'),
        );
        const platform = await openPlatform({ ...options(folder), folders: [folder, second] });
        const directory = new Directory(platform, { principalId: 'test', correlationId: 'test', now: 0 });
        try {
          return await codeOfFailure(() =>
            createPrincipalAtHome(directory, { ...ada, tenant: 'globex', isPlatformAdmin: true }),
          );
        } finally {
          await platform.close();
        }
      }),
    ),
  ),
];

/** The token of somebody without any role. */
async function tokenOf(folder: string): Promise<string> {
  const platform = await openPlatform(options(folder));
  const principals = platform.products[0]?.world.state.principals as AccessContext['principals'];
  const context: AccessContext = { principals, eventsOf: 'acme', actor: 'test', now: Date.UTC(2026, 0, 2) };
  try {
    const principal = await createPrincipal(context, ada);
    return (await createToken(context, { principal, name: 'test' })).text;
  } finally {
    await platform.close();
  }
}
