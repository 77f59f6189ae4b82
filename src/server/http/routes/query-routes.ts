/** The query group: questions in, statements and results out. */

import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { StatementLimits } from '../../../domain/server-limits.ts';
import { isTerminal } from '../../../domain/statement.ts';
import { checkOwnStatement } from '../../../operations/ask/statement-result.ts';
import type { Question, Submission } from '../../../operations/ask/submission.ts';
import { submitStatement } from '../../../operations/ask/submit-statement.ts';
import { transpileQuestion } from '../../../operations/ask/transpile-question.ts';
import { Problem, refused } from '../answers/problem.ts';
import { statementText } from '../answers/statement-body.ts';
import type { JsonSchema, ProductCall, Route } from '../route.ts';
import { ENVIRONMENT } from '../schemas/name-schemas.ts';
import { STATEMENT_SCHEMA, TRANSPILED } from '../schemas/statement-schemas.ts';
import { addressOf, askerAfterWait, seconds, statementRoutes } from './statement-routes.ts';

/** Fields that every submission may have. */
const how = (limits: StatementLimits): Readonly<Record<string, JsonSchema>> => ({
  ...WHERE,
  timeout: {
    type: 'number',
    exclusiveMinimum: 0,
    maximum: limits.timeoutMsMax / 1000,
    description: `seconds; ${limits.timeoutMs / 1000} when absent`,
  },
  on_wait_timeout: {
    type: 'string',
    enum: ['continue', 'cancel'],
    description: 'what happens to a statement that takes longer than `wait`; it continues when absent',
  },
  row_limit: {
    type: 'integer',
    minimum: 1,
    maximum: 1_000_000_000,
    description: 'the most rows of the result',
  },
  on_limit: {
    type: 'string',
    enum: ['truncate', 'fail'],
    description: 'what happens to further rows; truncate when absent',
  },
  cache: {
    type: 'boolean',
    description: 'false: execute it even when the same question was answered from the same data',
  },
  ttl: {
    type: 'number',
    minimum: 0,
    maximum: limits.keptMs / 1000,
    description:
      'seconds: how old an answer from the cache may be; without it, answers of external tables or volatile functions are not kept',
  },
  tags: {
    type: 'array',
    description: 'words to find it by',
    maxItems: limits.tagsMax,
    items: { type: 'string', minLength: 1, maxLength: 100 },
  },
});

const WHERE = {
  timezone: {
    type: 'string',
    maxLength: 64,
    description: 'an IANA name for the buckets of times; UTC when absent',
  },
  wait: {
    type: 'number',
    minimum: 0,
    maximum: 50,
    description: 'seconds to wait for the end before answering 202',
  },
  environment: { ...ENVIRONMENT, description: 'the default one when absent' },
} as const satisfies Readonly<Record<string, JsonSchema>>;

const parametersOf = ({ parametersMax }: StatementLimits): JsonSchema => ({
  type: 'array',
  maxItems: parametersMax,
  items: { type: ['string', 'number', 'boolean', 'null'] },
  description: 'values of `?` in their order',
});

const sqlOf = ({ sqlBytesMax }: StatementLimits): JsonSchema => ({
  type: 'string',
  minLength: 1,
  maxLength: sqlBytesMax,
  description: 'one SELECT',
});

const METRIC_FIELDS: Readonly<Record<string, JsonSchema>> = {
  granularity: { type: 'string', maxLength: 64 },
  dimensions: { type: 'array', maxItems: 500, items: { type: 'string', maxLength: 500 } },
  filters: { type: 'array', maxItems: 10_000 },
  segments: { type: 'array', maxItems: 500, items: { type: 'string', maxLength: 500 } },
  dateRange: { type: ['string', 'array'] },
  order: {},
  limit: { type: 'integer', minimum: 1 },
  offset: { type: 'integer', minimum: 0 },
  total: { type: 'boolean' },
};

type Fields = Readonly<Record<string, unknown>>;

function submissionOf(fields: Fields, question: Question, waitSeconds: number): Submission {
  return {
    question,
    environment: fields['environment'] as string | undefined,
    timezone: fields['timezone'] as string | undefined,
    timeoutMs: seconds(fields['timeout']),
    rowLimit: fields['row_limit'] as number | undefined,
    onLimit: fields['on_limit'] as Submission['onLimit'],
    cache: fields['cache'] as boolean | undefined,
    ttlMs: seconds(fields['ttl']),
    tags: fields['tags'] as readonly string[] | undefined,
    waitMs: seconds(fields['wait']) ?? waitSeconds * 1000,
    onWaitTimeout: fields['on_wait_timeout'] as Submission['onWaitTimeout'],
    mayBeLong: true,
  };
}

/** 200 with the statement and the first page of its result when it has ended, else 202 and where to ask. */
async function submit(
  call: ProductCall,
  {
    question,
    fields,
    waitSeconds,
  }: { readonly question: Question; readonly fields: Fields; readonly waitSeconds: number },
): Promise<unknown> {
  const { product, identity, reply } = call;
  const submission = submissionOf(fields, question, waitSeconds);
  const answer = await submitStatement(product, identity, submission);
  if (!answer.ok) throw refused(answer.diagnostics);
  const { statement, page, longPage } = answer;
  const asker = (submission.waitMs ?? 0) > 0 ? await askerAfterWait(call) : identity;
  if (asker !== identity) await checkOwnStatement(product, asker, statement.id);
  const at = addressOf(call, statement.id);
  reply.code(isTerminal(statement.status) ? 200 : 202).header('location', at);
  return reply.type('application/json').send(statementText(statement, { at, page: page ?? longPage }));
}

const SUBMITTED = {
  200: {
    description: 'the statement has ended, with the first page of its result',
    schema: STATEMENT_SCHEMA,
  },
  202: {
    description: 'the statement was accepted; Location says where to ask for it',
    schema: STATEMENT_SCHEMA,
  },
} as const;

const submitting = (
  path: string,
  operationId: string,
  about: {
    readonly summary: string;
    readonly body: JsonSchema;
    readonly waitSeconds: number;
    readonly access: Route['access'];
  },
  questionOf: (fields: Fields, call: ProductCall) => Question,
): Route<ProductCall> => ({
  method: 'POST',
  path,
  operationId,
  summary: about.summary,
  tag: 'query',
  access: about.access,
  body: about.body,
  answers: SUBMITTED,
  handle: (call) => {
    const fields = call.body as Fields;
    return submit(call, { question: questionOf(fields, call), fields, waitSeconds: about.waitSeconds });
  },
});

const sqlQuestion = (kind: 'sql' | 'semantic-sql', fields: Fields): Question => {
  const written = (fields['statement'] ?? fields['sql']) as string | undefined;
  if (written === undefined || (fields['statement'] !== undefined && fields['sql'] !== undefined))
    throw new Problem(422, diagnostic('http.invalid', { count: 'one thing' }), {
      errors: [{ path: 'body/statement', message: 'give the text once, as statement or as sql' }],
    });
  return {
    kind,
    sql: written,
    ...(fields['parameters'] === undefined ? {} : { parameters: fields['parameters'] as readonly unknown[] }),
  };
};

/** All that is left of the fields when those of the submission are taken off. */
function metricRequest(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(METRIC_FIELDS, name)));
}

