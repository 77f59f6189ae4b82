import type { SourceRange } from '../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../foundation/sql/dialect.ts';
import type { SqlText } from './sql-text.ts';

/** A query over a model whose rows are failures: what must hold before rows are published. */
export interface Audit {
  readonly name: string;
  readonly file: string;
  readonly dialect: Dialect;
  readonly isBlocking: boolean;
  /** Standalone audits watch tables of their own instead of `@this_model`; they warn unless they say that they block. */
  readonly isStandalone: boolean;
  readonly skip: boolean;
  readonly onFailure: 'stop' | 'quarantine';
  /** SQL texts by argument name. */
  readonly defaults: Readonly<Record<string, string>>;
  readonly query: SqlText;
  /** `@DEF` lines and the like that stand before the query. */
  readonly statements: readonly SqlText[];
  readonly description?: string;
  readonly owner?: string;
  readonly dependsOn: readonly string[];
  readonly tags: readonly string[];
  readonly at: SourceRange;
}

/** One audit asked for by a model, with its arguments as SQL texts. */
export interface AuditUse {
  readonly name: string;
  readonly arguments: Readonly<Record<string, string>>;
  /** Overrides of the audit's own setting. */
  readonly isBlocking?: boolean;
  readonly onFailure?: 'stop' | 'quarantine';
  readonly at: SourceRange;
}
