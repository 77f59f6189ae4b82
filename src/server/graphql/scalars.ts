/** Types of cells, which go out as every door of the product spells them, and of values to compare with. */
import {
  GraphQLBoolean,
  GraphQLError,
  GraphQLInt,
  GraphQLScalarType,
  GraphQLString,
  Kind,
  type GraphQLScalarType as Scalar,
  type ValueNode,
} from 'graphql';
import { type ColumnType, statementColumn } from '../../domain/statement.ts';
import type { CellSpelling } from '../../operations/ask/result-of.ts';

const asText = (value: unknown): unknown => (typeof value === 'number' ? String(value) : value);
const asIs = (value: unknown): unknown => value;

const output = (name: string, description: string, serialize: (value: unknown) => unknown): Scalar =>
  new GraphQLScalarType({ name, description, serialize });

const DECIMAL = output('Decimal', 'An exact decimal number, as text.', asText);
const BIG_INT = output(
  'BigInt',
  'A whole number of any size: a number up to 2^53 - 1 on both sides of zero, its digits as text beyond.',
  asIs,
);
const DOUBLE = output('Double', 'A floating-point number; NaN and the infinities are text.', asIs);
const DATE = output('Date', 'A day: 2025-03-31.', asIs);
const DATE_TIME = output(
  'DateTime',
  'A time: 2025-03-31T14:00:00.000 is local to the time zone that was asked for, with Z it is an instant.',
  asIs,
);
const CELL = output('Cell', 'Any JSON value: text, a number, a list, an object.', asIs);

const SMALL = /^U?(?:TINY|SMALL)INT$|^INTEGER$/;

const BY_FAMILY: Readonly<Partial<Record<ColumnType, Scalar>>> = {
  boolean: GraphQLBoolean,
  integer: BIG_INT,
  decimal: DECIMAL,
  float: DOUBLE,
  text: GraphQLString,
  date: DATE,
  timestamp: DATE_TIME,
  timestamptz: DATE_TIME,
};

/** The scalar of a column, by the engine's type. */
export function scalarOf(type: string): Scalar {
  if (SMALL.test(type.toUpperCase())) return GraphQLInt;
  return BY_FAMILY[statementColumn({ name: '', type }).type] ?? CELL;
}

/** Buckets of days and longer ones stay days. */
export function bucketScalar(type: string, granularity: string): Scalar {
  return type.toUpperCase() === 'DATE' && !['hour', 'minute', 'second'].includes(granularity)
    ? DATE
    : DATE_TIME;
}

const SPELLINGS = new Map<unknown, CellSpelling>([
  [GraphQLInt, 'integer'],
  [GraphQLBoolean, 'boolean'],
  [GraphQLString, 'text'],
]);

/** How a cell of a column is written in a field; doubtful when the type of the column is not that of the field, so that a cell may not fit it. */
export function spellingOf(
  type: unknown,
  column: string,
): { readonly as: CellSpelling; readonly isDoubtful: boolean } {
  if (type === DECIMAL) return { as: 'decimal', isDoubtful: false };
  const as = scalarOf(column) === type ? undefined : SPELLINGS.get(type);
  return { as: as ?? 'plain', isDoubtful: as !== undefined };
}

function numberOf(value: unknown): string | number {
  if (typeof value === 'number' || typeof value === 'string') return value;
  throw new GraphQLError('a number is expected, or its text');
}

function numberLiteral(node: ValueNode): string {
  if (node.kind === Kind.INT || node.kind === Kind.FLOAT || node.kind === Kind.STRING) return node.value;
  throw new GraphQLError('a number is expected, or its text', { nodes: node });
}

/** In filters: digits are kept as they were written, however many. */
export const NUMBER = new GraphQLScalarType<string | number>({
  name: 'Number',
  description: 'A number to compare with; text that is one stays exact.',
  parseValue: numberOf,
  parseLiteral: numberLiteral,
});

function anyValue(value: unknown): unknown {
  if (['string', 'number', 'boolean'].includes(typeof value)) return value;
  throw new GraphQLError('text, a number, true or false is expected');
}

/** In filters on members whose type only the rows show. */
export const VALUE = new GraphQLScalarType<unknown>({
  name: 'Value',
  description: 'Text, a number, true or false to compare with.',
  parseValue: anyValue,
  parseLiteral: (node) => {
    if (node.kind === Kind.BOOLEAN || node.kind === Kind.STRING) return node.value;
    return numberLiteral(node);
  },
});

/** Names that types of a product cannot have. */
export const SCALAR_NAMES: readonly string[] = [
  'Int',
  'Float',
  'String',
  'Boolean',
  'ID',
  ...[DECIMAL, BIG_INT, DOUBLE, DATE, DATE_TIME, CELL, NUMBER, VALUE].map(({ name }) => name),
];
