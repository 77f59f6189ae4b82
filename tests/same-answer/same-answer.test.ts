/*
 * One question, every door, one answer: REST, semantic SQL, statements, GraphQL, metrics, the command line, both clients and
 * every format of a result, cell by cell, for people who see different rows. Questions are drawn; PLINTH_CAMPAIGN=1 draws
 * many more, with a seed of their own, which a failure tells.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SemanticQuery } from '../../src/domain/semantic-query.ts';
import { ODD_METRICS, ODD_PROJECT, ODD_WORDS } from '../e2e/odd-project.ts';
import { pythonVenv } from '../e2e/python-venv.ts';
import { newToken, servedProject } from '../e2e/served-project.ts';
import {
  graphqlOf,
  graphqlPaths,
  restOf,
  SHOP_WORDS,
  type ShopFilter,
  type ShopQuestion,
  shopFiles,
  sqlOf,
  type Words,
} from '../e2e/shop-questions.ts';
import { IS_LONG } from '../support/long-form.ts';
import {
  type Answer,
  Doors,
  flat,
  type Json,
  type Person,
  type Rows,
  typescript,
} from './same-answer-doors.ts';

const RUNS = IS_LONG ? { numRuns: 400 } : { numRuns: 12, seed: 20_251_117 };
/** The command line starts a process each time. */
const CLI_EVERY = IS_LONG ? 5 : 4;
const TIMEOUT_MS = IS_LONG ? 3_600_000 : 240_000;

const python = await pythonVenv('3.13');
if (python.kind === 'missing') console.error(`NOT TESTED: ${python.reason}`);
const hasTables = python.kind === 'ready' && python.libraries.includes('pyarrow');

const sorted = (rows: Rows): readonly string[] => rows.map((row) => JSON.stringify(row)).toSorted();

/** Questions about one of the roots; what cuts rows off says which ones, so that every door cuts the same. */
function questions(words: readonly Words[]): fc.Arbitrary<ShopQuestion> {
  return fc.constantFrom(...words).chain(({ root, dimensions, measures, segments, filters }) =>
    fc
      .record({
        dimensions: fc.uniqueArray(fc.constantFrom(...dimensions), { maxLength: 4 }),
        measures: fc.uniqueArray(fc.constantFrom(...measures), { maxLength: 3 }),
        filters: fc.uniqueArray(fc.constantFrom(...filters), { maxLength: 2 }),
        either: fc.oneof(
          { weight: 3, arbitrary: fc.constant<ShopFilter[]>([]) },
          {
            weight: 1,
            arbitrary: fc.uniqueArray(fc.constantFrom(...filters), { minLength: 2, maxLength: 3 }),
          },
        ),
        segments: fc.subarray([...segments]),
        ways: fc.array(fc.constantFrom('asc' as const, 'desc' as const), { minLength: 4, maxLength: 4 }),
        isOrdered: fc.boolean(),
        limit: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
        offset: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
        timezone: fc.option(fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'UTC'), {
          nil: undefined,
          freq: 3,
        }),
      })
      .map(({ ways, isOrdered, limit, offset, timezone, segments: chosen, either, ...drawn }) => ({
        root,
        ...drawn,
        measures: drawn.measures.length + drawn.dimensions.length === 0 ? ['count'] : drawn.measures,
        // Conditions on measures cannot be alternatives of conditions on rows.
        ...(either.some(({ member }) => measures.includes(member)) ? {} : { either }),
        ...(chosen.length === 0 ? {} : { segments: chosen }),
        ...(timezone === undefined ? {} : { timezone }),
        ...(isOrdered && drawn.dimensions.length > 0
          ? {
              order: drawn.dimensions.map((dimension, i) => [dimension, ways[i] ?? 'asc'] as const),
              ...(limit === undefined ? {} : { limit }),
              ...(limit === undefined || offset === undefined ? {} : { offset }),
            }
          : {}),
      })),
  );
}

interface Asked {
  readonly doors: Doors;
  readonly person: Person;
  readonly isSpoken: boolean;
}

