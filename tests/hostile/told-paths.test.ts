/** Where the files of a server lie is not told to its callers, whatever goes wrong; at the command line it is. */
import { mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noteHiddenPaths, withoutHiddenPaths } from '../../src/domain/hidden-paths.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import type { RunningServer } from '../../src/operations/serve/running-server.ts';
import type { OpenapiDocument } from '../../src/server/http/openapi/openapi-document.ts';
import { startServer } from '../../src/server/start-server.ts';
import { CASES } from '../e2e/tenancy-cases.ts';
import type { Ids } from '../e2e/tenancy-world.ts';
import { keepersOf } from '../support/keepers-of.ts';
import { planProduct } from '../support/served-product.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

const MODEL = 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a\n';
const outside = mkdtempSync(join(tmpdir(), 'plinth-outside-'));
const FILES = {
  'config.yaml': `name: told
gateways:
  local:
    connection: {type: duckdb, database: w.duckdb}
    state_connection: {type: sqlite, database: ${outside}/state.db}
server: {limits: {requests_per_second: 100000}}
`,
  'models/m.sql': MODEL,
  'models/late.sql': 'MODEL (name s.late, kind VIEW);\nSELECT * FROM (SELECT 1 AS a) WHERE a < 9\n',
  'models/semantics/things.yml': 'kind: semantic\nname: things\ndepends_on: s.m\ndimensions: [a]\n',
};
const BASE = '/plinth/tenants/default/data-products/default-told/api/v1';

let project: TemporaryProject;
/** A link: what is written in a path and where it leads are both not told. */
let folder = '';
let server: RunningServer;
let operations: readonly { readonly id: string; readonly method: string; readonly path: string }[];
const ids: Ids = {
  ...{ tenant: 'default', word: 'a', statement: 's_1', failed: 's_1', plan: 'p_1', run: 'r_1', token: 't_1' },
  ...{ user: 'any', userId: 'any', account: 'bot', group: 'all', model: 's.m', semantic: 'things' },
  ...{
    metric: 'none',
    app: 'told',
    request: 'q_1',
    rule: 'r',
    result: 'c_1.00000',
    incident: 'i_1',
    held: 'q_1',
    checks: 'c_1',
  },
};

beforeAll(async () => {
  project = temporaryProject(FILES);
  folder = `${project.folder}-link`;
  symlinkSync(project.folder, folder);
  const options = { folders: [folder], variables: {}, executionTime: Date.UTC(2026, 0, 2) };
  const platform = await openPlatform(options);
  for (const product of platform.products) await planProduct(product);
  await platform.close();
  server = await startServer({
    ...options,
    ...{ host: '127.0.0.1', port: 0, auth: 'disabled', hasScheduler: false, isForced: false },
    log: () => undefined,
  });
  const documentOf = async (path: string): Promise<OpenapiDocument> =>
    (await fetch(`${server.url}${path}`)).json() as Promise<OpenapiDocument>;
  const of = (document: OpenapiDocument, base: string) =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({
        id: operationId,
        method: method.toUpperCase(),
        path: `${base}${path}`,
      })),
    );
  operations = [
    ...of(await documentOf('/platform-api/openapi.json'), '/platform-api/v1'),
    ...of(await documentOf(`${BASE}/openapi.json`), BASE),
  ];
});
afterAll(async () => {
  await server.close();
  rmSync(folder);
  rmSync(outside, { recursive: true });
  project.delete();
});

interface Told {
  readonly what: string;
  readonly text: string;
}

