/** The caller's own statements, in the form that Relay has for lists. */
import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql';
import { failure } from '../../domain/failure.ts';
import { STATEMENT_STATUSES, type Statement, type StatementStatus } from '../../domain/statement.ts';
import { listStatements } from '../../operations/statements.ts';
import type { Asker } from './ask-question.ts';

const FIRST_MAX = 100;

const STATUS = new GraphQLEnumType({
  name: 'StatementStatus',
  values: Object.fromEntries(STATEMENT_STATUSES.map((each) => [each, {}])),
});

const time = (at: number | undefined): string | null =>
  at === undefined ? null : new Date(at).toISOString();
const required = <Type extends GraphQLObjectType | typeof GraphQLString>(type: Type) =>
  new GraphQLNonNull(type);

const ERROR = new GraphQLObjectType({
  name: 'StatementError',
  fields: {
    code: { type: required(GraphQLString) },
    message: { type: required(GraphQLString) },
    hint: { type: GraphQLString },
  },
});

const NODE = new GraphQLObjectType<Statement>({
  name: 'Statement',
  description: 'A question that was submitted.',
  fields: {
    id: { type: new GraphQLNonNull(GraphQLID) },
    status: { type: new GraphQLNonNull(STATUS) },
    strategy: { type: required(GraphQLString) },
    query_type: { type: required(GraphQLString), resolve: ({ queryType }) => queryType },
    sql: { type: required(GraphQLString) },
    environment: { type: required(GraphQLString) },
    tags: { type: new GraphQLNonNull(new GraphQLList(required(GraphQLString))) },
    submitted_at: { type: GraphQLString, resolve: ({ submittedAt }) => time(submittedAt) },
    started_at: { type: GraphQLString, resolve: ({ startedAt }) => time(startedAt) },
    finished_at: { type: GraphQLString, resolve: ({ finishedAt }) => time(finishedAt) },
    expires_at: { type: GraphQLString, resolve: ({ expiresAt }) => time(expiresAt) },
    row_count: { type: GraphQLFloat, resolve: ({ rowCount }) => rowCount },
    truncated: { type: new GraphQLNonNull(GraphQLBoolean), resolve: ({ isTruncated }) => isTruncated },
    error: { type: ERROR },
  },
});

const EDGE = new GraphQLObjectType<Statement>({
  name: 'StatementEdge',
  fields: {
    node: { type: required(NODE), resolve: (statement) => statement },
    cursor: { type: required(GraphQLString), resolve: ({ id }) => cursorOf(id) },
  },
});

const PAGE_INFO = new GraphQLObjectType({
  name: 'PageInfo',
  fields: {
    hasNextPage: { type: new GraphQLNonNull(GraphQLBoolean) },
    hasPreviousPage: { type: new GraphQLNonNull(GraphQLBoolean) },
    startCursor: { type: GraphQLString },
    endCursor: { type: GraphQLString },
  },
});

const CONNECTION = new GraphQLObjectType({
  name: 'StatementConnection',
  fields: {
    edges: { type: new GraphQLNonNull(new GraphQLList(required(EDGE))) },
    pageInfo: { type: required(PAGE_INFO) },
  },
});

/** Names that types of a product cannot have. */
export const CONNECTION_TYPE_NAMES: readonly string[] = [
  STATUS,
  ERROR,
  NODE,
  EDGE,
  PAGE_INFO,
  CONNECTION,
].map(({ name }) => name);

const cursorOf = (id: string): string => Buffer.from(`>${id}`, 'utf8').toString('base64url');

function idOf(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (text[0] !== '>' || cursorOf(text.slice(1)) !== cursor) throw failure('http.bad-cursor', {});
  return text.slice(1);
}

interface Args {
  readonly first: number;
  readonly after?: string | null;
  readonly status?: StatementStatus | null;
  readonly tag?: string | null;
}

export const statementsField: GraphQLFieldConfig<unknown, Asker, Args> = {
  type: required(CONNECTION),
  description: 'Your own statements, the newest first.',
  args: {
    first: { type: GraphQLInt, defaultValue: 20, description: `at most ${FIRST_MAX}` },
    after: { type: GraphQLString, description: 'a cursor' },
    status: { type: STATUS },
    tag: { type: GraphQLString },
  },
  resolve: async (_, { first, after, status, tag }, { product, identity }) => {
    if (first === null || first < 1 || first > FIRST_MAX)
      throw failure('statement.bad-option', {
        name: 'first',
        value: String(first),
        expected: `a whole number from 1 to ${FIRST_MAX}`,
      });
    const { items, next } = await listStatements(product, identity, {
      limit: first,
      before: after === null || after === undefined ? undefined : idOf(after),
      status: status ?? undefined,
      tag: tag ?? undefined,
    });
    const [top, end] = [items[0], items.at(-1)];
    return {
      edges: items,
      pageInfo: {
        hasNextPage: next !== undefined,
        hasPreviousPage: after !== null && after !== undefined,
        startCursor: top === undefined ? null : cursorOf(top.id),
        endCursor: end === undefined ? null : cursorOf(end.id),
      },
    };
  },
};