/** What came by another door must be what came by REST. */
function same(
  door: string,
  found: Answer | { readonly rows: Rows } | { readonly code: string },
  rest: Answer,
  how: (rows: Rows) => unknown = (rows) => rows,
): void {
  if (rest.kind === 'refused') {
    expect(found, door).toMatchObject({ code: rest.code });
    return;
  }
  expect('rows' in found ? 'rows' : found, door).toBe('rows');
  if ('rows' in found) expect(how(found.rows), door).toEqual(how(rest.rows));
}

/** What is said of columns, but for their names, which are the asker's. */
function sameColumns(door: string, found: Answer, rest: Answer): void {
  const facts = (answer: Answer): unknown =>
    answer.kind === 'refused' ? answer.code : answer.cols.map(({ name: _, ...column }) => column);
  expect(facts(found), `${door}: columns`).toEqual(facts(rest));
}

/** Formats, pages and clients of one statement. */
async function compareFiles(rest: Answer, { doors, person }: Asked): Promise<void> {
  if (rest.kind === 'refused') return;
  const { csv, ndjson } = await doors.files(person, rest.id ?? '');
  expect(ndjson, 'ndjson').toEqual(rest.rows);
  const read = (text: string | undefined, type: string): unknown => {
    if (text === undefined) return null;
    return type === 'float' && !/N|I/.test(text) ? Number(text) : text;
  };
  expect(
    csv.map((row) => row.map((text, i) => read(text, rest.cols[i]?.type ?? ''))),
    'csv',
  ).toEqual(
    rest.rows.map((row) =>
      row.map((cell, i) =>
        cell === null || (rest.cols[i]?.type === 'float' && typeof cell === 'number') ? cell : String(cell),
      ),
    ),
  );
}

function comparePython(answer: Json, rest: Answer): void {
  if (rest.kind === 'refused') {
    expect(answer, 'Python').toMatchObject({ refused: { code: rest.code } });
    return;
  }
  expect(answer['rows'], 'Python').toEqual(rest.rows);
  expect(answer['integers'], 'Python has integers').toBe(true);
  for (const form of ['frame', 'arrow', 'parquet'])
    expect(answer[form], `Python: ${form}`).toEqual(rest.rows);
  expect(answer['parquet_types']).not.toContain('null');
  expect(
    (answer['parquet_types'] as readonly string[]).map((type) => type.replace('large_', '')),
    'types of Parquet and Arrow',
  ).toEqual(answer['arrow_types']);
}

async function compareQuestion(question: ShopQuestion, asked: Asked): Promise<Answer> {
  const { doors, person, isSpoken } = asked;
  const query = restOf(question);
  const rest = await doors.http(person, '/query/semantic/rest', { query, cache: false });
  const graphql = { query: graphqlOf(question), root: question.root, paths: graphqlPaths(question) };
  same('GraphQL', await doors.graphql(person, graphql), rest);
  same('TypeScript', await typescript(() => doors.client(person).query.querySemantic(query)), rest);
  const sql = sqlOf(question);
  if (sql !== undefined) {
    const how = question.order === undefined ? sorted : undefined;
    const bySql = await doors.http(person, '/query/semantic/sql', { sql, cache: false });
    same(`SQL: ${sql}`, bySql, rest, how);
    // In a time zone SQL computes what it shows.
    if (question.timezone === undefined) sameColumns(`SQL: ${sql}`, bySql, rest);
    same('statement', await doors.statement(person, sql), bySql);
    if (doors.hasPython && rest.kind === 'rows') {
      const run = await doors.python(person, { kind: 'sql', sql });
      same('Python: SQL', run as { readonly rows: Rows }, rest, how);
    }
  }
  await compareFiles(rest, asked);
  if (doors.hasPython) {
    comparePython(await doors.python(person, { kind: 'semantic', query }), rest);
    const { data } = await doors.python(person, { kind: 'graphql', query: graphql.query });
    same('Python: GraphQL', flat(data as Json, graphql.root, graphql.paths), rest);
  }
  if (isSpoken) {
    const how = question.order === undefined ? sorted : undefined;
    const spoken = await doors.cli(person, ['--query', JSON.stringify(query)]);
    same('command line', spoken, rest, how);
    if (spoken.kind === 'rows' && rest.kind === 'rows')
      expect(spoken.cols.map(({ name, engine_type }) => [name, engine_type])).toEqual(
        rest.cols.map(({ name, engine_type }) => [name, engine_type]),
      );
  }
  return rest;
}

