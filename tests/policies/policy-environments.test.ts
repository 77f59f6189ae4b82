/** Who may ask which environment, and whose policies hold there; policies that cannot be read deny. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACCESS_CONFIG, GUARDED_FILES, PEOPLE_YML, POLICIES } from '../support/guarded-project.ts';
import { type Answer, type ServedPlatform, servedPlatform } from '../support/served-platform.ts';

let served: ServedPlatform;
const tokens: Record<string, string> = {};
const SEMANTIC = 'models/semantics/people.yml';
beforeAll(async () => {
  served = await servedPlatform([ACCESS_CONFIG], GUARDED_FILES);
  // dev forgets the policies of people, keeps others, and has a semantic model and a table that prod does not know.
  await served.plan(
    {
      [SEMANTIC]: PEOPLE_YML,
      'models/copy.sql': 'MODEL (name dev.copy, kind FULL);\nSELECT id, email AS mail FROM raw.people\n',
      'models/semantics/copies.yml':
        'kind: semantic\nname: copies\ndepends_on: dev.copy\ndimensions: [id, mail]\n',
    },
    'dev',
  );
  const people = {
    ann: { role: 'viewer', groups: ['eu'] },
    mia: { role: 'viewer', groups: ['masked', 'testers'] },
    tom: { role: 'viewer', groups: ['eu', 'testers'] },
    edi: { role: 'developer', groups: ['eu'] },
    mara: { role: 'developer', groups: ['admin', 'payers'] },
    aud: { role: 'viewer', groups: ['auditors', 'testers'] },
  };
  for (const [name, more] of Object.entries(people))
    tokens[name] = await served.person('default', name, more);
});
afterAll(() => served.stop());

const BASE = '/plinth/tenants/default/data-products/default-guarded/api/v1';
const post = (who: string, path: string, body: unknown): Promise<Answer> =>
  served.ask(tokens[who] ?? '', 'POST', `${BASE}${path}`, { body });
const get = (who: string, path: string): Promise<Answer> =>
  served.ask(tokens[who] ?? '', 'GET', `${BASE}${path}`);
const said = ({ body, status }: Answer): unknown => [status, { ...body, correlation_id: '' }];

describe('other environments than the default one', () => {
  const doors: Readonly<Record<string, (who: string, environment: string) => Promise<Answer>>> = {
    'a statement': (who, environment) =>
      post(who, '/query/statement', { sql: 'SELECT 1 AS a', environment, wait: 10 }),
    'a semantic question': (who, environment) =>
      post(who, '/query/semantic/rest', { query: { measures: ['people.spend'] }, environment }),
    'a metric': (who, environment) => get(who, `/query/metric/paid?environment=${environment}`),
    GraphQL: (who, environment) =>
      post(who, '/query/semantic/graphql', { query: '{ _meta { environment } }', environment }),
    'a text that is not run': (who, environment) =>
      post(who, '/query/transpile', { query: { measures: ['people.spend'] }, environment }),
    'the product': (who, environment) => get(who, `/metadata?environment=${environment}`),
    models: (who, environment) => get(who, `/metadata/models?environment=${environment}`),
    semantics: (who, environment) => get(who, `/metadata/semantic?environment=${environment}`),
    lineage: (who, environment) => get(who, `/metadata/lineage?environment=${environment}`),
    search: (who, environment) => get(who, `/metadata/search?q=a&environment=${environment}`),
    changes: (who, environment) => get(who, `/metadata/changes?environment=${environment}`),
    export: (who, environment) => get(who, `/metadata/export?format=odcs&environment=${environment}`),
    events: (who, environment) => get(who, `/activity?environment=${environment}`),
    plans: (who, environment) => get(who, `/activity/plans?environment=${environment}`),
    runs: (who, environment) => get(who, `/activity/runs?environment=${environment}`),
    'the activity of models': (who, environment) => get(who, `/activity/models?environment=${environment}`),
    queries: (who, environment) => get(who, `/activity/queries?environment=${environment}`),
  };
  test.each(Object.entries(doors))(
    'are refused to consumers, whether they are there or not: %s',
    async (_, ask) => {
      const [dev, none] = [await ask('ann', 'dev'), await ask('ann', 'nowhere')];
      expect(dev.code).toBe('403 policy.environment');
      expect(
        said({ ...dev, body: JSON.parse(JSON.stringify(dev.body).replaceAll('dev', 'nowhere')) }),
      ).toEqual(said(none));
      expect((await ask('ann', 'prod')).code).not.toMatch(/environment/);
      for (const who of ['edi', 'tom']) expect((await ask(who, 'dev')).code).not.toMatch(/environment/);
    },
  );
  test('are not quoted to consumers: a run of another one is without its words', async () => {
    await served
      .plan(
        {
          'models/bad.sql':
            'MODEL (name dev.bad, kind FULL);\nSELECT CAST(email AS INTEGER) AS n FROM raw.people\n',
        },
        'dev',
      )
      .catch(() => undefined);
    const [run] = (await get('edi', '/activity/runs?environment=dev&status=failed')).body.items;
    const shown = async (who: string): Promise<string> =>
      JSON.stringify((await get(who, `/activity/runs/${run.id}`)).body);
    for (const who of ['ann', 'edi', 'tom']) expect(await shown(who)).not.toContain('@x.');
    expect(await shown('aud')).toContain('@x.');
    const ended = await post('edi', `/activity/runs/${run.id}/cancel`, undefined);
    expect(ended.status).toBe(200);
    expect(JSON.stringify(ended.body)).not.toContain('@x.');
    await served.plan({ 'models/bad.sql': 'MODEL (name dev.bad, kind FULL);\nSELECT 1 AS n\n' }, 'dev');
  });
});

test('a run is quoted by what it worked with, whatever its environment shows', async () => {
  const days = (more: string): string => `MODEL (name far.days, kind FULL${more});\nSELECT 1 AS day\n`;
  const files = {
    'audits/all.sql': 'AUDIT (name all_people);\nSELECT p.email FROM raw.people AS p\n',
    'models/far.sql': days(', audits (all_people)'),
  };
  for (const environment of ['dev', 'fresh']) {
    await expect(served.plan(files, environment)).rejects.toThrow();
    const [run] = (await get('edi', `/activity/runs?environment=${environment}&status=failed`)).body.items;
    const addresses = [
      `/activity/runs/${run.id}`,
      `/activity/models?environment=${environment}`,
      `/activity?environment=${environment}`,
    ];
    const told = async (who: string): Promise<string> =>
      JSON.stringify(await Promise.all(addresses.map(async (path) => (await get(who, path)).body)));
    expect(await told('mara')).toContain('@x.');
    expect(await told('edi')).not.toMatch(/@x\.|"sample"/);
  }
  await served.plan({ 'models/far.sql': days('') }, 'dev');
});

const rowsOf = ({ code, body }: Answer): unknown => (body.result === undefined ? code : body.result.rows);
const asked = async (who: string, query: unknown, environment: string): Promise<unknown> =>
  rowsOf(await post(who, '/query/semantic/rest', { query, environment }));
const table = async (who: string, sql: string, environment: string): Promise<unknown> =>
  rowsOf(await post(who, '/query/statement', { sql, environment, wait: 20 }));

describe('policies of the default environment', () => {
  const MAILS = { dimensions: ['people.email'], order: { 'people.email': 'asc' } };
  test('hold in another one, besides its own', async () => {
    expect(await asked('edi', MAILS, 'dev')).toEqual([['ann@x.eu'], ['eve@x.eu']]);
    expect(await asked('mia', MAILS, 'dev')).toEqual([['***']]);
    expect(await asked('mara', MAILS, 'dev')).toHaveLength(3);
    expect(await asked('aud', MAILS, 'dev')).toHaveLength(3);
  });
  test('close what it does not know, where that is made of what they protect', async () => {
    const copies = { dimensions: ['copies.mail'] };
    expect(await asked('mara', copies, 'dev')).toHaveLength(3);
    for (const who of ['edi', 'tom', 'mia'])
      expect(await asked(who, copies, 'dev')).toBe('403 policy.no-access');
    expect(await table('mara', 'SELECT * FROM dev.copy', 'dev')).toHaveLength(3);
    expect(await table('mia', 'SELECT id FROM dev.copy', 'dev')).toHaveLength(3);
    expect(await table('mia', 'SELECT mail FROM dev.copy', 'dev')).toBe('403 policy.model-restricted');
    expect(await table('edi', 'SELECT id FROM dev.copy', 'dev')).toBe('403 policy.model-restricted');
    expect(await table('edi', 'SELECT * FROM marts.people', 'dev')).toBe('403 policy.model-restricted');
  });
  test('and those of the other one restrict each by itself', async () => {
    await served.plan(
      {
        [SEMANTIC]: `${PEOPLE_YML}policies: [{group: '*', filter: [{member: id, operator: gt, values: [1]}], mask: [country]}]\n`,
      },
      'dev',
    );
    const query = { dimensions: ['people.id', 'people.country'], order: { 'people.id': 'asc' } };
    expect(await asked('edi', query, 'dev')).toEqual([[3, null]]);
    expect(await asked('mara', query, 'dev')).toEqual([
      [2, null],
      [3, null],
    ]);
    // In the default environment those of the other one mean nothing.
    expect(await asked('edi', query, 'prod')).toEqual([
      [1, 'EU'],
      [3, 'EU'],
    ]);
    // What a policy of the default environment names means something else there, so what it would leave is unknown.
    const other = PEOPLE_YML.replace('country,', '{name: country, expression: "\'EU\'"},');
    await served.plan({ [SEMANTIC]: other }, 'dev');
    expect(await asked('edi', query, 'dev')).toBe('403 policy.no-access');
    expect(await asked('mara', query, 'dev')).toHaveLength(3);
  });
  test('count from the moment they are planned, elsewhere too', async () => {
    await served.plan({ [SEMANTIC]: PEOPLE_YML }, 'dev');
    await served.plan({ [SEMANTIC]: PEOPLE_YML });
    expect(await asked('edi', MAILS, 'dev')).toHaveLength(3);
    await served.plan({ [SEMANTIC]: `${PEOPLE_YML}${POLICIES}` });
    expect(await asked('edi', MAILS, 'dev')).toHaveLength(2);
  });
});

/** Spoils what is stored of the semantics of the default environment; undone by a plan. */
function spoil(change: (database: DatabaseSync, plan: string) => void): void {
  const database = new DatabaseSync(join(served.folders[0] ?? '', '.plinth/state.db'));
  const [plan] = database
    .prepare("SELECT plan_id FROM promotions WHERE environment = 'prod' ORDER BY sequence DESC LIMIT 1")
    .all();
  change(database, String(plan?.['plan_id']));
  database.close();
}

