/* Places of a question where a name stands. What is hidden and what does not exist get the same answer in each of them. */

import type { Chance } from './chance.ts';
import { memberOf } from './generate-world.ts';
import type { View } from './oracle.ts';
import type { Got, Sent } from './served-world.ts';
import type { Member, SemanticModel } from './world.ts';

/** Names of one thing: of a hidden one, or of none. */
export interface Names {
  readonly model: string;
  readonly member: string;
  readonly metric: string;
}

/** What the question has besides. */
interface Beside {
  /** A semantic model that the caller may ask, and one of its dimensions. */
  readonly model: string;
  readonly dimension: string;
  /** Beside the API of the product. */
  readonly graphql: string;
  /** A number that no other question has. */
  readonly number: number;
}

export interface NamePlace {
  readonly name: string;
  readonly operation: string;
  /** `member`: the semantic model is visible and one of its members is not. */
  readonly hides: readonly ('model' | 'metric' | 'member')[];
  readonly ask: (names: Names, beside: Beside) => Sent;
  /** What is said to those from whom something is hidden; the doors that show no codes have none. */
  readonly code?: string;
}

const post = (path: string, body: unknown): Sent => ({ method: 'POST', path, body });
const rest = (query: unknown): Sent => post('/query/semantic/rest', { query, wait: 20 });
const own = ({ model, dimension }: Beside): string => `${model}.${dimension}`;
const full = ({ model, member }: Names): string => `${model}.${member}`;

const BOTH = ['model', 'member'] as const;
const places = (
  prefix: string,
  operation: string,
  each: Readonly<Record<string, NamePlace['ask']>>,
  more: Pick<NamePlace, 'hides' | 'code'> = { hides: BOTH, code: 'policy.no-access' },
): readonly NamePlace[] =>
  Object.entries(each).map(([name, ask]) => ({ name: `${prefix}: ${name}`, operation, ask, ...more }));

const graphql = (query: string): Sent => post('/query/semantic/graphql', { query });

const METRIC = { hides: ['metric'], code: 'policy.no-access' } as const;

