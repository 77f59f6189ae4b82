/** Input types of filters and orders, and what is written in them as filters and orders of a question. */
import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from 'graphql';
import { failure } from '../../domain/failure.ts';
import type { FilterOperator } from '../../domain/semantic-model.ts';
import { statementColumn } from '../../domain/statement.ts';
import { unreachable } from '../../foundation/unreachable.ts';
import { type QuestionField, type QuestionFields, wordsOf } from './question-fields.ts';
import { NUMBER, VALUE } from './scalars.ts';

/** A filter in the JSON of semantic queries. */
export type JsonFilter =
  | { readonly member: string; readonly operator: FilterOperator; readonly values?: readonly unknown[] }
  | { readonly and: readonly JsonFilter[] }
  | { readonly or: readonly JsonFilter[] };

const EQUAL = ['equals', 'notEquals', 'in', 'notIn'] as const;
const ORDERED = ['gt', 'gte', 'lt', 'lte'] as const;
const TEXTS = ['contains', 'notContains', 'startsWith', 'notStartsWith', 'endsWith', 'notEndsWith'] as const;
const RANGES = ['inDateRange', 'notInDateRange'] as const;
const DAYS = ['onTheDate', 'beforeDate', 'beforeOrOnDate', 'afterDate', 'afterOrOnDate'] as const;

const MEASURES = ['measureFilter'] as const;

const WORDS: Readonly<Record<string, string>> = {
  equals: 'is one of these',
  notEquals: 'is none of these',
  in: 'is one of these',
  notIn: 'is none of these',
  gt: 'is greater than this',
  gte: 'is this or greater',
  lt: 'is less than this',
  lte: 'is this or less',
  contains: 'contains one of these',
  notContains: 'contains none of these',
  startsWith: 'begins with one of these',
  notStartsWith: 'begins with none of these',
  endsWith: 'ends with one of these',
  notEndsWith: 'ends with none of these',
  onTheDate: 'is on',
  beforeDate: 'is before',
  beforeOrOnDate: 'is before or on',
  afterDate: 'is after',
  afterOrOnDate: 'is after or on',
};

const text = (description: string): GraphQLInputFieldConfig => ({ type: GraphQLString, description });

/** Operators of REST, for values of one type; a list may be written without brackets when it has one value. */
function operators(
  name: string,
  value: GraphQLInputType,
  families: readonly (readonly string[])[],
): GraphQLInputObjectType {
  const fields: Record<string, GraphQLInputFieldConfig> = {};
  for (const each of EQUAL) fields[each] = { type: new GraphQLList(value), description: WORDS[each] };
  for (const family of families)
    for (const each of family) {
      if (family === ORDERED) fields[each] = { type: value, description: WORDS[each] };
      else if (family === TEXTS)
        fields[each] = {
          type: new GraphQLList(new GraphQLNonNull(GraphQLString)),
          description: WORDS[each],
        };
      else if (family === RANGES)
        fields[each] = {
          type: new GraphQLList(new GraphQLNonNull(GraphQLString)),
          description: 'two days or times, or one range such as "last 7 days"',
        };
      else if (family !== MEASURES) fields[each] = text(`${WORDS[each]} a day or a time`);
    }
  fields['set'] = { type: GraphQLBoolean, description: 'true: is not NULL; false: is NULL' };
  if (families.includes(MEASURES))
    fields['measureFilter'] = {
      type: GraphQLBoolean,
      description: 'true, for a measure: only rows that pass the filters of that measure',
    };
  fields['notSet'] = { type: GraphQLBoolean, description: 'true: is NULL; false: is not NULL' };
  return new GraphQLInputObjectType({ name, fields, description: 'All given conditions must hold.' });
}

const TEXT_FILTER = operators('TextFilter', GraphQLString, [TEXTS, ORDERED]);
const NUMBER_FILTER = operators('NumberFilter', NUMBER, [ORDERED, TEXTS, MEASURES]);
const BOOLEAN_FILTER = operators('BooleanFilter', GraphQLBoolean, []);
const TIME_FILTER = operators('TimeFilter', GraphQLString, [RANGES, DAYS, ORDERED]);
const ANY_FILTER = operators('AnyFilter', VALUE, [ORDERED, TEXTS, RANGES, DAYS, MEASURES]);

const DIRECTION = new GraphQLEnumType({
  name: 'Direction',
  description: 'NULLs are last in both.',
  values: { asc: { description: 'smallest first' }, desc: { description: 'largest first' } },
});

/** Names that types of a product cannot have. */
export const FILTER_TYPE_NAMES: readonly string[] = [
  ...[TEXT_FILTER, NUMBER_FILTER, BOOLEAN_FILTER, TIME_FILTER, ANY_FILTER, DIRECTION].map(({ name }) => name),
];

function filterOf(type: string): GraphQLInputObjectType {
  switch (statementColumn({ name: '', type }).type) {
    case 'text':
      return TEXT_FILTER;
    case 'integer':
    case 'decimal':
    case 'float':
      return NUMBER_FILTER;
    case 'boolean':
      return BOOLEAN_FILTER;
    case 'date':
    case 'timestamp':
    case 'timestamptz':
      return TIME_FILTER;
    default:
      return ANY_FILTER;
  }
}

