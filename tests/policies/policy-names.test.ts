/** What a policy hides answers as what does not exist, at every address and in every place of a question; permission comes first. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GUARDED_CONFIG, GUARDED_FILES } from '../support/guarded-project.ts';
import { type Answer, type ServedPlatform, servedPlatform } from '../support/served-platform.ts';

let served: ServedPlatform;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  served = await servedPlatform([GUARDED_CONFIG], GUARDED_FILES);
  for (const [name, groups] of Object.entries({ ann: ['eu'], mara: ['admin'] }))
    tokens[name] = await served.person('default', name, { role: 'viewer', groups });
});
afterAll(() => served.stop());

const BASE = '/plinth/tenants/default/data-products/default-guarded/api/v1';
const post = (who: string, path: string, body: unknown): Promise<Answer> =>
  served.ask(tokens[who] ?? '', 'POST', `${BASE}${path}`, { body });
const get = (who: string, path: string): Promise<Answer> =>
  served.ask(tokens[who] ?? '', 'GET', `${BASE}${path}`);

/** All that is said, without the name that was asked and what differs from request to request. */
function saidOf({ status, body }: Answer, name: string): unknown {
  const { correlation_id: _, ...said } = body as Record<string, unknown>;
  return [status, JSON.parse(JSON.stringify(said).replaceAll(name, 'NAME'))];
}

const rest = (query: unknown) => (who: string, name: string) =>
  post(who, '/query/semantic/rest', { query: JSON.parse(JSON.stringify(query).replaceAll('NAME', name)) });
const statement = (sql: string) => (who: string, name: string) =>
  post(who, '/query/statement', { sql: sql.replaceAll('NAME', name), wait: 10 });
const semanticSql = (sql: string) => (who: string, name: string) =>
  post(who, '/query/semantic/sql', { sql: sql.replaceAll('NAME', name) });

const PEOPLE = { measures: ['people.spend'] };
const filter = (member: string) => [{ member, operator: 'equals', values: [1] }];
const PLACES: Readonly<Record<string, (who: string, name: string) => Promise<Answer>>> = {
  measures: rest({ measures: ['NAME.amount'] }),
  'a misspelled measure': rest({ measures: ['NAME.amoun'] }),
  'a measure beside': rest({ measures: ['people.spend', 'NAME.amount'] }),
  dimensions: rest({ ...PEOPLE, dimensions: ['NAME.id'] }),
  filters: rest({ ...PEOPLE, filters: filter('NAME.id') }),
  'a filter of the wrong type': rest({
    ...PEOPLE,
    filters: [{ member: 'NAME.id', operator: 'gt', values: ['x'] }],
  }),
  'filters in groups': rest({
    ...PEOPLE,
    filters: [{ or: [...filter('people.id'), ...filter('NAME.amount')] }],
  }),
  order: rest({ ...PEOPLE, order: { 'NAME.amount': 'asc' } }),
  segments: rest({ ...PEOPLE, segments: ['NAME.some'] }),
  'time dimensions': rest({ ...PEOPLE, timeDimensions: [{ dimension: 'NAME.paid_on', granularity: 'day' }] }),
  'a bad granularity': rest({
    ...PEOPLE,
    timeDimensions: [{ dimension: 'NAME.paid_on', granularity: 'epoch' }],
  }),
  'join hints': rest({ ...PEOPLE, joinHints: [['NAME']] }),
  'a table of SQL': statement('SELECT * FROM NAME'),
  'a table beside models': statement('SELECT * FROM far.days, NAME'),
  'a table in a sub-query': statement('SELECT (SELECT count(*) FROM NAME) AS n'),
  'a table of SQL with functions of semantics': statement('SELECT MEASURE(amount) AS m FROM NAME'),
  'a table of semantic SQL': semanticSql('SELECT amount FROM NAME'),
  'a join of semantic SQL': semanticSql('SELECT spend FROM people CROSS JOIN NAME'),
  'a column of semantic SQL': semanticSql('SELECT NAME.amount FROM people'),
  'SQL only the engine reads': statement('SELECT * FROM NAME USING SAMPLE 1 ROWS'),
  'a question that is not run': (who, name) =>
    post(who, '/query/transpile', { query: { measures: [`${name}.amount`] } }),
  GraphQL: (who, name) => post(who, '/query/semantic/graphql', { query: `{ ${name} { amount } }` }),
  lineage: (who, name) => get(who, `/metadata/lineage?ref=semantic:${name}`),
  impact: (who, name) => get(who, `/metadata/impact?ref=semantic:${name}`),
  'the rollup of one': statement('SELECT * FROM rollups.NAME__all'),
};

test('what was asked most names no rollup', async () => {
  const read = await served.ask(served.root, 'POST', `${BASE}/query/statement`, {
    body: { sql: 'SELECT * FROM rollups.pay__all, far.days', wait: 20 },
  });
  expect(read.body.status).toBe('SUCCESS');
  for (const who of ['ann', 'mara']) {
    const { body } = await get(who, '/metadata');
    expect(body.usage.queries.models.map(({ model }: { readonly model: string }) => model)).toEqual([
      'far.days',
    ]);
  }
});

