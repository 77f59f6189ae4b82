/** The arguments of a root field, and the semantic query that they and its selection are. */
import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from 'graphql';
import { failure } from '../../domain/failure.ts';
import type { SemanticQuery } from '../../domain/semantic-query.ts';
import { filtersOf, ordersOf } from './filter-types.ts';
import { hasTime, type QuestionFields, type QuestionRoot, wordsOf } from './question-fields.ts';

type Given = Readonly<Record<string, unknown>>;
type Ranges = readonly (readonly string[])[];

/** Null is the same as absent. */
export interface RootArgs {
  readonly where?: Given | null;
  readonly orderBy?: readonly Given[] | null;
  readonly segments?: readonly string[] | null;
  readonly limit?: number | null;
  readonly offset?: number | null;
  readonly timezone?: string | null;
  readonly total?: boolean | null;
  readonly ungrouped?: boolean | null;
  readonly joinHints?: readonly (readonly string[])[] | null;
  readonly unreachableFilters?: string | null;
  readonly granularity?: string | null;
  readonly dateRange?: readonly string[] | null;
  /** Of metrics the ranges; of models the ranges below the time they are of. */
  readonly compareDateRange?: Ranges | Given | null;
}

const list = (type: GraphQLInputType) => new GraphQLList(new GraphQLNonNull(type));
const RANGE = list(GraphQLString);

const UNREACHABLE = new GraphQLEnumType({
  name: 'UnreachableFilters',
  description: 'What happens to a filter on a member that a measure cannot reach.',
  values: {
    refuse: { description: 'the question is refused' },
    ignore: {
      description: 'the filter does not apply to that measure, and a note in extensions.statements says so',
    },
  },
});

/** Names that types of a product cannot have. */
export const ARGUMENT_TYPE_NAMES: readonly string[] = [UNREACHABLE.name];

/** What every root field takes. */
export const SHARED_ARGS: GraphQLFieldConfigArgumentMap = {
  limit: {
    type: GraphQLInt,
    description: '10,000 when absent; at most as many as a page has, mostly 50,000',
  },
  offset: { type: GraphQLInt, description: 'how many rows to leave out before the first' },
  timezone: { type: GraphQLString, description: 'an IANA zone; UTC when absent' },
  total: {
    type: GraphQLBoolean,
    description: 'extensions.statements also says how many rows there are without limit',
  },
  joinHints: {
    type: list(RANGE),
    description: 'names of semantic models or roles that a path must visit, in order',
  },
  unreachableFilters: {
    type: UNREACHABLE,
    description:
      'what happens when a measure cannot be reached from a member that filters; refuse when absent',
  },
};

/** What only semantic models take. */
export const MODEL_ARGS: GraphQLFieldConfigArgumentMap = {
  ungrouped: { type: GraphQLBoolean, description: 'one row for each row of the semantic model' },
};

/** What metrics with a time take. */
export const metricArgs = (granularity: GraphQLEnumType): GraphQLFieldConfigArgumentMap => ({
  granularity: { type: granularity, description: 'of ts; the own one of the metric when absent' },
  dateRange: { type: RANGE, description: 'two days or times, or one range such as "last 7 days"' },
});

/** Of metrics the ranges themselves, of models a time with its ranges: `compareDateRange: {order_date: ["this year", "last year"]}`. */
export function compareArgs(
  name: string,
  { kind, fields, compareField }: QuestionRoot,
  typeName: (wanted: string) => string,
): GraphQLFieldConfigArgumentMap {
  if (compareField === undefined) return {};
  const description = `ranges of which each has its own rows; the field ${compareField} says which. A range is two days or times, or one such as "last month"`;
  const type = kind === 'metric' ? list(RANGE) : compareType(name, fields, typeName);
  return { compareDateRange: { type, description } };
}

function compareType(
  name: string,
  fields: QuestionFields,
  typeName: (wanted: string) => string,
): GraphQLInputObjectType {
  const own = typeName(`${name}Compare`);
  const made = [...fields].flatMap(([key, field]): [string, GraphQLInputFieldConfig][] => {
    if (field.kind === 'time') return [[key, { type: list(RANGE), description: wordsOf(field) }]];
    if (field.kind !== 'join' || !hasTime(field.fields)) return [];
    const type = compareType(`${name}_${key}`, field.fields, typeName);
    return [[key, { type, description: wordsOf(field) }]];
  });
  return new GraphQLInputObjectType({
    name: own,
    description: 'Exactly one of them.',
    fields: Object.fromEntries(made),
  });
}

export const isCompared = ({ compareDateRange }: RootArgs): boolean =>
  compareDateRange !== undefined && compareDateRange !== null;

/** Every field of a semantic query, in the JSON of REST; the type says so when a new one is left out. */
export function rootQuestion(
  root: QuestionRoot,
  args: RootArgs,
  {
    dimensions,
    measures,
    rowsMax,
  }: {
    readonly dimensions: readonly string[];
    readonly measures: readonly string[];
    readonly rowsMax: number;
  },
): { readonly [Field in keyof Required<SemanticQuery>]: unknown } {
  const { where, orderBy, limit } = args;
  if (limit && limit > rowsMax)
    throw failure('statement.bad-option', {
      name: 'limit',
      value: String(limit),
      expected: `at most ${rowsMax}`,
    });
  return {
    dimensions,
    measures,
    filters: where ? filtersOf(where, root.fields) : undefined,
    timeDimensions: timesOf(root, args),
    order: orderBy
      ? ordersOf(orderBy, root.fields).map(([member, way]) => [orderWord(root, member, args), way])
      : undefined,
    segments: args.segments,
    limit,
    offset: args.offset,
    timezone: args.timezone,
    total: args.total,
    ungrouped: args.ungrouped,
    joinHints: args.joinHints,
    unreachableFilters: args.unreachableFilters,
  };
}

function timesOf(root: QuestionRoot, { dateRange, compareDateRange }: RootArgs): unknown {
  const ts = `${root.name}.ts`;
  const ranges = dateRange ? [{ dimension: ts, dateRange: rangeOf(dateRange) }] : [];
  if (!compareDateRange) return ranges.length === 0 ? undefined : ranges;
  const [dimension, compared] = isList(compareDateRange)
    ? [ts, compareDateRange]
    : comparedTime(compareDateRange, root.fields);
  const compare = { dimension, compareDateRange: compared.map(rangeOf) };
  // Of one time, so that both beside each other are refused as in REST.
  return dateRange ? [{ ...ranges[0], ...compare }] : [compare];
}

const isList = (given: Ranges | Given): given is Ranges => Array.isArray(given);

/** One text is a relative range. */
const rangeOf = (range: readonly string[]): unknown => (range.length === 1 ? range[0] : range);

function comparedTime(given: Given, fields: QuestionFields): readonly [string, Ranges] {
  const [entry, ...more] = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  const field = entry === undefined || more.length > 0 ? undefined : fields.get(entry[0]);
  if (entry !== undefined && field?.kind === 'join') return comparedTime(entry[1] as Given, field.fields);
  if (entry === undefined || field?.kind !== 'time') throw failure('graphql.bad-compare', {});
  return [field.member, entry[1] as Ranges];
}

/** The time of a metric is ordered by as it is shown. */
function orderWord({ name, kind }: QuestionRoot, member: string, { granularity }: RootArgs): string {
  const isTime = kind === 'metric' && member === `${name}.ts`;
  return isTime && granularity ? `${member}.${granularity}` : member;
}