const GROUPS = { odd: ['all', 'eu', 'few'], shop: ['admin', 'eu_analyst', 'us_analyst'] } as const;
type World = keyof typeof GROUPS;

const SERVED: Readonly<Record<World, () => Promise<Readonly<Record<string, string>>>>> = {
  odd: () => Promise.resolve(ODD_PROJECT),
  shop: shopFiles,
};
const LIMITS = '\nserver: {limits: {requests_per_second: 100000}}\n';

/** The doors of a world for the tests of one block, and people of each of its groups. */
function opened(world: World): { readonly doors: () => Doors; readonly people: readonly Person[] } {
  const people: Person[] = [];
  let doors: Doors | undefined;
  beforeAll(async () => {
    const files = await SERVED[world]();
    const config = `${files['config.yaml']}${LIMITS}`;
    const served = await servedProject({ ...files, 'config.yaml': config }, async (project) => {
      for (const group of GROUPS[world]) {
        await project.json('user', 'create', `of_${group}`, '--group', group, '--role', 'viewer');
        people.push({ group, token: await newToken(project, '--user', `of_${group}`) });
      }
    });
    doors = new Doors(served, python.kind === 'ready' && hasTables ? python : undefined);
  }, 300_000);
  afterAll(() => doors?.close());
  return { doors: () => doors as Doors, people };
}

describe.each([
  ['odd', ODD_WORDS],
  ['shop', SHOP_WORDS],
] as const)('questions about %s', (world, words) => {
  const { doors, people } = opened(world);
  // Each question to the shop takes three times as long.
  const numRuns = world === 'shop' ? RUNS.numRuns / 2 : RUNS.numRuns;

  test(
    'have one answer, whoever asks and however',
    async () => {
      const seen = { rows: 0, empty: 0, refused: 0 };
      let count = 0;
      const whose = fc.integer({ min: 0, max: people.length - 1 });
      await fc.assert(
        fc.asyncProperty(questions(words), whose, async (question, who) => {
          const isSpoken = count++ % CLI_EVERY === 0;
          const asked = { doors: doors(), person: people[who] as Person, isSpoken };
          const answer = await compareQuestion(question, asked);
          seen[answer.kind === 'refused' ? 'refused' : answer.rows.length === 0 ? 'empty' : 'rows']++;
        }),
        { ...RUNS, numRuns },
      );
      // Otherwise there would be nothing that differs.
      expect(seen.rows, JSON.stringify(seen)).toBeGreaterThan(numRuns / 3);
    },
    TIMEOUT_MS,
  );

  test.runIf(world === 'odd')('can have all that semantic queries have, in GraphQL, too', async () => {
    const source = readFileSync(join(import.meta.dirname, '../../src/domain/semantic-query.ts'), 'utf8');
    const [, body = ''] = /export interface SemanticQuery \{([\s\S]*?)\n\}/.exec(source) ?? [];
    const fields = [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name]) => name);
    expect(Object.keys(FIELDS).toSorted()).toEqual(fields.toSorted());
    for (const each of Object.values(FIELDS).flat())
      await compareField(each, { doors: doors(), person: people[0] as Person, isSpoken: false });
  });

  test.runIf(world === 'odd')(
    'about what is denied are refused by every door; what is not public is not shown',
    async () => {
      const [, eu] = people as readonly [Person, Person];
      const names = async (person: Person): Promise<string> =>
        JSON.stringify(
          await doors()
            .client(person)
            .query.queryGraphql(
              '{ __schema { types { name fields { name } inputFields { name } enumValues { name } } } }',
            ),
        );
      for (const person of people) expect(await names(person)).not.toContain('inner_secret');
      expect(await names(people[0] as Person)).toContain('alone');
      expect(await names(eu)).not.toContain('alone');
      const sql = 'SELECT alone_id FROM alone';
      const refusals = [
        await doors().http(eu, '/query/semantic/rest', { query: { dimensions: ['alone.alone_id'] } }),
        await doors().http(eu, '/query/semantic/sql', { sql }),
        await doors().statement(eu, sql),
        await doors().cli(eu, ['--dimensions', 'alone.alone_id']),
      ];
      expect(refusals).toEqual(Array(4).fill({ kind: 'refused', code: 'policy.no-access' }));
      const query = '{ alone { alone_id } }';
      expect(await doors().graphql(eu, { query, root: 'alone', paths: [] })).toEqual({
        code: 'graphql.invalid',
      });
    },
  );

  test.runIf(world === 'odd')(
    'of metrics have one answer, whoever asks and however',
    async () => {
      const drawn = fc.constantFrom(...ODD_METRICS).chain(({ name, dimensions, granularities, range }) =>
        fc.record({
          name: fc.constant(name),
          dimensions: fc.subarray([...dimensions]),
          granularity: fc.option(fc.constantFrom(...granularities), { nil: undefined }),
          dateRange: fc.option(fc.constant(range), { nil: undefined }),
          timezone: fc.option(fc.constantFrom('Europe/Berlin', 'Asia/Kolkata'), { nil: undefined }),
          limit: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
          way: fc.constantFrom('asc' as const, 'desc' as const),
          isEarly: fc.boolean(),
        }),
      );
      let count = 0;
      const whose = fc.integer({ min: 0, max: people.length - 1 });
      await fc.assert(
        fc.asyncProperty(drawn, whose, async (question, who) => {
          const isSpoken = count++ % CLI_EVERY === 0;
          await compareMetric(question, { doors: doors(), person: people[who] as Person, isSpoken });
        }),
        RUNS,
      );
    },
    TIMEOUT_MS,
  );
});