test('a member that is not public is named to none, also where nothing else is hidden', async () => {
  for (const who of ['ann', 'mara'])
    for (const path of [
      '/metadata/impact?ref=marts.people.spend&change=drop',
      '/metadata/lineage?ref=marts.people.spend',
      '/metadata/semantic',
    ])
      expect(JSON.stringify((await get(who, path)).body), `${who} ${path}`).not.toMatch(
        /hidden_spend|inside/,
      );
  const [hidden, absent] = await Promise.all(
    ['inside', 'nowhere'].map((name) =>
      get('mara', `/metadata/impact?ref=semantic:people.${name}&change=drop`),
    ),
  );
  expect([hidden?.code, absent?.code]).toEqual([absent?.code, hidden?.code]);
});

describe('a hidden semantic model and none', () => {
  test.each(Object.entries(PLACES))('answer alike in %s', async (place, ask) => {
    const [hidden, absent] = [await ask('ann', 'pay'), await ask('ann', 'zzz')];
    expect(saidOf(hidden, 'pay')).toEqual(saidOf(absent, 'zzz'));
    expect(JSON.stringify(saidOf(hidden, 'pay'))).not.toMatch(/\bpay\b|amount\?|did you mean/i);
    if (!/GraphQL|lineage|impact|a column/.test(place)) expect(hidden.code).toBe('403 policy.no-access');
  });
  test('are told apart for whom nothing is hidden from', async () => {
    const ask = PLACES['measures'] as (who: string, name: string) => Promise<Answer>;
    expect((await ask('mara', 'pay')).code).toBe('200');
    const absent = await ask('mara', 'pa');
    expect(absent.code).toBe('422 semantic.unknown-semantic-model');
    expect(absent.body.errors[0].hint).toBe('did you mean pay?');
    expect((await statement('SELECT * FROM NAME')('mara', 'zzz')).code).toBe('422 query.unknown-model');
  });
});

const METRICS: Readonly<Record<string, (who: string, name: string) => Promise<Answer>>> = {
  'its address': (who, name) => post(who, `/query/metric/${name}`, {}),
  'its address, asked by GET': (who, name) => get(who, `/query/metric/${name}?granularity=day`),
  'its address, with a wrong column': (who, name) =>
    post(who, `/query/metric/${name}`, { dimensions: ['x'] }),
  measures: rest({ measures: ['NAME'] }),
  'measures with a dot': rest({ measures: ['NAME.measure'] }),
  dimensions: rest({ ...PEOPLE, dimensions: ['NAME.ts'] }),
  'a table of SQL': statement('SELECT * FROM NAME'),
};

test.each(Object.entries(METRICS))('a hidden metric and none answer alike in %s', async (_, ask) => {
  const [hidden, absent] = [await ask('ann', 'paid'), await ask('ann', 'zzzz')];
  expect(saidOf(hidden, 'paid')).toEqual(saidOf(absent, 'zzzz'));
  expect(hidden.code).toBe('403 policy.no-access');
});

describe('members that are not public', () => {
  const asked: Readonly<Record<string, (who: string, name: string) => Promise<Answer>>> = {
    measures: rest({ measures: ['people.NAME'] }),
    filters: rest({ ...PEOPLE, filters: filter('people.NAME') }),
    order: rest({ ...PEOPLE, dimensions: ['people.country'], order: { 'people.NAME': 'asc' } }),
    'semantic SQL': semanticSql('SELECT NAME FROM people'),
    'an aggregate of semantic SQL': semanticSql('SELECT MEASURE(NAME) FROM people'),
    GraphQL: (who, name) => post(who, '/query/semantic/graphql', { query: `{ people { ${name} } }` }),
  };
  test.each(Object.entries(asked))('answer as unknown ones, to every caller, in %s', async (_, ask) => {
    for (const who of ['ann', 'mara', 'root']) {
      tokens['root'] = served.root;
      const [hidden, absent] = [await ask(who, 'hidden_spend'), await ask(who, 'absent_spend')];
      expect(saidOf(hidden, 'hidden_spend')).toEqual(saidOf(absent, 'absent_spend'));
      expect(hidden.body.code ?? hidden.body.errors[0].extensions.code).not.toMatch(/^policy/);
    }
    const dimension = await rest({ ...PEOPLE, dimensions: ['people.inside'] })('mara', '');
    expect(dimension.code).toBe('422 semantic.unknown-member');
  });
  test('are in no star and in no suggestion', async () => {
    const star = await semanticSql('SELECT * FROM people')('mara', '');
    expect(star.body.result.cols.map(({ name }: { readonly name: string }) => name)).not.toContain(
      'hidden_spend',
    );
    const near = await rest({ measures: ['people.hidden_spen'] })('mara', '');
    expect(JSON.stringify(near.body)).not.toContain('hidden_spend');
  });
});
