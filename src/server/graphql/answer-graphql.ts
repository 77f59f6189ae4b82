/*
 * The GraphQL door, without its wire.
 *
 *   text ──limits──▶ tokens ──parse──▶ document ──limits──▶ validate against the caller's schema ──▶ execute
 *                                                              each root field: SemanticQuery ─▶ Statement ─▶ rows
 */
import {
  type DocumentNode,
  execute,
  GraphQLError,
  type GraphQLSchema,
  parse,
  printSchema,
  validate,
} from 'graphql';
import type { Identity } from '../../domain/principal.ts';
import { visibleSemantics } from '../../operations/ask/visible-semantics.ts';
import type { Product } from '../../operations/platform.ts';
import { AnswerBudget } from './answer-budget.ts';
import { answerText, filled } from './answer-text.ts';
import { checkIntrospection } from './check-introspection.ts';
import { checkDocument, checkText, checkVariables } from './document-limits.ts';
import { answerError, requestError } from './graphql-errors.ts';
import { type AnsweredStatement, type GraphqlContext, productSchema } from './product-schema.ts';
import type { ShapedRows } from './shaped-rows.ts';

export interface GraphqlRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly operationName?: string | null | undefined;
  /** The project's default when absent. */
  readonly environment?: string | undefined;
}

/** `isExecuted: false`: nothing was asked of anything. */
export interface GraphqlAnswer {
  readonly isExecuted: boolean;
  readonly body: {
    readonly data?: unknown;
    readonly errors?: readonly unknown[];
    readonly extensions?: { readonly statements: readonly AnsweredStatement[] };
  };
  /** The body as text, where it is long: then its rows are in here only. */
  readonly chunks?: AsyncIterable<Buffer>;
}

const ERRORS_MAX = 20;
const DOCUMENTS_MAX = 200;
/** Up to here an answer is one text, which can be kept for who repeats the request. */
const SHORT_BYTES = 262_144;

/** Documents that were found to fit a schema, the last ones. */
const documents = new WeakMap<GraphQLSchema, Map<string, DocumentNode>>();

/** Answers a GraphQL request as the caller may see things; never throws for what the caller did. */
export async function answerGraphql(
  product: Product,
  identity: Identity,
  {
    request,
    signal,
    onBug,
  }: {
    readonly request: GraphqlRequest;
    readonly signal: AbortSignal;
    readonly onBug: (error: unknown) => void;
  },
): Promise<GraphqlAnswer> {
  const refused = (errors: readonly GraphQLError[]): GraphqlAnswer => ({
    isExecuted: false,
    body: { errors: errors.map((each) => each.toJSON()) },
  });
  try {
    checkText(request.query);
    checkVariables(request.variables);
  } catch (error) {
    return refused([syntaxOrOther(error, onBug)]);
  }
  try {
    const semantics = await visibleSemantics(product, identity, request.environment);
    const schema = productSchema(semantics);
    const document = fittingDocument(schema, request.query);
    if (Array.isArray(document)) return refused(document);
    const statements: AnsweredStatement[] = [];
    const lists = new Map<string, ShapedRows>();
    const budget = new AnswerBudget();
    const contextValue: GraphqlContext = {
      product,
      identity,
      signal,
      environment: semantics.environment,
      promotionId: semantics.promotionId,
      budget,
      answered: (statement) => statements.push(statement),
      filled: (field, rows) => lists.set(field, rows),
    };
    const { data, errors } = await execute({
      schema,
      document: document as DocumentNode,
      contextValue,
      variableValues: request.variables ?? {},
      operationName: request.operationName ?? null,
    });
    const reported = errors?.slice(0, ERRORS_MAX).map((each) => answerError(each, onBug));
    // Wrong variables or an unknown operation: nothing ran.
    if (data === undefined) return refused(reported ?? []);
    const rest = {
      ...(reported === undefined ? {} : { errors: reported.map((each) => each.toJSON()) }),
      ...(statements.length === 0 ? {} : { extensions: { statements } }),
    };
    if (data === null) return { isExecuted: true, body: { data, ...rest } };
    if (budget.bytes > SHORT_BYTES)
      return { isExecuted: true, body: { data, ...rest }, chunks: answerText({ data, lists, rest }) };
    return { isExecuted: true, body: { data: await filled(data, lists), ...rest } };
  } catch (error) {
    return refused([syntaxOrOther(error, onBug)]);
  }
}

/** The schema that a caller's questions are checked against, in the schema definition language. */
export async function graphqlSdl(
  product: Product,
  identity: Identity,
  environment: string | undefined,
): Promise<string> {
  return printSchema(productSchema(await visibleSemantics(product, identity, environment)));
}

function syntaxOrOther(error: unknown, onBug: (error: unknown) => void): GraphQLError {
  return error instanceof GraphQLError && error.originalError === undefined
    ? requestError(error, 'graphql.syntax')
    : answerError(error, onBug);
}

/** The document, or what is wrong with it. */
function fittingDocument(schema: GraphQLSchema, text: string): DocumentNode | GraphQLError[] {
  let known = documents.get(schema);
  if (known === undefined) {
    known = new Map();
    documents.set(schema, known);
  }
  const before = known.get(text);
  if (before !== undefined) return before;
  const document = parse(text);
  checkDocument(document);
  const problems = validate(schema, document, undefined, { maxErrors: ERRORS_MAX });
  if (problems.length > 0) return problems.map((each) => requestError(each, 'graphql.invalid'));
  checkIntrospection(schema, document);
  known.set(text, document);
  const [oldest] = known.keys();
  if (known.size > DOCUMENTS_MAX && oldest !== undefined) known.delete(oldest);
  return document;
}
