/** The caller's own statements, in the form that Relay has for lists. */
import {
  type FieldNode,
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLString,
} from 'graphql';
import { apiWords } from '../../domain/diagnostics/api-words.ts';
import { failure } from '../../domain/failure.ts';
import { STATEMENT_STATUSES, type Statement, type StatementStatus } from '../../domain/statement.ts';
import { TROUBLES_MAX } from '../../domain/statement-trust.ts';
import { trustJson } from '../../domain/trust-json.ts';
import { listStatements } from '../../operations/ask/list-statements.ts';
import type { AnswerBudget } from './answer-budget.ts';
import type { GraphqlCaller } from './ask-question.ts';
import { chosenFields } from './selected-columns.ts';
import { TRUST_LISTS, TRUST_TYPE, TRUST_TYPE_NAMES } from './trust-type.ts';

const FIRST_MAX = 100;

const STATUS_WORDS: Readonly<Record<StatementStatus, string>> = {
  ACCEPTED: 'it was accepted',
  QUEUED: 'it is queued',
  IN_PROGRESS: 'it is executed',
  SUCCESS: 'its result can be read',
  FAILED: 'its error says why',
  CANCELLED: 'its caller cancelled it',
};

const STATUS = new GraphQLEnumType({
  name: 'StatementStatus',
  description: 'The status of a statement.',
  values: Object.fromEntries(STATEMENT_STATUSES.map((each) => [each, { description: STATUS_WORDS[each] }])),
});

const time = (at: number | undefined): string | null =>
  at === undefined ? null : new Date(at).toISOString();
const required = <Type extends GraphQLObjectType | typeof GraphQLString>(type: Type) =>
  new GraphQLNonNull(type);

const ERROR = new GraphQLObjectType({
  name: 'StatementError',
  description: 'Why a statement failed.',
  fields: {
    code: { type: required(GraphQLString), description: 'for programs' },
    message: { type: required(GraphQLString), description: 'as a page' },
    hint: { type: GraphQLString, description: 'the next step' },
  },
});

const NODE = new GraphQLObjectType<Statement>({
  name: 'Statement',
  description: 'A question that was submitted.',
  fields: {
    id: { type: new GraphQLNonNull(GraphQLID), description: 'its address in REST ends with it' },
    status: { type: new GraphQLNonNull(STATUS), description: 'its status' },
    strategy: { type: required(GraphQLString), description: 'execute, from_cache or await_primary' },
    query_type: {
      type: required(GraphQLString),
      description: 'sql, semantic-sql, semantic-query or metric',
      resolve: ({ queryType }) => queryType,
    },
    sql: { type: required(GraphQLString), description: 'as it was submitted, or what the question became' },
    environment: { type: required(GraphQLString), description: 'the environment that it asks' },
    tags: {
      type: new GraphQLNonNull(new GraphQLList(required(GraphQLString))),
      description: 'tags that the caller gave it',
    },
    submitted_at: {
      type: GraphQLString,
      description: 'when it was asked',
      resolve: ({ submittedAt }) => time(submittedAt),
    },
    started_at: {
      type: GraphQLString,
      description: 'when its execution began',
      resolve: ({ startedAt }) => time(startedAt),
    },
    finished_at: {
      type: GraphQLString,
      description: 'when it ended',
      resolve: ({ finishedAt }) => time(finishedAt),
    },
    expires_at: {
      type: GraphQLString,
      description: 'when its result is deleted',
      resolve: ({ expiresAt }) => time(expiresAt),
    },
    row_count: {
      type: GraphQLFloat,
      description: 'rows of the whole result',
      resolve: ({ rowCount }) => rowCount,
    },
    truncated: {
      type: new GraphQLNonNull(GraphQLBoolean),
      description: 'whether the row limit cut the result',
      resolve: ({ isTruncated }) => isTruncated,
    },
    trust: {
      type: new GraphQLNonNull(TRUST_TYPE),
      description: 'what its answer rests on',
      resolve: trustJson,
    },
    error: {
      type: ERROR,
      description: 'why it failed',
      resolve: ({ error }) => error && apiWords(error),
    },
  },
});

const EDGE = new GraphQLObjectType<Statement>({
  name: 'StatementEdge',
  description: 'A statement in a list.',
  fields: {
    node: { type: required(NODE), description: 'the statement', resolve: (statement) => statement },
    cursor: {
      type: required(GraphQLString),
      description: 'where the list continues after it',
      resolve: ({ id }) => cursorOf(id),
    },
  },
});

const PAGE_INFO = new GraphQLObjectType({
  name: 'PageInfo',
  description: 'The position of a page in its list.',
  fields: {
    hasNextPage: { type: new GraphQLNonNull(GraphQLBoolean), description: 'whether there are more' },
    hasPreviousPage: {
      type: new GraphQLNonNull(GraphQLBoolean),
      description: 'whether there are any before',
    },
    startCursor: { type: GraphQLString, description: 'of its first item' },
    endCursor: { type: GraphQLString, description: 'of its last item: after takes it' },
  },
});

const CONNECTION = new GraphQLObjectType({
  name: 'StatementConnection',
  description: 'A page of statements.',
  fields: {
    edges: { type: new GraphQLNonNull(new GraphQLList(required(EDGE))), description: 'its items' },
    pageInfo: { type: required(PAGE_INFO), description: 'where it is in the list' },
  },
});

/** Names that types of a product cannot have. */
export const CONNECTION_TYPE_NAMES: readonly string[] = [
  ...[STATUS, ERROR, NODE, EDGE, PAGE_INFO, CONNECTION].map(({ name }) => name),
  ...TRUST_TYPE_NAMES,
];

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

/** Of all that a statement has beside its SQL. */
const FIELD_BYTES = 100;

/** About how much a list of statements takes in an answer: aliases can ask for a text any number of times. */
function bytesOf(items: readonly Statement[], info: GraphQLResolveInfo): number {
  let [fields, texts] = [0, 0];
  const count = (nodes: readonly FieldNode[], times: number): void => {
    for (const { name, selectionSet } of nodes) {
      fields += times;
      if (name.value === 'sql') texts++;
      const each = TRUST_LISTS.has(name.value) ? times * TROUBLES_MAX : times;
      count([...chosenFields(selectionSet?.selections ?? [], info)], each);
    }
  };
  count(info.fieldNodes, 1);
  const text = items.reduce((sum, { sql }) => sum + sql.length, 0);
  return items.length * fields * FIELD_BYTES + text * texts;
}

export const statementsField: GraphQLFieldConfig<
  unknown,
  GraphqlCaller & { readonly budget: AnswerBudget },
  Args
> = {
  type: required(CONNECTION),
  description: 'Your own statements, the newest first.',
  args: {
    first: { type: GraphQLInt, defaultValue: 20, description: `at most ${FIRST_MAX}` },
    after: { type: GraphQLString, description: 'a cursor' },
    status: { type: STATUS, description: 'only those with this status' },
    tag: { type: GraphQLString, description: 'only those with this tag' },
  },
  resolve: async (_, { first, after, status, tag }, { product, identity, budget }, info) => {
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
    budget.hold(bytesOf(items, info));
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
