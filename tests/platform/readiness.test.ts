/** `/readyz` says whether the server can do its work, the state of an app what became of its deployment, a statement what is known. */
import { copyFileSync, linkSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { apply } from '../../src/operations/change/apply.ts';
import { plan } from '../../src/operations/change/plan.ts';
import { loadProject } from '../../src/operations/project/load-project.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import type { RunningServer } from '../../src/operations/serve/running-server.ts';
import { startServer } from '../../src/server/start-server.ts';
import { type Faults, withFaults } from '../support/execution-faults.ts';
import { PLAN_OPTIONS, planProduct, type ServedProduct, servedProduct } from '../support/served-product.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

const FILES = {
  'config.yaml': 'name: ready\ngateways: {local: {connection: {type: duckdb, database: w.duckdb}}}\n',
  'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a\n',
};

const optionsFor = (folder: string) => ({
  folders: [folder],
  variables: {},
  executionTime: Date.UTC(2026, 0, 2),
});
const SERVED = {
  host: '127.0.0.1',
  port: 0,
  auth: 'disabled',
  hasScheduler: false,
  isForced: false,
  log: () => undefined,
} as const;
const serverOf = (folder: string): Promise<RunningServer> =>
  startServer({ ...optionsFor(folder), ...SERVED });
const BASE = '/plinth/tenants/default/data-products/default-ready/api/v1';
const ask = (server: RunningServer, statement: object): Promise<Response> =>
  fetch(`${server.url}${BASE}/query/statement`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(statement),
  });

describe('readiness', () => {
  let project: TemporaryProject;
  let server: RunningServer;
  beforeEach(async () => {
    project = temporaryProject(FILES);
    const platform = await openPlatform(optionsFor(project.folder));
    for (const product of platform.products) await planProduct(product);
    await platform.close();
    server = await serverOf(project.folder);
  });
  afterEach(async () => {
    await server.close();
    project.delete();
  });
  const ready = async (): Promise<unknown> => {
    const answer = await fetch(`${server.url}/readyz`);
    const body = (await answer.json()) as { readonly detail?: string; readonly products?: number };
    return [answer.status, body.detail ?? body.products];
  };

  test('ends when the file of the warehouse is gone, and comes back with it', async () => {
    expect(await ready()).toEqual([200, 1]);
    const path = join(project.folder, 'w.duckdb');
    renameSync(path, `${path}.away`);
    expect(await ready()).toEqual([503, 'The server cannot use the warehouse of a product.']);
    renameSync(`${path}.away`, path);
    expect(await ready()).toEqual([200, 1]);
  });

  test('ends when the file of the state is another one, and comes back with it', async () => {
    expect(await ready()).toEqual([200, 1]);
    const path = join(project.folder, '.plinth/state.db');
    linkSync(path, `${path}.kept`);
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
    expect(await ready()).toEqual([503, 'The server cannot use the state of a product.']);
    renameSync(`${path}.kept`, path);
    expect(await ready()).toEqual([200, 1]);
  });

  test('is looked at once for all who ask together', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => ready()));
    expect(answers.every((answer) => JSON.stringify(answer) === '[200,1]')).toBe(true);
  });

  test('ends while the state cannot be written', async () => {
    expect(await ready()).toEqual([200, 1]);
    const other = new DatabaseSync(join(project.folder, '.plinth/state.db'));
    other.exec('BEGIN IMMEDIATE');
    expect(await ready()).toEqual([503, 'The server cannot use the state of a product.']);
    other.exec('ROLLBACK');
    other.close();
    expect(await ready()).toEqual([200, 1]);
  });

  test('does not end because much is asked', async () => {
    for (let i = 0; i < 8; i++) {
      const asked = await ask(server, {
        sql: `SELECT count(*) AS n${i} FROM range(400000) AS a(x), range(400000) AS b(y) WHERE a.x <> b.y`,
      });
      expect(asked.status).toBe(202);
    }
    expect(await ready()).toEqual([200, 1]);
  });
});

describe('readiness of a server of two folders', () => {
  let folders: readonly TemporaryProject[];
  let server: RunningServer;
  beforeEach(async () => {
    folders = ['one', 'two'].map((name) =>
      temporaryProject({ ...FILES, 'config.yaml': FILES['config.yaml'].replace('ready', name) }),
    );
    const options = { ...optionsFor(''), folders: folders.map(({ folder }) => folder) };
    const platform = await openPlatform(options);
    for (const product of platform.products) await planProduct(product);
    await platform.close();
    server = await startServer({ ...options, ...SERVED });
  });
  afterEach(async () => {
    await server.close();
    for (const each of folders) each.delete();
  });
  const ready = async (): Promise<unknown> => {
    const answer = await fetch(`${server.url}/readyz`);
    return [answer.status, await answer.json()];
  };
  const away = (which: number, file: string): void => {
    const path = join(folders[which]?.folder ?? '', file);
    renameSync(path, `${path}.away`);
  };

  test('lasts while one can be used, however the other was lost', async () => {
    expect(await ready()).toEqual([200, { status: 'ok', products: 2 }]);
    away(1, '.plinth/state.db');
    expect(await ready()).toEqual([200, { status: 'ok', products: 1, lost: 1 }]);
    away(0, 'w.duckdb');
    expect(await ready()).toMatchObject([503, { code: 'http.not-ready' }]);
  });

  test('ends with the state of the first folder, which has the principals of the platform', async () => {
    away(0, '.plinth/state.db');
    expect(await ready()).toMatchObject([503, { errors: [{ path: 'state' }] }]);
  });
});

describe('the state of an app', () => {
  let served: ServedProduct;
  let server: RunningServer;
  beforeEach(async () => {
    served = await servedProduct(FILES, { isPlanned: false });
    server = await serverOf(served.project.folder);
  });
  afterEach(async () => {
    await server.close();
    await served.close();
  });
  const stateNow = async (): Promise<string> => {
    const app = await fetch(`${server.url}/platform-api/v1/tenants/default/resources/apps/ready`);
    return ((await app.json()) as { readonly state: string }).state;
  };
  const started = async (faults: Faults = {}) => {
    const { workspace } = served.product;
    const world = withFaults(served.product.world, faults);
    const loaded = await loadProject(workspace);
    const planned = await plan(workspace, loaded, {
      world: Promise.resolve(world),
      environment: undefined,
      options: PLAN_OPTIONS,
    });
    if (planned.plan === undefined) throw new Error(JSON.stringify(planned.diagnostics));
    return apply(world, planned.plan, { who: 'a test' });
  };

  test('is stopped before anything was deployed, deploying while a plan is applied, then active', async () => {
    expect(await stateNow()).toBe('stopped');
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const applied = (async () => {
      for await (const _ of await started({
        before: (_, method) => {
          if (method !== 'beginPromotion') return undefined;
          reach();
          return held;
        },
      }));
    })();
    await Promise.race([reached, applied]);
    const state = await stateNow();
    goOn();
    await applied;
    expect(state).toBe('deploying');
    expect(await stateNow()).toBe('active');
  });

  test('is failed after a plan that failed, and active after the next that did not', async () => {
    await served.plan();
    served.project.write({
      'models/m.sql':
        'MODEL (name s.m, kind FULL, audits (not_null(columns := (a))));\nSELECT NULL::INTEGER AS a\n',
    });
    for await (const _ of await started());
    expect(await stateNow()).toBe('failed');
    served.project.write({ 'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 3 AS a\n' });
    await served.plan();
    expect(await stateNow()).toBe('active');
  });
});