type TypeName = (wanted: string) => string;

/** `OrdersWhere`: members with operators, joins, AND and OR. */
export function whereType(name: string, fields: QuestionFields, typeName: TypeName): GraphQLInputObjectType {
  const own = typeName(`${name}Where`);
  const made = new Map<string, GraphQLInputType>();
  const words = new Map([...fields].map(([key, field]) => [key, wordsOf(field)]));
  for (const [key, field] of fields)
    made.set(
      key,
      field.kind === 'join' ? whereType(`${name}_${key}`, field.fields, typeName) : filterOf(field.type),
    );
  const type: GraphQLInputObjectType = new GraphQLInputObjectType({
    name: own,
    description: 'All given conditions must hold.',
    fields: () => {
      const list = new GraphQLList(new GraphQLNonNull(type));
      return {
        ...Object.fromEntries([...made].map(([key, type]) => [key, { type, description: words.get(key) }])),
        AND: { type: list, description: 'each of them' },
        OR: { type: list, description: 'at least one of them' },
      };
    },
  });
  return type;
}

/** `OrdersOrder`: one column and its direction. */
export function orderType(name: string, fields: QuestionFields, typeName: TypeName): GraphQLInputObjectType {
  const own = typeName(`${name}Order`);
  const made: Record<string, GraphQLInputFieldConfig> = {};
  for (const [key, field] of fields)
    made[key] = {
      type: orderFieldType(`${name}_${key}`, field, typeName),
      description: wordsOf(field),
    };
  return new GraphQLInputObjectType({ name: own, description: 'Exactly one of them.', fields: made });
}

function orderFieldType(name: string, field: QuestionField, typeName: TypeName): GraphQLInputType {
  if (field.kind === 'join') return orderType(name, field.fields, typeName);
  if (field.kind !== 'time') return DIRECTION;
  return new GraphQLInputObjectType({
    name: typeName(`${name}Order`),
    description: 'Exactly one of them.',
    fields: Object.fromEntries(
      ['value', ...field.buckets.keys()].map((each) => [
        each,
        { type: DIRECTION, description: each === 'value' ? 'by the time as it is' : `by its ${each}` },
      ]),
    ),
  });
}

type Given = Readonly<Record<string, unknown>>;

/** What an argument `where` says, all of which must hold. */
export function filtersOf(where: Given, fields: QuestionFields): readonly JsonFilter[] {
  return Object.entries(where).flatMap(([key, given]): readonly JsonFilter[] => {
    if (given === null || given === undefined) return [];
    if (key === 'AND') return (given as readonly Given[]).flatMap((each) => filtersOf(each, fields));
    if (key === 'OR')
      return [{ or: (given as readonly Given[]).map((each) => all(filtersOf(each, fields))) }];
    const field = fields.get(key);
    if (field === undefined) return [];
    if (field.kind === 'join') return filtersOf(given as Given, field.fields);
    return Object.entries(given as Given)
      .filter(([operator, value]) => operator !== 'measureFilter' || value === true)
      .map(([operator, value]) => filter(field.member, operator as FilterOperator, value));
  });
}

/** Under `or` several conditions are one. Nothing given is nothing that must hold. */
function all(filters: readonly JsonFilter[]): JsonFilter {
  const [first] = filters;
  return filters.length === 1 && first !== undefined ? first : { and: filters };
}

function filter(member: string, operator: FilterOperator, value: unknown): JsonFilter {
  if (operator === 'set' || operator === 'notSet') {
    const isSet = (operator === 'set') === (value !== false);
    return { member, operator: isSet ? 'set' : 'notSet' };
  }
  if (operator === 'measureFilter') return { member, operator };
  return { member, operator, values: Array.isArray(value) ? value : [value] };
}

/** `[member, direction]` of each entry of an argument `orderBy`. */
export function ordersOf(
  given: readonly Given[],
  fields: QuestionFields,
): readonly (readonly [string, unknown])[] {
  return given.map((each) => orderOf(each, fields));
}

function orderOf(given: Given, fields: QuestionFields): readonly [string, unknown] {
  const [key, value] = onlyEntry(given);
  const field = fields.get(key);
  if (field === undefined) throw failure('graphql.bad-order', {});
  switch (field.kind) {
    case 'join':
      return orderOf(value as Given, field.fields);
    case 'time': {
      const [bucket, direction] = onlyEntry(value as Given);
      const granularity = field.buckets.get(bucket);
      return [granularity === undefined ? field.member : `${field.member}.${granularity}`, direction];
    }
    case 'dimension':
    case 'measure':
    case 'metric-time':
      return [field.member, value];
    default:
      return unreachable(field);
  }
}

/** Entries of input objects come in the order of their type, not as they were written, so there must be just one. */
function onlyEntry(given: Given): readonly [string, unknown] {
  const [entry, ...more] = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  if (entry === undefined || more.length > 0) throw failure('graphql.bad-order', {});
  return entry;
}
