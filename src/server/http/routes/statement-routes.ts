/** Statements that were submitted: their state, their result, their end. */

import { Readable } from 'node:stream';
import { failure } from '../../../domain/failure.ts';
import type { Identity } from '../../../domain/principal.ts';
import { RESULT_FORMATS, RESULT_MEDIA_TYPES, type ResultFormat } from '../../../domain/result-format.ts';
import { STATEMENT_STATUSES, type Statement, type StatementStatus } from '../../../domain/statement.ts';
import { cancelStatement } from '../../../operations/ask/cancel-statement.ts';
import { getStatement } from '../../../operations/ask/get-statement.ts';
import { listStatements } from '../../../operations/ask/list-statements.ts';
import { statementResult } from '../../../operations/ask/statement-result.ts';
import { linkTo } from '../answers/addresses.ts';
import { afterOf, cursorOf, limitOf, PAGE_QUERY } from '../answers/page.ts';
import { pageText, statementBody, statementText } from '../answers/statement-body.ts';
import { preferredType } from '../arrival/accept.ts';
import type { ProductCall, Route } from '../route.ts';
import { RESULT_SCHEMA, STATEMENT_SCHEMA } from '../schemas/statement-schemas.ts';

export const seconds = (value: unknown): number | undefined =>
  typeof value === 'number' ? Math.round(value * 1000) : undefined;

/** An address of the product that was asked. */
export function addressBelow({ platform, request }: ProductCall, path: string): string {
  const url = request.url.split('?')[0] ?? '';
  return linkTo(platform, `${url.slice(0, url.indexOf('/api/v1/') + '/api/v1'.length)}${path}`);
}

/** The address of a statement, below that of its product. */
export const addressOf = (call: ProductCall, id: string): string =>
  addressBelow(call, `/query/statement/${id}`);

/** The store hands out the same statement while nothing has changed: what was said of it is said again. */
const texts = new WeakMap<Statement, { readonly at: string; readonly text: unknown }>();

function textOf(statement: Statement, at: string): unknown {
  const before = texts.get(statement);
  if (before?.at === at) return before.text;
  const text = statementText(statement, { at });
  texts.set(statement, { at, text });
  return text;
}

const MEDIA_TYPES = Object.values(RESULT_MEDIA_TYPES);

/** `format` chooses; without it the type that Accept likes best. */
export function formatOf({ query, request }: ProductCall): ResultFormat {
  const liked = preferredType(request.headers.accept ?? '', MEDIA_TYPES);
  const preferred = RESULT_FORMATS.find((format) => RESULT_MEDIA_TYPES[format] === liked);
  return (query['format'] as ResultFormat | undefined) ?? preferred ?? 'json';
}

/** The caller as they are after a wait: what they may see is decided when the answer is sent. */
export async function askerAfterWait(call: ProductCall): Promise<Identity> {
  const now = await call.again();
  if (now === undefined) throw failure('auth.invalid', {});
  return now;
}