describe('policies that cannot be read', () => {
  const nothing = async (): Promise<void> => {
    for (const who of ['edi', 'mara']) {
      expect(await asked(who, { measures: ['people.spend'] }, 'prod')).toBe('403 policy.unreadable');
      expect(await table(who, 'SELECT * FROM far.days', 'prod')).toBe('403 policy.model-restricted');
      expect(await table(who, 'SELECT * FROM people', 'prod')).toBe('403 policy.no-access');
      expect(await asked(who, { measures: ['people.spend'] }, 'dev')).toBe('403 policy.unreadable');
      expect((await get(who, '/metadata/semantic')).body.models).toEqual([]);
      expect(
        (await post(who, '/query/semantic/graphql', { query: '{ people { spend } }' })).body.data,
      ).toBeUndefined();
    }
    // Policies do not apply to them, and a table needs none.
    tokens['root'] = served.root;
    for (const who of ['aud', 'root'])
      expect(await table(who, 'SELECT * FROM marts.people', 'prod')).toHaveLength(3);
  };
  test('deny when their record is gone', async () => {
    spoil((database, plan) => database.prepare('DELETE FROM plans WHERE id = ?').run(plan));
    await served.restart();
    await nothing();
  });
  test('deny when their record is damaged', async () => {
    await served.plan({ [SEMANTIC]: `${PEOPLE_YML}# planned again\ndescription: again\n${POLICIES}` });
    await served.restart();
    expect(await asked('mara', { measures: ['people.spend'] }, 'prod')).toEqual([[60]]);
    spoil((database, plan) => database.prepare("UPDATE plans SET body = x'00' WHERE id = ?").run(plan));
    await served.restart();
    await nothing();
  });
  test('and are known where there were never any', async () => {
    const open = await servedPlatform(['name: open'], {});
    try {
      const ann = await open.person('default', 'ann', { role: 'viewer' });
      const path = BASE.replaceAll('guarded', 'open');
      const answer = await open.ask(ann, 'POST', `${path}/query/statement`, {
        body: { sql: 'SELECT * FROM s.m', wait: 20 },
      });
      expect(rowsOf(answer)).toEqual([[1]]);
    } finally {
      await open.stop();
    }
  });
});