/** A question that has one field of semantic queries, in both spellings; `by` is its root. */
interface FieldCase {
  readonly rest: Json;
  readonly by: string;
  readonly args: string;
  readonly paths: readonly (readonly string[])[];
  /** What the statement says besides its rows. */
  readonly told?: Json;
}

const TIERS = { dimensions: ['accounts.tier'], measures: ['facts.count'], order: [['accounts.tier', 'asc']] };
const tiers = (rest: Json, args: string, told: Json = {}): FieldCase => ({
  rest: { ...TIERS, ...rest },
  by: 'facts',
  args: `orderBy: [{accounts: {tier: asc}}], ${args}`,
  paths: [['accounts', 'tier'], ['count']],
  told,
});
const RANGES = [
  ['2024-01-01', '2024-01-31'],
  ['2024-02-01', '2024-02-29'],
];

/** A field that semantic queries get and this lacks is a failure: GraphQL must have it, too. */
const FIELDS: Readonly<Record<keyof SemanticQuery, readonly FieldCase[]>> = {
  measures: [tiers({}, '')],
  dimensions: [tiers({}, '')],
  segments: [tiers({ segments: ['facts.early'] }, 'segments: [early]')],
  filters: [
    tiers(
      { filters: [{ member: 'accounts.score', operator: 'gt', values: ['9007199254740991'] }] },
      'where: {accounts: {score: {gt: "9007199254740991"}}}',
    ),
  ],
  timeDimensions: [
    tiers(
      { timeDimensions: [{ dimension: 'facts.logged_at', dateRange: ['2024-03-31', '2024-04-01'] }] },
      'where: {logged_at: {inDateRange: ["2024-03-31", "2024-04-01"]}}',
    ),
    {
      rest: {
        measures: ['facts.count', 'facts.total'],
        dimensions: ['facts.is_open'],
        timeDimensions: [{ dimension: 'facts.happened_on', granularity: 'month', compareDateRange: RANGES }],
        order: [
          ['facts.is_open', 'asc'],
          ['facts.happened_on.month', 'asc'],
        ],
      },
      by: 'facts',
      args: `compareDateRange: {happened_on: ${JSON.stringify(RANGES)}}, orderBy: [{is_open: asc}, {happened_on: {month: asc}}]`,
      paths: [['compareDateRange'], ['is_open'], ['happened_on', 'month'], ['count'], ['total']],
    },
    {
      rest: {
        measures: ['facts.count'],
        dimensions: ['accounts.tier'],
        timeDimensions: [
          {
            dimension: 'accounts.opened_on',
            compareDateRange: [['2020-01-01', '2020-12-31'], 'last 10 years'],
          },
        ],
        order: { 'accounts.tier': 'desc' },
      },
      by: 'facts',
      args: 'compareDateRange: {accounts: {opened_on: [["2020-01-01", "2020-12-31"], "last 10 years"]}}, orderBy: {accounts: {tier: desc}}',
      paths: [['compareDateRange'], ['accounts', 'tier'], ['count']],
    },
    {
      rest: {
        measures: ['monthly_total.measure'],
        dimensions: ['monthly_total.ts.month'],
        timeDimensions: [{ dimension: 'monthly_total.ts', compareDateRange: RANGES }],
      },
      by: 'monthly_total',
      args: `granularity: month, compareDateRange: ${JSON.stringify(RANGES)}`,
      paths: [['compareDateRange'], ['ts'], ['measure']],
    },
  ],
  order: [
    {
      rest: {
        ...TIERS,
        order: [
          ['facts.count', 'desc'],
          ['accounts.tier', 'asc'],
        ],
      },
      by: 'facts',
      args: 'orderBy: [{count: desc}, {accounts: {tier: asc}}]',
      paths: [['accounts', 'tier'], ['count']],
    },
  ],
  limit: [tiers({ limit: 2 }, 'limit: 2')],
  offset: [tiers({ limit: 2, offset: 1 }, 'limit: 2, offset: 1')],
  timezone: [
    {
      rest: {
        measures: ['facts.count'],
        dimensions: ['facts.sent_at.day'],
        timezone: 'Asia/Kolkata',
        order: [['facts.sent_at.day', 'asc']],
      },
      by: 'facts',
      args: 'timezone: "Asia/Kolkata", orderBy: [{sent_at: {day: asc}}]',
      paths: [['sent_at', 'day'], ['count']],
    },
  ],
  total: [tiers({ limit: 2, total: true }, 'limit: 2, total: true', { total: 4 })],
  ungrouped: [
    {
      rest: {
        dimensions: ['accounts.account_id', 'accounts.tier'],
        measures: ['accounts.scores'],
        ungrouped: true,
        order: [['accounts.account_id', 'asc']],
      },
      by: 'accounts',
      args: 'ungrouped: true, orderBy: [{account_id: asc}]',
      paths: [['account_id'], ['tier'], ['scores']],
    },
  ],
  joinHints: [
    tiers({ joinHints: [['facts', 'accounts']] }, 'joinHints: [["facts", "accounts"]]'),
    tiers({ joinHints: [['nowhere']] }, 'joinHints: [["nowhere"]]'),
  ],
  unreachableFilters: ['ignore', 'refuse'].map((how) => ({
    rest: {
      measures: ['monthly_total.measure'],
      dimensions: ['monthly_total.ts.month'],
      segments: ['alone.first'],
      unreachableFilters: how,
    },
    by: 'monthly_total',
    args: `granularity: month, segments: [alone__first], unreachableFilters: ${how}`,
    paths: [['ts'], ['measure']],
    told: how === 'ignore' ? { notes: [expect.stringContaining('alone.first')] } : {},
  })),
};