export const statementRoutes: readonly Route<ProductCall>[] = [
  {
    method: 'GET',
    path: '/query/statement',
    operationId: 'listStatements',
    summary: 'Statements, newest first',
    tag: 'query',
    access: 'query:read',
    query: {
      ...PAGE_QUERY,
      status: { type: 'string', enum: STATEMENT_STATUSES },
      tag: { type: 'string', maxLength: 100 },
      all: { type: 'boolean', description: 'of others too, with principal_id; needs query:read-all' },
    },
    answers: {
      200: {
        description: 'statements',
        schema: {
          type: 'object',
          required: ['items', 'next_cursor'],
          properties: {
            items: { type: 'array', items: STATEMENT_SCHEMA },
            next_cursor: { type: ['string', 'null'] },
          },
        },
      },
    },
    handle: async (call) => {
      const { product, identity, query } = call;
      const { items, next } = await listStatements(product, identity, {
        limit: limitOf(query),
        before: afterOf(query),
        status: query['status'] as StatementStatus | undefined,
        tag: query['tag'] as string | undefined,
        all: query['all'] as boolean | undefined,
      });
      return {
        items: items.map((statement) => ({
          ...statementBody(statement, addressOf(call, statement.id)),
          ...(query['all'] === true ? { principal_id: statement.principalId } : {}),
        })),
        next_cursor: next === undefined ? null : cursorOf(next),
      };
    },
  },
  {
    method: 'GET',
    path: '/query/statement/{id}',
    operationId: 'getStatement',
    summary: 'A statement; with wait, as soon as it has ended or changed',
    tag: 'query',
    access: 'query:read',
    query: { wait: { type: 'number', minimum: 0, maximum: 50, description: 'seconds' } },
    answers: {
      200: { description: 'the statement', schema: STATEMENT_SCHEMA },
      304: { description: 'it is as If-None-Match says' },
    },
    handle: async (call) => {
      const { product, identity, path, query, request, reply } = call;
      const known = /^"v(\d{1,9})"$/.exec(request.headers['if-none-match'] ?? '')?.[1];
      const id = path['id'] ?? '';
      const waitMs = seconds(query['wait']) ?? 0;
      const sinceVersion = known === undefined ? undefined : Number(known);
      const before = await getStatement(product, identity, { id, waitMs, sinceVersion });
      const asker = waitMs > 0 ? await askerAfterWait(call) : identity;
      const statement = asker === identity ? before : await getStatement(product, asker, { id });
      // The words may come and go while the statement stays as it is.
      const part =
        statement.isWithheld === true
          ? '-without-words'
          : statement.isUnnamed === true
            ? '-without-names'
            : '';
      const tag = `"v${statement.version}${part}"`;
      reply.header('etag', tag).header('cache-control', 'private, no-cache');
      if (request.headers['if-none-match'] === tag) return reply.code(304).send();
      return reply.type('application/json').send(textOf(statement, addressOf(call, statement.id)));
    },
  },
  {
    method: 'GET',
    path: '/query/statement/{id}/result',
    operationId: 'getStatementResult',
    summary: 'The result of a statement: a page as JSON, or all of it in another format',
    tag: 'query',
    access: 'query:read',
    query: {
      format: { type: 'string', enum: RESULT_FORMATS },
      limit: { type: 'integer', minimum: 0, maximum: 1_000_000_000 },
      offset: { type: 'integer', minimum: 0, maximum: 1_000_000_000_000 },
      columns: { type: 'array', maxItems: 2000, items: { type: 'string', maxLength: 500 } },
    },
    answers: {
      200: {
        description: 'rows',
        schema: RESULT_SCHEMA,
        types: MEDIA_TYPES,
      },
      202: { description: 'the statement has not ended', types: ['application/problem+json'] },
      409: { description: 'the statement failed or was cancelled, and has no result' },
      410: { description: 'the result has expired' },
    },
    handle: async (call) => {
      const { product, identity, path, query, reply } = call;
      const id = path['id'] ?? '';
      const result = await statementResult(product, identity, {
        id,
        format: formatOf(call),
        limit: query['limit'] as number | undefined,
        offset: query['offset'] as number | undefined,
        columns: query['columns'] as readonly string[] | undefined,
        mayBeLong: true,
      });
      if (result.kind !== 'stream') {
        const limit = query['limit'] === undefined ? '' : `&limit=${query['limit']}`;
        const at = addressOf(call, id);
        const next = (offset: number): string => `${at}/result?offset=${offset}${limit}`;
        return reply.type('application/json').send(pageText(result, { next, trusted: result.statement }));
      }
      return (
        reply
          .type(result.contentType)
          // A file has no place for what is known of its data: the statement has it.
          .header('link', `<${addressOf(call, id)}>; rel="describedby"; type="application/json"`)
          .header('content-disposition', `attachment; filename="${result.fileName}"`)
          .send(Readable.from(result.chunks))
      );
    },
  },
  {
    method: 'POST',
    path: '/query/statement/{id}/cancel',
    operationId: 'cancelStatement',
    summary: 'Cancel a statement; one that has ended stays as it is',
    tag: 'query',
    access: 'query:read',
    answers: { 200: { description: 'the statement after the request', schema: STATEMENT_SCHEMA } },
    handle: async (call) => {
      const statement = await cancelStatement(call.product, call.identity, call.path['id'] ?? '');
      return statementBody(statement, addressOf(call, statement.id));
    },
  },
];
