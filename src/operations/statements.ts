import type { Identity } from '../domain/principal.ts';
import type { SemanticQuery } from '../domain/semantic-query.ts';
import type { QueryType, Statement, StatementColumn, StatementStatus } from '../domain/statement.ts';
import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import type { Product } from './platform.ts';

/** What is asked, in one of its spellings. JSON from outside is handed over as it came: it is checked here. */
export type Question =
  /** Over models; over semantic models when it names one. */
  | { readonly kind: 'sql'; readonly sql: string; readonly parameters?: readonly unknown[] }
  /** As `sql`, and refused when it names no semantic model. */
  | { readonly kind: 'semantic-sql'; readonly sql: string; readonly parameters?: readonly unknown[] }
  /** `query` is a SemanticQuery in JSON. */
  | { readonly kind: 'semantic-query'; readonly query: unknown }
  /** A SemanticQuery that was made here, not read from JSON. */
  | { readonly kind: 'built-query'; readonly query: SemanticQuery }
  /** `request`: `{granularity, dimensions, filters, dateRange, segments, order, limit, offset, total}` in JSON. */
  | { readonly kind: 'metric'; readonly metric: string; readonly request: unknown };

/** A question with all that may be said about how it is answered. */
export interface Submission {
  readonly question: Question;
  /** The project's default when absent. */
  readonly environment?: string | undefined;
  /** IANA zone of semantic questions; SQL over models works in UTC. */
  readonly timezone?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly rowLimit?: number | undefined;
  /** `truncate` unless said. */
  readonly onLimit?: 'truncate' | 'fail' | undefined;
  /** False: a kept answer is not taken. Work in progress is shared all the same. */
  readonly cache?: boolean | undefined;
  /** How old a kept answer may be; as long as it is kept when absent. */
  readonly ttlMs?: number | undefined;
  readonly tags?: readonly string[] | undefined;
  /** How long to wait for the end; 0 when absent. */
  readonly waitMs?: number | undefined;
  readonly onWaitTimeout?: 'continue' | 'cancel' | undefined;
  /** Rows of the first page, which comes with a statement that succeeded within the wait; 0: none. */
  readonly pageRows?: number | undefined;
}

/** `ok: false` is what can be seen wrong before anything is queued; too many statements and the like are thrown as failures. */
export type SubmitAnswer =
  | { readonly ok: true; readonly statement: Statement; readonly page?: ResultPage }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Some rows of a result. */
export interface ResultPage {
  readonly kind: 'page';
  readonly columns: readonly StatementColumn[];
  /** JSON text of a list of rows, each a list of cells: it goes into an answer as it is. */
  readonly rows: string;
  /** Rows in this page, and in the whole result. */
  readonly count: number;
  readonly rowCount: number;
  readonly isTruncated: boolean;
  /** Where the next page begins; absent after the last row. */
  readonly nextOffset?: number;
}

/** A whole result as a file, in pieces: reading slowly is harmless, breaking off ends it. */
export interface ResultStream {
  readonly kind: 'stream';
  readonly contentType: string;
  readonly fileName: string;
  readonly chunks: AsyncIterable<Buffer>;
}

export const RESULT_FORMATS = ['json', 'csv', 'ndjson', 'arrow', 'parquet'] as const;

export interface ResultRequest {
  /** `json` gives a page, everything else a stream. */
  readonly format: (typeof RESULT_FORMATS)[number];
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Names of columns, in the order wanted. */
  readonly columns?: readonly string[] | undefined;
}

/** What a question becomes, without anything being run. */
export type TranspiledQuestion =
  | {
      readonly ok: true;
      readonly queryType: QueryType;
      readonly sql: string;
      readonly columns: readonly { readonly name: string; readonly type: string }[];
      readonly dependsOn: readonly string[];
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

export interface ListRequest {
  readonly limit: number;
  /** Older than this id: where the last list ended. */
  readonly before?: string | undefined;
  readonly status?: StatementStatus | undefined;
  readonly tag?: string | undefined;
  /** Of others too, with the scope `query:read-all`. */
  readonly all?: boolean | undefined;
}

const notWritten = (): Promise<never> => Promise.reject(new Error('statements are not written yet'));

/** Takes over what a process that died has left, and begins to work; the first statement does it too. */
export function openStatements(_product: Product): Promise<void> {
  return notWritten();
}

/** Accepts nothing new, gives what runs so long to end, and leaves the rest to the next process. */
export function closeStatements(_product: Product, _drainMs = 0): Promise<void> {
  return notWritten();
}

/** Compiles, accepts and, when asked to, waits. An answer means that it is stored. */
export function submitStatement(
  _product: Product,
  _asker: Identity,
  _submission: Submission,
): Promise<SubmitAnswer> {
  return notWritten();
}

/** The statement; with `waitMs`, as soon as it differs from `sinceVersion` or, without one, has ended. Throws `statement.unknown`. */
export function getStatement(
  _product: Product,
  _asker: Identity,
  _request: {
    readonly id: string;
    readonly waitMs?: number | undefined;
    readonly sinceVersion?: number | undefined;
  },
): Promise<Statement> {
  return notWritten();
}

/** Throws `statement.unknown`, `.not-finished`, `.no-result` and `.expired`. */
export function statementResult(
  _product: Product,
  _asker: Identity,
  _request: ResultRequest & { readonly id: string },
): Promise<ResultPage | ResultStream> {
  return notWritten();
}

/** The statement as it is then; one that has ended stays as it is. */
export function cancelStatement(_product: Product, _asker: Identity, _id: string): Promise<Statement> {
  return notWritten();
}

/** Newest first. */
export function listStatements(
  _product: Product,
  _asker: Identity,
  _request: ListRequest,
): Promise<{ readonly items: readonly Statement[]; readonly next?: string }> {
  return notWritten();
}

/** The SQL that a question means for this caller, policies included. */
export function transpileQuestion(
  _product: Product,
  _asker: Identity,
  _submission: Pick<Submission, 'question' | 'environment' | 'timezone'>,
): Promise<TranspiledQuestion> {
  return notWritten();
}