async function compareField(
  { rest, by, args, paths, told = {} }: FieldCase,
  { doors, person }: Asked,
): Promise<void> {
  const answer = await doors.http(person, '/query/semantic/rest', { query: rest });
  const selection = paths.map((path) => `${path.join(' { ')}${' }'.repeat(path.length - 1)}`).join(' ');
  const { data, errors, extensions } = await doors
    .client(person)
    .query.queryGraphql(`{ ${by}(${args}) { ${selection} } }`);
  const found = flat({ data, errors }, by, paths);
  same(args, found, answer);
  if (answer.kind === 'rows') {
    expect(answer.rows.length, args).toBeGreaterThan(1);
    expect((extensions as Json)['statements'], args).toMatchObject([told]);
  }
}

interface MetricQuestion {
  readonly name: string;
  readonly dimensions: readonly string[];
  readonly granularity: string | undefined;
  readonly dateRange: readonly [string, string] | undefined;
  readonly timezone: string | undefined;
  readonly limit: number | undefined;
  readonly way: 'asc' | 'desc';
  readonly isEarly: boolean;
}

async function compareMetric(question: MetricQuestion, asked: Asked): Promise<void> {
  const { name, dimensions, granularity, dateRange, timezone, limit, way, isEarly } = question;
  const { doors, person, isSpoken } = asked;
  const ts = granularity === undefined ? 'ts' : `ts.${granularity}`;
  const order = [ts, ...dimensions].map((column) => [`${name}.${column}`, way] as const);
  const options = {
    dimensions,
    order,
    ...(granularity === undefined ? {} : { granularity }),
    ...(dateRange === undefined ? {} : { dateRange }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(limit === undefined ? {} : { limit }),
    ...(isEarly ? { segments: ['facts.early'] } : {}),
  };
  const posted = await doors.http(person, `/query/metric/${name}`, { ...options, cache: false });
  expect(posted.kind).toBe('rows');
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(options))
    if (key === 'order') parameters.set(key, JSON.stringify(value));
    else for (const each of [value].flat()) parameters.append(key, String(each));
  same('GET', await doors.http(person, `/query/metric/${name}?${parameters}`), posted);
  const { granularity: _, dateRange: range, ...shared } = options;
  const query = {
    ...shared,
    measures: [`${name}.measure`],
    dimensions: [`${name}.${ts}`, ...dimensions.map((each) => `${name}.${each}`)],
    ...(range === undefined ? {} : { timeDimensions: [{ dimension: `${name}.ts`, dateRange: range }] }),
  };
  const rest = await doors.http(person, '/query/semantic/rest', { query, cache: false });
  same('REST', rest, posted);
  sameColumns('REST', rest, posted);
  const { query: reading } = doors.client(person);
  same('TypeScript', await typescript(() => reading.queryMetric(name, options)), posted);
  same('TypeScript: GET', await typescript(() => reading.getMetric(name, options)), posted);
  const args = [
    `orderBy: [${['ts', ...dimensions].map((each) => `{${each}: ${way}}`).join(', ')}]`,
    ...(granularity === undefined ? [] : [`granularity: ${granularity}`]),
    ...(dateRange === undefined ? [] : [`dateRange: ${JSON.stringify(dateRange)}`]),
    ...(timezone === undefined ? [] : [`timezone: "${timezone}"`]),
    ...(limit === undefined ? [] : [`limit: ${limit}`]),
    ...(isEarly ? ['segments: [facts__early]'] : []),
  ];
  const paths = [['ts'], ...dimensions.map((each) => [each]), ['measure']];
  const document = `{ ${name}(${args.join(', ')}) { ${paths.join(' ')} } }`;
  same('GraphQL', await doors.graphql(person, { query: document, root: name, paths }), posted);
  if (doors.hasPython) {
    const { dateRange: date_range, ...others } = options;
    const given = { ...others, ...(date_range === undefined ? {} : { date_range }) };
    comparePython(await doors.python(person, { kind: 'metric', name, options: given }), posted);
  }
  if (timezone === undefined && dateRange === undefined && !isEarly) {
    const column = granularity === undefined ? 'ts' : `date_trunc('${granularity}', ts)`;
    const sql = `SELECT ${[column, ...dimensions, 'measure'].join(', ')} FROM ${name} ORDER BY ${order.map((_each, i) => `${i + 1} ${way} NULLS LAST`).join(', ')}${limit === undefined ? '' : ` LIMIT ${limit}`}`;
    const bySql = await doors.http(person, '/query/semantic/sql', { sql });
    same(`SQL: ${sql}`, bySql, posted);
    sameColumns(`SQL: ${sql}`, bySql, posted);
  }
  if (isSpoken) same('command line', await doors.cli(person, ['--query', JSON.stringify(query)]), posted);
}
