/**
 * Values of masked columns are planted where the dq group could show them: samples, groups, extremes, incidents, profiles, quarantine. Every
 * address of the group that openapi.json has is asked, and the log, as three callers; those who may see the values find them, so the
 * sweep can fail.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DataProductClient } from '../../src/client/index.ts';
import type { CheckResult } from '../../src/domain/check-result.ts';
import { check } from '../../src/operations/quality/check.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import { GUARDED_CONFIG, GUARDED_FILES } from '../support/guarded-project.ts';
import { type ServedPlatform, servedPlatform } from '../support/served-platform.ts';

/** What only masked columns hold. */
const CANARY = /(?:ann|bob|eve)@x\.(?:eu|us)/;
const BASE = '/plinth/tenants/default/data-products/default-guarded/api/v1';
const MODELS = ['raw.people', 'staging.people', 'marts.people'];

const packOf = (model: string): string => `${model.replace('.', '_')}_dq`;

const pack = (model: string): string => `kind: dq
name: ${packOf(model)}
depends_on: ${model}
profiles: '*'
rules:
  - invalid_count(email) = 0: {name: no_address, valid_values: [none], samples_limit: 5}
  - invalid_count(country) = 0: {name: no_country, valid_values: [none], samples_limit: 5}
  - group by email: {row_count > 10}
  - failed rows: {name: everybody, fail_query: "SELECT * FROM ${model}", samples_limit: 5}
  - failed rows: {name: anybody, fail_condition: "id > 0", samples_limit: 5}
  - values in (email) must exist in marts.report (country)
  - distribution(email): {against: previous, psi < 0.2}
`;

/** What rules of every kind can keep beside a sample. */
const planted: readonly CheckResult[] = MODELS.flatMap((model, index) =>
  [['email'], undefined].map(
    (columns, nth): CheckResult => ({
      id: `c_planted.0000${index * 2 + nth}`,
      ...{ environment: 'prod', runId: 'c_planted', trigger: 'demand', at: 1, ms: 1, dataVersion: '1' },
      ...{ check: `${packOf(model)}/no_address/${nth}`, pack: packOf(model), rule: 'no_address', model },
      ...(columns === undefined ? {} : { columns }),
      ...{ dimension: 'validity', severity: 'error', outcome: 'fail', value: 3, expected: 'nothing' },
      reason: 'there is ann@x.eu',
      groups: [{ key: ['bob@x.us'], value: 1, outcome: 'fail' }],
      shares: [{ bin: 'eve@x.eu', share: 1 }],
      sql: "SELECT 'ann@x.eu'",
      sample: { columns: ['email'], rows: [['eve@x.eu']], isPart: false },
    }),
  ),
);

let served: ServedPlatform;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  const packs = Object.fromEntries(MODELS.map((model) => [`dq/${model}.yml`, pack(model)]));
  const files = { ...GUARDED_FILES, ...packs };
  served = await servedPlatform([GUARDED_CONFIG], files);
  await served.plan(files);
  tokens['owner'] = await served.person('default', 'ona', { role: 'admin', groups: ['admin'] });
  tokens['masked'] = await served.person('default', 'max', { role: 'viewer', groups: ['masked'] });
  tokens['filtered'] = await served.person('default', 'eur', { role: 'viewer', groups: ['eu'] });
  const platform = await openPlatform({
    folders: served.folders,
    variables: {},
    executionTime: Date.UTC(2026, 0, 2),
  });
  for (const { world } of platform.products) {
    await world.state.quality.recordResults(planted, []);
    for await (const event of check(world, { environment: 'prod', trigger: 'demand' }))
      expect(event.event).not.toBe('checks.failed');
  }
  await platform.close();
});
afterAll(() => served?.stop());

const ask = (who: string, path: string) => served.ask(tokens[who] as string, 'GET', `${BASE}${path}`);

