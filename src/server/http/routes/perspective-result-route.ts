import { Readable } from 'node:stream';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { RESULT_FORMATS, RESULT_MEDIA_TYPES } from '../../../domain/result-format.ts';
import { isTerminal } from '../../../domain/statement.ts';
import { statementResult } from '../../../operations/ask/statement-result.ts';
import { askPerspective } from '../../../operations/perspectives/ask-perspective.ts';
import { Problem, refused } from '../answers/problem.ts';
import { pageText, statementText } from '../answers/statement-body.ts';
import type { JsonSchema, ProductCall, Route } from '../route.ts';
import { ENVIRONMENT } from '../schemas/name-schemas.ts';
import { RESULT_SCHEMA, STATEMENT_SCHEMA } from '../schemas/statement-schemas.ts';
import { addressOf, askerAfterWait, formatOf, seconds } from './statement-routes.ts';

const WAIT_SECONDS = 25;
const MEDIA_TYPES = Object.values(RESULT_MEDIA_TYPES);
const PARAMS: JsonSchema = {
  type: 'string',
  maxLength: 50_000,
  description: 'a JSON object with values of its parameters; those that are absent have their defaults',
};

/** Values by name, as they are in the address. */
function valuesIn({ query }: ProductCall): Readonly<Record<string, unknown>> {
  const written = query['params'] as string | undefined;
  if (written === undefined) return {};
  try {
    const read: unknown = JSON.parse(written);
    if (typeof read === 'object' && read !== null && !Array.isArray(read))
      return read as Readonly<Record<string, unknown>>;
  } catch {
    // Told below.
  }
  throw new Problem(422, diagnostic('perspective.bad-parameters', { detail: 'params is not a JSON object' }));
}

/** The reader's own statement; its result in any format. */
export const perspectiveResultRoute: Route<ProductCall> = {
  method: 'GET',
  path: '/perspectives/{perspective}/result',
  operationId: 'getPerspectiveResult',
  summary:
    'Ask a perspective as the caller: rows that policies leave them, a page as JSON or all of it in another format',
  tag: 'perspectives',
  access: 'query:read',
  query: {
    params: PARAMS,
    format: { type: 'string', enum: RESULT_FORMATS },
    limit: { type: 'integer', minimum: 0, maximum: 1_000_000_000 },
    offset: { type: 'integer', minimum: 0, maximum: 1_000_000_000_000 },
    columns: { type: 'array', maxItems: 2000, items: { type: 'string', maxLength: 500 } },
    wait: { type: 'number', minimum: 0, maximum: 50, description: `seconds; ${WAIT_SECONDS} when absent` },
    cache: { type: 'boolean', description: 'false: a kept answer is not taken' },
    environment: { ...ENVIRONMENT, description: 'the default one when absent' },
  },
  answers: {
    200: { description: 'rows', schema: RESULT_SCHEMA, types: MEDIA_TYPES },
    202: {
      description: 'the statement has not ended; Location says where its result will be',
      schema: STATEMENT_SCHEMA,
    },
    409: { description: 'the statement failed or was cancelled, and has no result' },
  },
  handle: async (call) => {
    const { product, identity, path, query, reply } = call;
    const format = formatOf(call);
    const waitMs = seconds(query['wait']) ?? WAIT_SECONDS * 1000;
    const answer = await askPerspective(product, identity, {
      slug: path['perspective'] ?? '',
      values: valuesIn(call),
      environment: query['environment'] as string | undefined,
      cache: query['cache'] as boolean | undefined,
      waitMs,
    });
    if (!answer.ok) throw refused(answer.diagnostics);
    const { statement } = answer;
    const at = addressOf(call, statement.id);
    if (!isTerminal(statement.status)) {
      reply.code(202).header('location', `${at}/result?format=${format}`);
      return reply.type('application/json').send(statementText(statement, { at }));
    }
    const asker = waitMs > 0 ? await askerAfterWait(call) : identity;
    const limit = query['limit'] as number | undefined;
    const result = await statementResult(product, asker, {
      id: statement.id,
      format,
      limit,
      offset: query['offset'] as number | undefined,
      columns: query['columns'] as readonly string[] | undefined,
      mayBeLong: true,
    });
    // Further pages are of the same statement: what changes meanwhile does not mix.
    reply.header('content-location', at);
    if (result.kind === 'stream')
      return reply
        .type(result.contentType)
        .header('content-disposition', `attachment; filename="${result.fileName}"`)
        .send(Readable.from(result.chunks));
    const more = limit === undefined ? '' : `&limit=${limit}`;
    return reply.type('application/json').send(
      pageText(result, {
        next: (offset) => `${at}/result?offset=${offset}${more}`,
        trusted: result.statement,
      }),
    );
  },
};