function questionRoutes(limits: StatementLimits): readonly Route<ProductCall>[] {
  const [HOW, SQL, PARAMETERS] = [how(limits), sqlOf(limits), parametersOf(limits)];
  const body = (
    properties: Readonly<Record<string, JsonSchema>>,
    required: readonly string[],
    example: Fields,
  ): JsonSchema => ({
    type: 'object',
    additionalProperties: false,
    required,
    properties: { ...properties, ...HOW },
    examples: [example],
  });
  return [
    submitting(
      '/query/statement',
      'submitStatement',
      {
        summary: 'Submit SQL over models or semantic models',
        body: body(
          {
            statement: { ...SQL, description: 'the same as sql; give one of them' },
            sql: SQL,
            parameters: PARAMETERS,
          },
          [],
          {
            sql: 'SELECT * FROM marts.daily_sales ORDER BY 1 DESC LIMIT 5',
            wait: 10,
          },
        ),
        waitSeconds: 0,
        access: 'query:read',
      },
      (fields) => sqlQuestion('sql', fields),
    ),
    submitting(
      '/query/semantic/rest',
      'querySemantic',
      {
        summary: 'Ask by members',
        body: body({ query: { type: 'object' } }, ['query'], {
          query: { measures: ['orders.revenue'], dimensions: ['customers.region'] },
        }),
        waitSeconds: 25,
        access: 'query:read',
      },
      ({ query }) => ({ kind: 'semantic-query', query }),
    ),
    submitting(
      '/query/semantic/sql',
      'querySemanticSql',
      {
        summary: 'Ask by SQL over semantic models and metrics',
        body: body({ sql: SQL, parameters: PARAMETERS }, ['sql'], {
          sql: 'SELECT status, MEASURE(revenue) AS revenue FROM orders GROUP BY status',
        }),
        waitSeconds: 25,
        access: 'query:read',
      },
      (fields) => sqlQuestion('semantic-sql', fields),
    ),
    submitting(
      '/query/metric/{name}',
      'queryMetric',
      {
        summary: 'Ask for a metric',
        body: body(METRIC_FIELDS, [], { granularity: 'month', dimensions: ['region'] }),
        waitSeconds: 25,
        access: 'query:read',
      },
      (fields, { path }) => ({ kind: 'metric', metric: path['name'] ?? '', request: metricRequest(fields) }),
    ),
    {
      method: 'GET',
      path: '/query/metric/{name}',
      operationId: 'getMetric',
      summary: 'Ask for a metric',
      tag: 'query',
      access: 'query:read',
      query: {
        granularity: METRIC_FIELDS['granularity'] as JsonSchema,
        dimensions: METRIC_FIELDS['dimensions'] as JsonSchema,
        segments: METRIC_FIELDS['segments'] as JsonSchema,
        dateRange: {
          type: 'array',
          maxItems: 2,
          items: { type: 'string', maxLength: 100 },
          description: 'from and to, or one relative range',
        },
        filters: { type: 'string', maxLength: 100_000, description: 'a JSON list of filters' },
        order: { type: 'string', maxLength: 100_000, description: 'JSON: an object or a list of pairs' },
        total: METRIC_FIELDS['total'] as JsonSchema,
        limit: METRIC_FIELDS['limit'] as JsonSchema,
        offset: METRIC_FIELDS['offset'] as JsonSchema,
        timezone: WHERE.timezone,
        wait: WHERE.wait,
        environment: WHERE.environment,
      },
      answers: SUBMITTED,
      handle: (call) => {
        const fields: Fields = { ...call.query, ...fieldsOfAddress(call.query) };
        const question: Question = {
          kind: 'metric',
          metric: call.path['name'] ?? '',
          request: metricRequest(fields),
        };
        return submit(call, { question, fields, waitSeconds: 25 });
      },
    },
    {
      method: 'POST',
      path: '/query/transpile',
      operationId: 'transpile',
      summary: 'The SQL that a question means; nothing runs',
      tag: 'query',
      access: 'query:read',
      body: {
        type: 'object',
        additionalProperties: false,
        properties: {
          sql: SQL,
          query: { type: 'object' },
          metric: { type: 'string', minLength: 1, maxLength: 500 },
          request: { type: 'object' },
          timezone: WHERE.timezone,
          environment: WHERE.environment,
        },
        examples: [{ query: { measures: ['orders.revenue'], dimensions: ['orders.status'] } }],
      },
      answers: { 200: { description: 'SQL of the warehouse', schema: TRANSPILED } },
      mayRepeat: async (call, { text }) =>
        JSON.stringify(await transpiledBody(call)) === JSON.stringify(JSON.parse(text)),
      handle: transpiledBody,
    },
  ];
}

async function transpiledBody({ product, identity, body }: ProductCall): Promise<unknown> {
  const fields = body as Fields;
  const answer = await transpileQuestion(product, identity, {
    question: transpiled(fields),
    environment: fields['environment'] as string | undefined,
    timezone: fields['timezone'] as string | undefined,
  });
  if (!answer.ok) throw refused(answer.diagnostics);
  const { queryType, sql, columns, dependsOn, notes } = answer;
  return { query_type: queryType, sql, columns, depends_on: dependsOn, notes };
}

function transpiled(fields: Fields): Question {
  const { sql, query, metric, request } = fields;
  if ([sql, query, metric].filter((each) => each !== undefined).length !== 1)
    throw new Problem(422, diagnostic('http.invalid', { count: 'one thing' }), {
      errors: [{ path: 'body', message: 'give exactly one of sql, query and metric' }],
    });
  if (sql !== undefined) return { kind: 'sql', sql: sql as string };
  if (query !== undefined) return { kind: 'semantic-query', query };
  return { kind: 'metric', metric: metric as string, request: request ?? {} };
}

/** What addresses spell otherwise than bodies: ranges of one word, and JSON as text. */
function fieldsOfAddress({ dateRange, ...fields }: Fields): Fields {
  const range = dateRange as readonly string[] | undefined;
  const read = (name: string): Fields => {
    if (fields[name] === undefined) return {};
    try {
      return { [name]: JSON.parse(fields[name] as string) };
    } catch {
      throw new Problem(422, diagnostic('http.invalid', { count: 'one thing' }), {
        errors: [{ path: `querystring/${name}`, message: 'is not JSON' }],
      });
    }
  };
  return {
    ...(range === undefined ? {} : { dateRange: range.length === 1 ? range[0] : range }),
    ...read('filters'),
    ...read('order'),
  };
}

/** Their schemas say what the server's limits are. */
export const queryRoutes = (limits: StatementLimits): readonly Route<ProductCall>[] => [
  ...questionRoutes(limits),
  ...statementRoutes,
];
