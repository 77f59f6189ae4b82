import type { ModelInfo } from './model-info.ts';

/** One model as `plinth info MODEL --json` prints it: what `plinth info --json` says of it, and what surrounds it. */
export interface ModelDetail extends ModelInfo {
  /** Which columns and settings the kind keeps the table by; empty when it has none. */
  readonly kind_options: Readonly<Record<string, string>>;
  /** The audits with their arguments, as SQL. */
  readonly audit_calls: readonly string[];
  /** Audits that belong to no model and read this one. */
  readonly standalone_audits: readonly string[];
  readonly dq_packs: readonly string[];
  readonly tests: readonly string[];
  readonly read_by: {
    /** Models whose queries name it. */
    readonly models: readonly string[];
    readonly semantic_models: readonly string[];
    /** Computed from its semantic models, also by way of other metrics. */
    readonly metrics: readonly string[];
  };
  readonly start: string | null;
  /** As the engine gets it; null for external tables, seeds and queries that cannot be rendered. */
  readonly sql: string | null;
}
