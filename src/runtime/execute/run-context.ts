import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { NewEvent } from '../../domain/event.ts';
import { Failure, failure } from '../../domain/failure.ts';
import type { Stage } from '../../domain/plan.ts';
import type { AuditResult, ModelResult, RunEvent } from '../../domain/run.ts';
import type { Restatement } from '../../domain/state-store.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { World } from '../world.ts';
import type { Contents } from './contents.ts';
import type { PreparedTables } from './prepared-tables.ts';
import type { Proofs } from './proofs.ts';
import type { ShownEnvironments } from './shown-environments.ts';
import type { StagesToRun } from './stages-to-run.ts';
import type { ViewLocks } from './view-locks.ts';

/** What every stage of one run shares. */
export interface RunContext {
  readonly world: World;
  readonly execution: StagesToRun;
  readonly contents: Contents;
  /** Token of the environment's lease: what a promotion is fenced with. */
  readonly environmentToken: number;
  /** What waits to be filled again, as read when the run began. */
  readonly restatements: readonly Restatement[];
  /** Keys of the tables that had rows in the ledger when the run began. */
  readonly knownTables: ReadonlySet<string>;
  /** Leases and ledger of stages that were prepared together, by stage id; undefined: the stage asks for itself. */
  readonly prepared: Map<string, Promise<PreparedTables | undefined>>;
  /** What environments show, by the mark under which it was read. */
  readonly shownByMark: Map<string, Promise<ShownEnvironments>>;
  /** Which audits this run knows to hold. */
  readonly proofs: Proofs;
  /** Views that stages of this run must not audit at the same time. */
  readonly viewLocks: ViewLocks;
  /** What became of each model so far. */
  readonly results: Map<string, ModelResult>;
  /** Aborted: begin nothing new. */
  readonly stop: AbortSignal;
  /** Aborted: give up what is running. Its reason is the failure to report. */
  readonly cancel: AbortSignal;
  /** Shows an event at once and keeps it for the log. */
  emit(event: RunEvent): void;
  /** Takes the events that the log has not got yet: they go with the next change of state. */
  takeEvents(): readonly NewEvent[];
  /** Work that nothing in this run waits for; the run ends after it, and its failure is the run's. */
  finishLater(work: Promise<void>): void;
  /** Ends the run at once: another process may have taken over its work. */
  loseLease(detail: string): void;
}

/** Stores the outcome of a model and reports it; later stages of the same model add to it. */
export function report(context: RunContext, result: ModelResult): void {
  const earlier = context.results.get(result.name);
  const merged = earlier === undefined ? result : { ...result, audits: mergeAudits(earlier, result) };
  context.results.set(result.name, merged);
  context.emit({ event: EVENTS[merged.status], result: merged });
}

const EVENTS = {
  built: 'model.built',
  'up-to-date': 'model.built',
  failed: 'model.failed',
  skipped: 'model.skipped',
} as const;

const mergeAudits = (earlier: ModelResult, later: ModelResult): readonly AuditResult[] => [
  ...earlier.audits.filter(({ name }) => !later.audits.some((audit) => audit.name === name)),
  ...later.audits,
];

/** The models whose rows a stage is about: they fail or are skipped with it. */
export function modelsOfStage(stage: Stage): readonly string[] {
  switch (stage.kind) {
    case 'backfill':
      return stage.members.map(({ model }) => model);
    case 'audit':
    case 'migrate':
      return [stage.table.model];
    default:
      return [];
  }
}

export const EMPTY_RESULT = { intervals: [], rows: 0, ms: 0, audits: [] } as const;

/** The words for an error: a failure's own; anything else is a bug of Plinth. */
export function diagnosticOf(error: unknown, what: string): Diagnostic {
  if (error instanceof Failure) return error.diagnostic;
  return diagnostic('run.bug', { what, detail: error instanceof Error ? error.message : String(error) });
}

/** Throws when the run was asked to end; `what` is what will not be done. */
export function refuseWhenStopped(context: RunContext, what: string): void {
  if (context.cancel.aborted && context.cancel.reason instanceof Failure) throw context.cancel.reason;
  if (context.stop.aborted) throw failure('run.cancelled', { what });
}
