import { badParameter, DataProductError, requiredSegment, requiredText } from './data-product-error.ts';
import {
  type AnyRecord,
  isSuccessful,
  isTerminal,
  type Page,
  pageOf,
  type Statement,
  type StatementResult,
} from './records.ts';
import { everyItem } from './resource-requests.ts';
import { type ClientAnswer, type ClientRequest, objectOf, type Transport } from './transport.ts';
import { expect } from './unexpected.ts';

/** How a question is answered; what is not said is left to the server. Times are in seconds, as on the wire. */
export interface SubmitOptions {
  readonly timezone?: string;
  readonly wait?: number;
  readonly onWaitTimeout?: 'continue' | 'cancel';
  readonly timeout?: number;
  readonly rowLimit?: number;
  readonly onLimit?: 'truncate' | 'fail';
  /** False: a kept answer is not taken. */
  readonly cache?: boolean;
  readonly ttl?: number;
  readonly tags?: readonly string[];
  readonly environment?: string;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export interface SqlOptions extends SubmitOptions {
  /** Values of `?` in the text. */
  readonly parameters?: readonly unknown[];
}

export interface MetricOptions extends SubmitOptions {
  readonly granularity?: string;
  readonly dimensions?: readonly string[];
  readonly filters?: readonly AnyRecord[];
  readonly segments?: readonly string[];
  readonly dateRange?: string | readonly string[];
  readonly order?: unknown;
  readonly limit?: number;
  readonly offset?: number;
  readonly total?: boolean;
}

export interface ResultOptions {
  readonly limit?: number;
  readonly offset?: number;
  readonly columns?: readonly string[];
}

export interface ListOptions {
  readonly limit?: number;
  readonly cursor?: string;
  readonly status?: string;
  readonly tag?: string;
  readonly all?: boolean;
}

const SUBMITTED = [200, 202];
/** Media types of files. */
export const FORMATS: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  arrow: 'application/vnd.apache.arrow.stream',
  parquet: 'application/vnd.apache.parquet',
};

/** Statements: submitted, asked after, fetched, cancelled. */
export class QueryGroup {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Submits SQL over models or semantic models; with `wait` it may have ended already. */
  async submitStatement(sql: string, options: SqlOptions = {}): Promise<Statement> {
    return this.#submit(['query', 'statement'], { statement: requiredText('sql', sql) }, options);
  }

  /** The statement as it is; with `wait` (seconds), as soon as it has ended. */
  async getStatement(
    id: string,
    options: { readonly wait?: number; readonly signal?: AbortSignal } = {},
  ): Promise<Statement> {
    const { wait, signal } = options;
    return this.#transport.send({
      method: 'GET',
      path: statementPath(id),
      params: { wait },
      signal,
      read: statementOf,
    });
  }

  /** All rows of the result, however many pages they are; with `limit`, one page of at most so many. A statement that has not ended is an error of status 202. */
  async getStatementResult(id: string, options: ResultOptions = {}): Promise<StatementResult> {
    const first = await this.#page(id, options);
    if (options.limit !== undefined || first.next === null) return first;
    const rows = [...first.rows];
    for (let next: string | null = first.next; next !== null; ) {
      const page = await this.#page(id, { ...options, offset: (options.offset ?? 0) + rows.length });
      for (const row of page.rows) rows.push(row);
      next = page.next;
    }
    return { ...first, rows, next: null };
  }

  /** The result page by page: at most one of them is in memory. */
  async *iterStatementResult(
    id: string,
    { pageSize = 10_000, columns }: { readonly pageSize?: number; readonly columns?: readonly string[] } = {},
  ): AsyncGenerator<StatementResult> {
    if (!(pageSize >= 1)) throw badParameter('pageSize', 'must be at least 1');
    for (let offset = 0; ; ) {
      const page = await this.#page(id, {
        limit: pageSize,
        offset,
        ...(columns === undefined ? {} : { columns }),
      });
      yield page;
      if (page.next === null) return;
      offset += page.rows.length;
    }
  }

  /** The bytes of the result as a file. */
  async downloadStatementResult(
    id: string,
    format: 'csv' | 'ndjson' | 'arrow' | 'parquet',
    options: ResultOptions = {},
  ): Promise<Uint8Array> {
    const expected = FORMATS[format];
    if (expected === undefined)
      throw badParameter('format', `must be one of ${Object.keys(FORMATS).join(', ')}`);
    return this.#transport.send({
      method: 'GET',
      path: [...statementPath(id), 'result'],
      params: { format, ...options },
      read: ({ contentType, bytes }) => {
        expect(contentType === expected, `it is ${contentType || 'of no type'}, not ${format}`);
        return bytes;
      },
    });
  }

  /** Cancels; a statement that has ended stays as it is. */
  async cancelStatement(id: string): Promise<Statement> {
    return this.#transport.send({
      method: 'POST',
      path: [...statementPath(id), 'cancel'],
      read: statementOf,
    });
  }

  /** One page of the caller's statements, newest first. */
  async listStatements(options: ListOptions = {}): Promise<Page<Statement>> {
    return this.#transport.send({
      method: 'GET',
      path: ['query', 'statement'],
      params: { ...options },
      read: (answer) => pageOf<Statement>(objectOf(answer, ['items'])),
    });
  }

  /** All of them, a page at a time. */
  iterStatements(options: Omit<ListOptions, 'cursor'> = {}): AsyncGenerator<Statement> {
    return everyItem((cursor) => this.listStatements({ ...options, ...cursor }));
  }

  /** Asks by members: `{measures: ['orders.revenue'], dimensions: ['orders.status']}`. */
  async querySemantic(query: AnyRecord, options: SubmitOptions = {}): Promise<Statement> {
    if (typeof query !== 'object' || query === null)
      throw badParameter('query', 'is missing: give an object');
    return this.#submit(['query', 'semantic', 'rest'], { query }, options);
  }

  /** Asks by SQL that must be over semantic models. */
  async querySemanticSql(sql: string, options: SqlOptions = {}): Promise<Statement> {
    return this.#submit(['query', 'semantic', 'sql'], { sql: requiredText('sql', sql) }, options);
  }

  /** Asks by GraphQL; the answer has `data` and `errors`. */
  async queryGraphql(query: string, variables?: AnyRecord): Promise<AnyRecord> {
    return this.#transport.send({
      method: 'POST',
      path: ['query', 'semantic', 'graphql'],
      body: { query: requiredText('query', query), ...(variables === undefined ? {} : { variables }) },
      read: (answer) => objectOf(answer),
    });
  }

  /** Asks for a metric. */
  async queryMetric(name: string, options: MetricOptions = {}): Promise<Statement> {
    return this.#submit(['query', 'metric', requiredSegment('name', name)], {}, options);
  }

  /** The same with everything in the address. */
  async getMetric(name: string, options: MetricOptions = {}): Promise<Statement> {
    const { filters, order, signal, ...others } = options;
    return this.#transport.send({
      method: 'GET',
      path: ['query', 'metric', requiredSegment('name', name)],
      params: {
        ...others,
        ...(filters === undefined ? {} : { filters: JSON.stringify(filters) }),
        ...(order === undefined ? {} : { order: JSON.stringify(order) }),
      },
      accepted: SUBMITTED,
      signal,
      read: statementOf,
    });
  }

  /** The SQL that a question means; nothing runs. */
  async transpile(question: {
    readonly sql?: string;
    readonly query?: AnyRecord;
    readonly metric?: string;
    readonly request?: AnyRecord;
    readonly timezone?: string;
    readonly environment?: string;
  }): Promise<AnyRecord> {
    const { sql, query, metric } = question;
    if ([sql, query, metric].filter((each) => each !== undefined).length !== 1)
      throw badParameter('sql, query or metric', 'is missing: give exactly one of them');
    return this.#transport.send({
      method: 'POST',
      path: ['query', 'transpile'],
      body: { ...question },
      read: (answer) => objectOf(answer, ['sql']),
    });
  }

  /** Submits, waits for the end and fetches all rows; a statement that fails is an error. Aborting cancels it. */
  async run(sql: string, options: SqlOptions = {}): Promise<StatementResult> {
    const wait = Math.min(25, (this.#transport.timeoutMs * 0.8) / 1000);
    const { signal, ...others } = options;
    // Until its id is known it cannot be cancelled: that part is short, and not broken off.
    let statement = await this.submitStatement(sql, { ...others, wait: Math.min(1, wait) });
    try {
      while (!isTerminal(statement))
        statement = await this.getStatement(statement.id, {
          wait,
          ...(signal === undefined ? {} : { signal }),
        });
    } catch (error) {
      // What is on its way to the caller is more important than that this could not be said.
      await this.cancelStatement(statement.id).catch(() => undefined);
      throw error;
    }
    if (!isSuccessful(statement)) throw failedStatement(statement);
    const { result } = statement;
    return result === undefined || result.next !== null ? this.getStatementResult(statement.id) : result;
  }

  #submit(
    path: readonly string[],
    question: AnyRecord,
    options: MetricOptions & SqlOptions,
  ): Promise<Statement> {
    const { idempotencyKey, signal, onWaitTimeout, rowLimit, onLimit, ...others } = options;
    const renamed = { on_wait_timeout: onWaitTimeout, row_limit: rowLimit, on_limit: onLimit };
    return this.#transport.send({
      method: 'POST',
      path,
      body: { ...question, ...others, ...renamed },
      accepted: SUBMITTED,
      idempotencyKey,
      signal,
      read: statementOf,
    });
  }

  #page(id: string, { limit, offset, columns }: ResultOptions): Promise<StatementResult> {
    const request: ClientRequest<StatementResult> = {
      method: 'GET',
      path: [...statementPath(id), 'result'],
      params: { limit, offset, columns },
      read: (answer) => {
        const page = resultOf(objectOf(answer, ['cols', 'rows']));
        expect(
          page.next === null || page.rows.length > 0 || limit === 0,
          'it promises more rows and has none',
        );
        return page;
      },
    };
    return this.#transport.send(request);
  }
}

const statementPath = (id: string): readonly string[] => ['query', 'statement', requiredSegment('id', id)];

function statementOf(answer: ClientAnswer): Statement {
  const body = objectOf(answer, ['id', 'status']);
  expect(typeof body['id'] === 'string' && body['id'] !== '', 'its id is not text');
  expect(typeof body['status'] === 'string', 'its status is not text');
  const { result } = body;
  return (result === undefined
    ? body
    : { ...body, result: resultOf(result as AnyRecord) }) as unknown as Statement;
}

export function resultOf(body: AnyRecord): StatementResult {
  const { cols, rows } = body;
  expect(
    Array.isArray(cols) && cols.every((col) => typeof (col as AnyRecord | null)?.['name'] === 'string'),
    'its cols are not columns',
  );
  expect(
    Array.isArray(rows) && rows.every((row) => Array.isArray(row) && row.length === cols.length),
    'its rows are not lists of as many cells as there are cols',
  );
  return { row_count: rows.length, truncated: false, next: null, ...body } as unknown as StatementResult;
}

/** The same status that its result would be answered with. */
function failedStatement({ id, status, error }: Statement): DataProductError {
  const why = error === null ? '' : `: ${error.message}`;
  return new DataProductError(409, `statement ${id} is ${status}${why}`, {
    code: error?.code,
    hint: error?.hint ?? undefined,
  });
}