export const NAME_PLACES: readonly NamePlace[] = [
  ...places('rest', 'querySemantic', {
    dimensions: (names) => rest({ dimensions: [full(names)] }),
    'dimensions beside': (names, beside) => rest({ dimensions: [own(beside), full(names)] }),
    measures: (names) => rest({ measures: [full(names)] }),
    'measures beside': (names, beside) => rest({ dimensions: [own(beside)], measures: [full(names)] }),
    filters: (names, beside) =>
      rest({
        dimensions: [own(beside)],
        filters: [{ member: full(names), operator: 'equals', values: ['x'] }],
      }),
    'filters with a wrong value': (names, beside) =>
      rest({
        dimensions: [own(beside)],
        filters: [{ member: full(names), operator: 'beforeDate', values: ['never'] }],
      }),
    order: (names, beside) => rest({ dimensions: [own(beside)], order: [[full(names), 'asc']] }),
    segments: (names, beside) => rest({ dimensions: [own(beside)], segments: [full(names)] }),
    'time dimensions': (names, beside) =>
      rest({ dimensions: [own(beside)], timeDimensions: [{ dimension: full(names), granularity: 'month' }] }),
    'time ranges': (names, beside) =>
      rest({
        dimensions: [own(beside)],
        timeDimensions: [{ dimension: full(names), dateRange: 'last month' }],
      }),
    buckets: (names) => rest({ dimensions: [`${full(names)}.month`] }),
  }),
  ...places(
    'rest',
    'querySemantic',
    {
      'join hints': ({ model }, beside) =>
        rest({ dimensions: [own(beside)], joinHints: [[beside.model, model]] }),
    },
    { hides: ['model'], code: 'policy.no-access' },
  ),
  ...places(
    'metric column',
    'querySemantic',
    {
      dimensions: ({ metric }) => rest({ dimensions: [`${metric}.ts`], measures: [`${metric}.measure`] }),
      filters: ({ metric }, beside) =>
        rest({
          dimensions: [own(beside)],
          filters: [{ member: `${metric}.measure`, operator: 'gt', values: [1] }],
        }),
    },
    METRIC,
  ),
  ...places(
    'metric',
    'queryMetric',
    { address: ({ metric }) => post(`/query/metric/${metric}`, { wait: 20 }) },
    METRIC,
  ),
  ...places(
    'metric',
    'getMetric',
    { address: ({ metric }) => ({ method: 'GET', path: `/query/metric/${metric}?wait=20` }) },
    METRIC,
  ),
  ...places('metric', 'transpile', { name: ({ metric }) => post('/query/transpile', { metric }) }, METRIC),
  ...places(
    'metric as a table',
    'querySemanticSql',
    {
      from: ({ metric }) =>
        post('/query/semantic/sql', { sql: `SELECT ts, measure FROM ${metric}`, wait: 20 }),
    },
    METRIC,
  ),
  ...['querySemanticSql', 'submitStatement'].flatMap((operation) => {
    const path = operation === 'submitStatement' ? '/query/statement' : '/query/semantic/sql';
    const sql = (text: string): Sent => post(path, { sql: text, wait: 20 });
    return places(operation, operation, {
      column: (names) => sql(`SELECT ${names.member} FROM ${names.model}`),
      'qualified column': (names) => sql(`SELECT ${full(names)} FROM ${names.model}`),
      'in quotes': (names) => sql(`SELECT "${names.member}" FROM "${names.model}"`),
      where: (names) => sql(`SELECT 1 AS one FROM ${names.model} WHERE ${names.member} IS NULL`),
      'order by': (names) => sql(`SELECT 1 AS one FROM ${names.model} ORDER BY ${names.member}`),
      measure: (names) => sql(`SELECT MEASURE(${names.member}) AS m FROM ${names.model}`),
      'in a sub-query': (names, beside) =>
        sql(
          `SELECT q.x FROM (SELECT ${beside.dimension} AS x FROM ${beside.model}) AS q, (SELECT ${names.member} FROM ${names.model}) AS r`,
        ),
      'in a filter': (names, beside) =>
        sql(
          `SELECT ${beside.dimension} FROM ${beside.model} WHERE ${beside.dimension} IN (SELECT ${names.member} FROM ${names.model})`,
        ),
    });
  }),
  ...places(
    'querySemanticSql',
    'querySemanticSql',
    {
      star: ({ model }) => post('/query/semantic/sql', { sql: `SELECT * FROM ${model}`, wait: 20 }),
      join: ({ model }, beside) =>
        post('/query/semantic/sql', {
          sql: `SELECT ${beside.dimension} FROM ${beside.model} CROSS JOIN ${model}`,
          wait: 20,
        }),
      'column of another': ({ model, member }, beside) =>
        post('/query/semantic/sql', { sql: `SELECT ${model}.${member} FROM ${beside.model}`, wait: 20 }),
    },
    { hides: ['model'] },
  ),
  ...places('transpile', 'transpile', {
    query: (names) => post('/query/transpile', { query: { dimensions: [full(names)] } }),
    filter: (names, beside) =>
      post('/query/transpile', {
        query: {
          dimensions: [own(beside)],
          filters: [{ member: full(names), operator: 'equals', values: ['x'] }],
        },
      }),
    sql: (names) => post('/query/transpile', { sql: `SELECT ${names.member} FROM ${names.model}` }),
  }),
  ...places(
    'graphql',
    'queryGraphql',
    {
      field: ({ model, member }) => graphql(`{ ${model} { ${member} } }`),
      where: ({ model, member }) => graphql(`{ ${model}(where: {${member}: {equals: "x"}}) { __typename } }`),
      order: ({ model, member }) => graphql(`{ ${model}(orderBy: [{${member}: asc}]) { __typename } }`),
      segments: ({ model, member }) => graphql(`{ ${model}(segments: [${member}]) { __typename } }`),
      variable: ({ model, member }) => ({
        ...graphql(''),
        body: {
          query: `query q($w: ${model.slice(0, 1).toUpperCase()}${model.slice(1)}Where) { ${model}(where: $w) { __typename } }`,
          variables: { w: { [member]: { equals: 'x' } } },
        },
      }),
    },
    { hides: BOTH },
  ),
  ...places(
    'graphql',
    'queryGraphql',
    {
      'joined field': ({ model, member }, beside) =>
        graphql(`{ ${beside.model} { ${beside.dimension} ${model} { ${member} } } }`),
      'joined where': ({ model, member }, beside) =>
        graphql(`{ ${beside.model}(where: {${model}: {${member}: {equals: "x"}}}) { ${beside.dimension} } }`),
      'join hints': ({ model }, beside) =>
        graphql(`{ ${beside.model}(joinHints: [["${beside.model}", "${model}"]]) { ${beside.dimension} } }`),
      type: ({ model }) =>
        graphql(
          `{ __type(name: "${model.slice(0, 1).toUpperCase()}${model.slice(1)}") { name fields { name } } }`,
        ),
    },
    { hides: ['model'] },
  ),
  ...places(
    'graphql',
    'graphql',
    { metric: ({ metric }, beside) => post(beside.graphql, { query: `{ ${metric} { ts measure } }` }) },
    { hides: ['metric'] },
  ),
  ...places(
    'graphql',
    'graphqlPage',
    {
      field: ({ model, member }, beside) => ({
        method: 'GET',
        path: `${beside.graphql}?${new URLSearchParams({ query: `{ ${model} { ${member} } }` })}`,
      }),
    },
    { hides: BOTH },
  ),
  ...places(
    'metadata',
    'search',
    {
      model: ({ model }) => ({ method: 'GET', path: `/metadata/search?q=${model}` }),
      member: ({ member }) => ({ method: 'GET', path: `/metadata/search?q=${member}` }),
    },
    { hides: ['model'] },
  ),
  ...places(
    'metadata',
    'search',
    { metric: ({ metric }) => ({ method: 'GET', path: `/metadata/search?q=${metric}` }) },
    { hides: ['metric'] },
  ),
  ...places(
    'lineage',
    'getLineage',
    { model: ({ model }) => ({ method: 'GET', path: `/metadata/lineage?ref=semantic:${model}` }) },
    { hides: ['model'] },
  ),
  ...places(
    'lineage',
    'getLineage',
    { metric: ({ metric }) => ({ method: 'GET', path: `/metadata/lineage?ref=metric:${metric}` }) },
    { hides: ['metric'] },
  ),
  ...places(
    'impact',
    'getImpact',
    {
      model: ({ model }) => ({ method: 'GET', path: `/metadata/impact?ref=semantic:${model}&change=drop` }),
      member: (names) => ({
        method: 'GET',
        path: `/metadata/impact?ref=semantic:${full(names)}&change=drop`,
      }),
    },
    { hides: BOTH },
  ),
  ...places(
    'impact',
    'getImpact',
    {
      metric: ({ metric }) => ({ method: 'GET', path: `/metadata/impact?ref=metric:${metric}&change=drop` }),
    },
    { hides: ['metric'] },
  ),
];