/** Every address of the group, with ids of what the owner finds in the list above. */
async function addresses(): Promise<readonly string[]> {
  const { body } = await ask('owner', '/openapi.json');
  const found: string[] = [];
  for (const [path, methods] of Object.entries<Record<string, { tags?: string[] }>>(body.paths)) {
    if (methods['get']?.tags?.[0] !== 'dq') continue;
    const [list, rest] = path.split('/{id}');
    if (rest === undefined)
      found.push(`${path}?limit=1000`, ...MODELS.map((model) => `${path}?model=${model}`));
    else {
      const { items = [] } = (await ask('owner', `${list}?limit=1000`)).body;
      found.push(...items.map(({ id }: { id: string }) => `${list}/${id}${rest}`));
    }
  }
  return [...found, '/activity?limit=1000', '/activity/runs?limit=100'];
}

describe('values of masked columns', () => {
  test('are found by their owner, in samples, groups and results', async () => {
    const told: string[] = [];
    for (const path of await addresses()) {
      const { body } = await ask('owner', path);
      if (CANARY.test(JSON.stringify(body))) told.push(path);
    }
    for (const place of [
      /^\/dq\/results\/c_.*\/sample$/,
      /^\/dq\/results\?/,
      /^\/dq\/rules\/d_/,
      /^\/dq\/incidents\/i_/,
    ])
      expect(
        told.some((path) => place.test(path)),
        String(place),
      ).toBe(true);
  });

  test.each(['masked', 'filtered'])('are in nothing that a %s reader is told', async (who) => {
    const every = await addresses();
    expect(every.length).toBeGreaterThan(40);
    const statuses: number[] = [];
    for (const path of every) {
      const { status, body } = await ask(who, path);
      expect(JSON.stringify(body), path).not.toMatch(CANARY);
      expect(status, path).toBeLessThan(500);
      statuses.push(status);
    }
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(40);
  });

  test('are in nothing that the client gives a masked reader', async () => {
    const { dq } = new DataProductClient({
      fqdn: served.url,
      dpName: 'guarded',
      tenant: 'default',
      accessToken: tokens['masked'] as string,
    });
    const told: unknown[] = [await dq.getSummary()];
    for await (const rule of dq.iterRules({ limit: 5 }))
      told.push(rule, await dq.getRule(String(rule['id'])));
    for await (const result of dq.iterResults({ limit: 5 }))
      told.push(result, await dq.getResultSample(String(result['id'])));
    for await (const incident of dq.iterIncidents({ limit: 5 }))
      told.push(incident, await dq.getIncident(String(incident['id'])));
    expect(told.length).toBeGreaterThan(40);
    expect(JSON.stringify(told)).not.toMatch(CANARY);
  });

  test('are in no reason of a gate, which blocks all the same', async () => {
    const decide = async (who: string, ...refs: readonly string[]) =>
      (await served.ask(tokens[who] as string, 'POST', `${BASE}/dq/gate`, { body: { refs } })).body;
    for (const who of ['owner', 'masked', 'filtered']) {
      const blocked = await decide(who, 'raw.people');
      expect(blocked.decision).toBe('block');
      expect(blocked.reasons.map(({ kind }: { kind: string }) => kind)).toEqual(
        expect.arrayContaining(['check', 'incident']),
      );
      expect(JSON.stringify(blocked)).not.toMatch(CANARY);
      // What it is made of counts, and what is beside it does not.
      expect((await decide(who, 'side.ages')).decision).toBe('block');
      expect(await decide(who, 'far.days')).toMatchObject({
        decision: 'allow',
        reasons: [],
        models: ['far.days'],
      });
    }
  });

  test('are left out of samples whose other columns stay', async () => {
    const sampled = async (who: string): Promise<Record<string, unknown>> => {
      const { body } = await ask(who, '/dq/results?model=raw.people&check=raw_people_dq/no_country');
      return (await ask(who, `/dq/results/${body.items[0].id}/sample`)).body;
    };
    expect((await sampled('owner'))['columns']).toContain('email');
    const { columns, rows, withheld } = await sampled('masked');
    expect(columns).toContain('country');
    expect(columns).not.toContain('email');
    expect([rows, withheld]).toEqual([expect.arrayContaining([expect.arrayContaining(['EU'])]), false]);
    expect(await sampled('filtered')).toMatchObject({ columns: [], rows: [], withheld: true });
  });
});