async function ask(method: string, path: string, body?: unknown): Promise<Told> {
  const answer = await fetch(`${server.url}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return { what: `${method} ${path}`, text: await answer.text() };
}

/** Every operation once, and what has been told by then in lists. */
async function everything(only?: RegExp): Promise<readonly Told[]> {
  const asked = operations
    .filter(({ id }) => id !== 'streamEvents' && id !== 'deleteTenant' && only?.test(id) !== false)
    .map(({ id, method, path }) => {
      const known = CASES[id] ?? {};
      const names: Readonly<Record<string, string>> = { tenant: 'default', ...known.path?.(ids) };
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? 'none');
      const query = new URLSearchParams(known.query?.(ids)).toString();
      return ask(method, `${filled}${query === '' ? '' : `?${query}`}`, known.body?.(ids));
    });
  if (only !== undefined) return Promise.all(asked);
  const more = [
    ask('GET', '/readyz'),
    ask('POST', `${BASE}/query/statement`, { sql: 'SELECT * FROM s.late', wait: 20, cache: false }),
    ask('POST', `${BASE}/query/statement`, {
      sql: "SELECT repeat('x', 100) AS a FROM range(5000)",
      wait: 20,
      cache: false,
    }),
    ask('POST', `${BASE}/activity/plans`, {}),
    ask('POST', `${BASE}/activity/runs`, {}),
    ask('POST', `${BASE}/query/semantic/graphql`, { query: '{ things { a } }' }),
  ];
  const told = [...(await Promise.all(asked)), ...(await Promise.all(more))];
  const lists = ['/activity', '/activity/runs', '/activity/plans', '/activity/queries', '/query/statement'];
  for (const path of lists) told.push(await ask('GET', `${BASE}${path}?limit=1000`));
  told.push(
    await ask('POST', `${BASE}/query/semantic/graphql`, {
      query: '{ statements(first: 100) { edges { node { id error { code message hint } } } } }',
    }),
  );
  return told;
}

function expectNoPlaces(told: readonly Told[]): void {
  const places = [
    folder,
    project.folder,
    realpathSync(project.folder),
    outside,
    realpathSync(outside),
    homedir(),
  ];
  const leaks = told.flatMap(({ what, text }) =>
    places
      .filter((place) => text.includes(place))
      .map((place) => `${what} tells ${place}: ${text.slice(0, 600)}`),
  );
  expect(leaks).toEqual([]);
}

function moved(path: string, instead?: () => void): () => void {
  renameSync(path, `${path}.away`);
  instead?.();
  return () => {
    rmSync(path, { recursive: true, force: true });
    renameSync(`${path}.away`, path);
  };
}
const endKeepers = (): void => {
  for (const pid of keepersOf(join(realpathSync(project.folder), 'w.duckdb'))) process.kill(pid, 'SIGKILL');
};

/** Each makes something wrong, and says how it is made right again; `tells` is in some answer then. */
const STATES: readonly {
  readonly name: string;
  readonly tells?: string;
  /** Operations that are asked, where all of them would take minutes. */
  readonly only?: RegExp;
  readonly begin: () => () => void;
}[] = [
  { name: 'nothing is wrong', begin: () => () => undefined },
  {
    name: 'the warehouse is gone',
    tells: 'The warehouse w.duckdb is gone',
    begin: () => {
      endKeepers();
      return moved(join(project.folder, 'w.duckdb'));
    },
  },
  {
    name: 'another file is in the place of the warehouse',
    tells: 'The database w.duckdb cannot be opened',
    begin: () => {
      endKeepers();
      const path = join(project.folder, 'w.duckdb');
      return moved(path, () =>
        writeFileSync(path, 'no database, only a text that is long enough '.repeat(100)),
      );
    },
  },
  {
    name: 'the state is locked',
    tells: 'the state file',
    // Each write waits for five seconds, one after the other.
    only: /^(?:get|list|search|transpile|createGroup|submitStatement)/,
    begin: () => {
      const other = new DatabaseSync(join(outside, 'state.db'));
      other.exec('BEGIN IMMEDIATE');
      return () => other.close();
    },
  },
  {
    name: 'results cannot be written',
    tells: '.plinth/results',
    begin: () => {
      const path = join(project.folder, '.plinth/results');
      return moved(path, () => writeFileSync(path, 'a file'));
    },
  },
  {
    name: 'a model is broken',
    begin: () => {
      project.write({ 'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT FROM WHERE\n' });
      return () => project.write({ 'models/m.sql': MODEL });
    },
  },
  {
    name: 'the configuration is broken',
    begin: () => {
      project.write({ 'config.yaml': 'name: [told\n' });
      return () => project.write({ 'config.yaml': FILES['config.yaml'] });
    },
  },
  {
    name: 'the state is gone',
    begin: () => moved(join(outside, 'state.db')),
  },
  {
    name: 'the folder is gone',
    begin: () => moved(project.folder),
  },
];

describe('no answer of any operation has a path of the server', () => {
  test.each(STATES)('when $name', async ({ begin, tells, only }) => {
    const end = begin();
    let told: readonly Told[];
    try {
      told = await everything(only);
    } finally {
      end();
    }
    expectNoPlaces(told);
    if (tells !== undefined) expect(told.map(({ text }) => text).join('\n')).toContain(tells);
  });
});

describe('a path', () => {
  test('is relative to its folder, or called by what it is, and a part of another path is left alone', () => {
    noteHiddenPaths([
      ['/srv/told-shop', ''],
      ['/srv/told-shop/inner/state.db', 'the state file'],
      ['/var/told.db', 'the warehouse'],
    ]);
    for (const [text, shown] of [
      ['/srv/told-shop/.plinth/state.db is locked', '.plinth/state.db is locked'],
      ["mkdir '/srv/told-shop'", "mkdir 'the project folder'"],
      ['/srv/told-shop/inner/state.db.', 'the state file.'],
      ['see file:///srv/told-shop/a.ts and /var/told.db-wal', 'see a.ts and the warehouse-wal'],
      ['/other/srv/told-shop/x /srv/told-shopping/y', '/other/srv/told-shop/x /srv/told-shopping/y'],
    ] as const)
      expect(withoutHiddenPaths(text)).toBe(shown);
  });
});
