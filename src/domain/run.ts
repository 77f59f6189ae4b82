import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import type { RangeSet } from '../foundation/time/ranges.ts';
import type { Stage } from './plan.ts';

/** A record of executed stages: who, when, what happened. Applying a plan is a run, too. */
export interface Run {
  readonly id: string;
  readonly kind: 'plan' | 'run' | 'rollback' | 'janitor' | 'audit' | 'quarantine';
  readonly environment: string;
  readonly planId?: string;
  readonly who: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly executionTime: number;
  /** The models it was limited to, as written; absent: everything that was due. */
  readonly selection?: string;
  /** It did not look at everything that was due: a selection, or a range of time. */
  readonly isPart?: true;
  /** `interrupted` is written by the process that finds its lease expired. */
  readonly status: 'running' | 'succeeded' | 'failed' | 'interrupted' | 'cancelled';
  readonly models: readonly ModelResult[];
  readonly error?: Diagnostic;
}

/** What became of one model in a run. */
export interface ModelResult {
  readonly name: string;
  readonly status: 'built' | 'failed' | 'skipped' | 'up-to-date';
  readonly intervals: RangeSet;
  readonly rows: number;
  readonly ms: number;
  readonly error?: Diagnostic;
  readonly audits: readonly AuditResult[];
  /** Rows held back and rows let through, of every write together; present when an audit quarantines. */
  readonly balance?: { readonly input: number; readonly published: number; readonly quarantined: number };
  /** Rows whose time is NULL or outside the interval that was filled. */
  readonly rowsOutside?: number;
  /** The model whose failure stopped this one: upstream, or a view over it whose audit failed. */
  readonly because?: string;
}

export interface AuditResult {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'warned' | 'quarantined' | 'skipped';
  readonly failedRows: number;
  /** Where a sample of the failing rows was kept. */
  readonly sample?: string;
}

/** Written before work and removed after it, so that a crash in between is found and repaired. */
export interface Intent {
  readonly id: string;
  readonly runId: string;
  readonly environment: string;
  readonly stage: Stage;
  readonly at: number;
}

/** Something that happens while stages are executed: the CLI draws it, the server streams it, the log keeps it. */
export type RunEvent =
  | { readonly event: 'run.started'; readonly run: Run; readonly stages: number; readonly models: number }
  | { readonly event: 'stage.started'; readonly stage: Stage }
  | { readonly event: 'stage.finished'; readonly stage: Stage; readonly ms: number }
  | { readonly event: 'stage.failed'; readonly stage: Stage; readonly error: Diagnostic }
  | { readonly event: 'model.started'; readonly model: string; readonly batches: number }
  | {
      readonly event: 'model.progress';
      readonly model: string;
      readonly batch: number;
      readonly batches: number;
      readonly rows: number;
    }
  | { readonly event: 'model.waiting'; readonly model: string; readonly holder: string }
  | { readonly event: 'model.built'; readonly result: ModelResult }
  | { readonly event: 'model.failed'; readonly result: ModelResult }
  | { readonly event: 'model.skipped'; readonly result: ModelResult }
  | {
      readonly event: 'audit.failed';
      readonly model: string;
      readonly audit: AuditResult;
      readonly isBlocking: boolean;
    }
  | {
      readonly event: 'environment.promoted';
      readonly environment: string;
      readonly views: number;
      readonly removed: number;
    }
  | {
      readonly event: 'warehouse.cleaned';
      /** Tables and views that are gone, as `schema.name`. */
      readonly dropped: readonly string[];
      /** What had to stay, and why. */
      readonly kept: readonly { readonly name: string; readonly reason: string }[];
      readonly environments: readonly string[];
    }
  | {
      /** Rows that audits held back left their quarantine. */
      readonly event: 'quarantine.released' | 'quarantine.discarded';
      readonly model: string;
      readonly table: string;
      readonly rows: number;
      /** Rows among them that failed an audit all the same. */
      readonly accepted: number;
      readonly reason?: string;
      readonly who: string;
    }
  | { readonly event: 'run.recovered'; readonly runId: string; readonly did: string }
  | { readonly event: 'run.finished'; readonly run: Run };