/** Two questions that differ in names only, and in what they name: the first hides it, the second has none. */
export interface NamePair {
  readonly hidden: Names;
  readonly absent: Names;
  /** The semantic model that is hidden, or whose member is. */
  readonly semantic: SemanticModel;
}

/** A pair for a place; undefined where nothing is hidden from the caller in this way. */
export function namePair(view: View, hides: NamePlace['hides'], chance: Chance): NamePair | undefined {
  const { world } = view;
  const [absentModel = '', absentMember = '', absentMetric = ''] = chance.shuffled(world.absent);
  // Where one letter differs the hidden name is the nearest one, which a hint must not tell.
  const isNear = chance.is(0.5);
  const absentFor = (name: string, absent: string): string => (isNear ? `${name.slice(0, -1)}q` : absent);
  const kind = chance.of(hides);
  if (kind === 'member') {
    const semantic = chance.of(world.semantics.filter((each) => view.knows(each)));
    const hiddenMembers = semantic.members.filter(({ isHidden }) => isHidden);
    if (hiddenMembers.length === 0) return undefined;
    const names = { model: semantic.name, metric: absentMetric };
    const member = chance.of(hiddenMembers).name;
    return {
      hidden: { ...names, member },
      absent: { ...names, member: absentFor(member, absentMember) },
      semantic,
    };
  }
  const semantics = world.semantics.filter((each) => !view.knows(each));
  if (semantics.length === 0) return undefined;
  const semantic = chance.of(semantics);
  const metric = world.metrics.find((each) => each.semantic === semantic.name);
  if (kind === 'metric' && metric === undefined) return undefined;
  const member: Member = chance.of(semantic.members);
  const hidden = { model: semantic.name, member: member.name, metric: metric?.name ?? absentMetric };
  return {
    hidden,
    absent: {
      model: absentFor(hidden.model, absentModel),
      member: absentFor(hidden.member, absentMember),
      metric: absentFor(hidden.metric, absentMetric),
    },
    semantic,
  };
}

export function besideOf(view: View, graphqlPath: string, number: number): Beside {
  // From link a join leads to main, so that the hidden one is sometimes near.
  const link = view.world.semantics.find(({ purpose }) => purpose === 'link') as SemanticModel;
  return {
    model: link.name,
    dimension: memberOf(link.members, 'dimension', 'note').name,
    graphql: graphqlPath,
    number,
  };
}

const VOLATILE =
  /^(?:date|platform-correlation-id|x-request-id|ratelimit-.*|connection|keep-alive|etag|location|content-length)$/;

/** What is left of an answer when what was sent, ids and times are taken out. */
export function toldOf({ status, headers, body }: Got, { model, member, metric }: Names): string {
  const kept = [...headers]
    .filter(([name]) => !VOLATILE.test(name))
    .map(([name, value]) => `${name}: ${value}`);
  const rest = body
    .replaceAll(headers.get('platform-correlation-id') ?? '-', 'CORRELATION')
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"TIME"')
    .replaceAll(/\bs_[0-9a-z]{10,}/g, 'STATEMENT')
    // Which of the visible names are near is a matter of letters; that none is hidden is looked at elsewhere.
    .replaceAll(/ Did you mean [^?]*\?/g, '');
  const capital = `${model.slice(0, 1).toUpperCase()}${model.slice(1)}`;
  return [status, ...kept, rest]
    .join('\n')
    .replaceAll(model, 'MODEL')
    .replaceAll(capital, 'MODEL')
    .replaceAll(member, 'MEMBER')
    .replaceAll(metric, 'METRIC');
}
