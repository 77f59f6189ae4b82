import type { SemanticQuery } from '../../domain/semantic-query.ts';
import type { Statement } from '../../domain/statement.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { LongPage, ResultPage, ResultRows } from './result-page.ts';

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
  /** The page may be a `LongPage`. */
  readonly mayBeLong?: boolean | undefined;
  /** Beside the page: the rows of such a statement, not read yet. */
  readonly withRows?: boolean | undefined;
}

/** `ok: false` is what can be seen wrong before anything is queued; too many statements and the like are thrown as failures. */
export type SubmitAnswer =
  | {
      readonly ok: true;
      readonly statement: Statement;
      readonly page?: ResultPage;
      /** In its place, when pages may be long. */
      readonly longPage?: LongPage;
      readonly rows?: ResultRows;
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };
