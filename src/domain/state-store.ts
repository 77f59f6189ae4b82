import type { RangeSet } from '../foundation/time/ranges.ts';
import type { AccessReader, AccessStore } from './access-store.ts';
import type { AnswerStore } from './answer-store.ts';
import type { LedgerSummary } from './engine.ts';
import type { Environment } from './environment.ts';
import type { EventReader, NewEvent } from './event.ts';
import type { Lease, LeaseAnswer, TablesAnswer } from './lease.ts';
import type { NotificationReader, NotificationStore } from './notification-store.ts';
import type { PerspectiveReader, PerspectiveStore } from './perspective-store.ts';
import type { Plan, PlanOutline } from './plan.ts';
import type { PrincipalReader, PrincipalStore } from './principal-store.ts';
import type { QualityReader, QualityStore } from './quality-store.ts';
import type { TableId } from './relation.ts';
import type { Intent, Run } from './run.ts';
import type { Snapshot, SnapshotContent } from './snapshot.ts';
import type {
  Execution,
  ExecutionEnd,
  ExecutionResult,
  ExecutionTask,
  NewStatement,
  Statement,
  StatementStatus,
} from './statement.ts';
import type { WrittenRows } from './written-rows.ts';

/*
 * What the platform remembers, as small stores over one database. Every method is one transaction; every writing
 * method is named after a change, writes all that the change touches, and appends the events it is given to the log.
 */

/** A plan as it was stored; the plan itself is read by `plan(id)`. */
export interface PlanRecord {
  readonly id: string;
  readonly environment: string;
  readonly createdAt: number;
  readonly who: string;
  readonly status: 'planned' | 'applying' | 'applied' | 'failed' | 'interrupted';
  /** When its environment began to show it; absent when it never did. */
  readonly promotedAt?: number;
  readonly changes: number;
  readonly stages: number;
}

/** One promotion of an environment, newest first in lists: what a rollback can go back to. */
export interface Promotion {
  readonly environment: Environment;
  readonly at: number;
}

/** A filled interval that must be filled again: done when the ledger shows it with a fencing token greater than `sinceToken`. */
export interface Restatement {
  readonly table: TableId;
  readonly ranges: RangeSet;
  readonly sinceToken: number;
  readonly planId: string;
}

/** A promotion that was begun: finished when the engine shows its id, else nothing happened. */
export interface PromotionIntent {
  readonly target: Environment;
  readonly runId: string;
}

/** Snapshots, environments and plans: reading half. */
export interface SnapshotReader {
  environment(name: string): Promise<Environment | undefined>;
  environments(): Promise<readonly Environment[]>;
  /** Newest first; all of them without a limit. */
  promotions(environment: string, limit?: number): Promise<readonly Promotion[]>;
  /** Known snapshots among these fingerprints; all that are stored when absent. */
  snapshots(fingerprints?: readonly string[]): Promise<readonly Snapshot[]>;
  contents(fingerprints: readonly string[]): Promise<ReadonlyMap<string, SnapshotContent>>;
  plan(id: string): Promise<Plan | undefined>;
  /** Cheap also for a plan of thousands of models. */
  planOutline(id: string): Promise<PlanOutline | undefined>;
  /** Newest first; with `id` that one. */
  plans(request: {
    readonly id?: string;
    readonly environment?: string;
    readonly status?: PlanRecord['status'];
    /** Only those with a smaller id: ids grow with time. */
    readonly before?: string;
    readonly limit: number;
  }): Promise<readonly PlanRecord[]>;
}

export interface SnapshotStore extends SnapshotReader {
  savePlan(plan: Plan, who: string, events: readonly NewEvent[]): Promise<void>;
  /**
   * The plan is being applied by a run: stores its snapshots as tried (of those that were promoted the first wins; an
   * equal id with different content is `state.snapshot-differs`) and its restatements with the present tokens of their
   * tables' leases. Refused with `environment.moved` when the environment is not at the plan's base promotion, or when
   * another plan has shown one of its snapshots from another table, or is about to.
   */
  beginPlan(plan: Plan, run: Run, events: readonly NewEvent[]): Promise<void>;
  /** Every process that takes a lease from now on sees it. Answers with the mark of everything else that is promoted. */
  beginPromotion(intent: PromotionIntent): Promise<string>;
  /**
   * The environment record changes, its snapshots are tried no longer, the intent goes, the promotion joins the history.
   * Idempotent: one that is in the history already changes nothing, since another promotion may have followed.
   */
  finishPromotion(target: Environment, at: number, events: readonly NewEvent[]): Promise<void>;
  /** Only if it is still this run's. */
  dropPromotion(environment: string, runId: string): Promise<void>;
  /** Marks an environment as expired. */
  invalidate(environment: string, at: number, events: readonly NewEvent[]): Promise<void>;
  /** The janitor's last step: environments, snapshots and intervals that are gone from the warehouse. Incidents that are open in such an environment go, too. */
  forget(
    gone: {
      readonly environments: readonly string[];
      readonly fingerprints: readonly string[];
      readonly tables: readonly TableId[];
    },
    events: readonly NewEvent[],
  ): Promise<void>;
}

/** Runs, leases, intents and intervals: reading half. */
export interface JournalReader {
  /** Filled intervals by `tableKey`, less what is waiting to be restated. Tables never filled are absent. */
  intervals(tables?: readonly TableId[]): Promise<ReadonlyMap<string, RangeSet>>;
  restatements(): Promise<readonly Restatement[]>;
  intents(): Promise<readonly Intent[]>;
  promotionIntents(): Promise<readonly PromotionIntent[]>;
  leases(): Promise<readonly Lease[]>;
  run(id: string): Promise<Run | undefined>;
  runs(request: {
    readonly environment?: string;
    readonly status?: Run['status'];
    /** Only those with a smaller id: ids grow with time. */
    readonly before?: string;
    readonly limit: number;
  }): Promise<readonly Run[]>;
  /** Last data version per `tableKey` as copied from the ledger. */
  dataVersions(tables?: readonly TableId[]): Promise<ReadonlyMap<string, string>>;
}

export interface JournalStore extends JournalReader {
  /** Takes the environment's lease and records the run, or neither. Expired leases of others are taken over, with a greater fencing token. */
  startRun(
    run: Run,
    request: { readonly now: number; readonly events: readonly NewEvent[] },
  ): Promise<LeaseAnswer>;
  /** Takes the table leases (or finds them already held by this run) and writes the intent, or neither. */
  startBackfill(
    intent: Intent,
    request: { readonly tables: readonly TableId[]; readonly who: string; readonly now: number },
  ): Promise<TablesAnswer>;
  /**
   * Adds what the ledger got to the intervals and data versions (idempotent: each row once, by its data version), removes it from
   * restatements with an older token, removes the intent. With `restated` nothing is done when the intent is gone: recovery did it. The leases stay until `releaseTables` or the end of the run.
   */
  finishBackfill(intentId: string, written: WrittenRows): Promise<void>;
  /** Removes the intent of a write that was rolled back. */
  dropIntent(intentId: string, events: readonly NewEvent[]): Promise<void>;
  releaseTables(runId: string, tables: readonly TableId[]): Promise<void>;
  /** Extends every lease of the run; false when one of them passed to another. */
  heartbeat(runId: string, now: number): Promise<boolean>;
  /** Takes or extends a lease that belongs to no run (the scheduler's). */
  takeLease(request: {
    readonly name: string;
    readonly holder: string;
    readonly who: string;
    readonly now: number;
  }): Promise<LeaseAnswer>;
  releaseLease(name: string, holder: string): Promise<void>;
  /** Raises the tokens of leases by name, so that the next one exceeds these. Answers with how many were raised. */
  raiseTokens(tokens: ReadonlyMap<string, number>): Promise<number>;
  /** Ends the run: its record, its intents, all its leases; `status` of its plan follows. */
  finishRun(run: Run, events: readonly NewEvent[]): Promise<void>;
  /** Makes the intervals of these tables equal to what the ledger says, and marks the runs as interrupted whose leases are gone; the log gets `run.failed`, with what that means for their plans. */
  reconcile(
    summaries: readonly LedgerSummary[],
    interruptedRuns: readonly string[],
    now: number,
  ): Promise<void>;
}

/** What becomes of a submission; everything but `accepted` leaves no trace. */
export type SubmitOutcome =
  /** `work` is what the caller now has to do, queued or running as it said; `result` comes with an answer that was kept. */
  | {
      readonly kind: 'accepted';
      readonly statement: Statement;
      readonly work?: Execution;
      readonly result?: ExecutionResult;
    }
  /** The environment is no longer the one that the question was compiled for. */
  | { readonly kind: 'moved' }
  /** It brought the engine down; it is refused until then. */
  | { readonly kind: 'refused'; readonly until: number }
  /** Statements of this principal brought the engine down too often: none is accepted until then. */
  | { readonly kind: 'suspended'; readonly until: number }
  /** It would have to be executed, and the queue is full (back-pressure). */
  | { readonly kind: 'full' };

export interface SubmitRequest {
  readonly task: ExecutionTask;
  /** Hash of everything that makes the answer, but for the data. */
  readonly question: string;
  /** Of the data that the answer depends on, as the warehouse has them now: they complete the fingerprint. */
  readonly versions: readonly string[];
  /** Whether the same data always gives the same answer: only then is it shared and kept for others. */
  readonly isShared: boolean;
  /** Kept answers from before this time are not used; absent: no kept answer is. */
  readonly cachedSince?: number;
  readonly worker: string;
  /** The capacity of the caller, if it must be executed. */
  readonly room: 'start' | 'queue' | 'none';
  readonly now: number;
  readonly keptMs: number;
}

/** How much a product was asked. */
export interface StatementUsage {
  readonly statements: number;
  readonly failed: number;
  /** How many different principals asked. */
  readonly callers: number;
  readonly lastAt?: number;
  readonly byType: Readonly<Record<string, number>>;
  /** Models that were read, the most asked first; at most 20. */
  readonly models: readonly { readonly model: string; readonly statements: number }[];
}

/** Statements, their executions and small results: reading half. */
export interface StatementReader {
  /** With a principal only one of theirs; refusing another one takes as long as refusing one that does not exist. */
  statement(id: string, principalId?: string): Promise<Statement | undefined>;
  /** Newest first. */
  statements(request: {
    readonly principalId?: string;
    readonly status?: StatementStatus;
    readonly tag?: string;
    readonly environment?: string;
    readonly queryType?: Statement['queryType'];
    /** One that it reads. */
    readonly model?: string;
    /** Submitted then or later. */
    readonly since?: number;
    /** Older than this id. */
    readonly before?: string;
    readonly limit: number;
  }): Promise<readonly Statement[]>;
  /** How much was asked since then, as far as statements are kept. */
  usage(since: number): Promise<StatementUsage>;
  /** Of a statement that succeeded, as long as it is kept. */
  result(statementId: string, now: number): Promise<ExecutionResult | undefined>;
  /** Which of these names of results belong to work that is under way, or to an answer that is kept. */
  wantedResults(names: readonly string[]): Promise<readonly string[]>;
}

/** A worker is a process that executes statements; it holds its work until its heartbeat is overdue, or it leaves. */
export interface StatementStore extends StatementReader {
  /** Decides between a kept answer, work under way and new work, and records the statement. */
  submit(statement: NewStatement, request: SubmitRequest): Promise<SubmitOutcome>;
  /** Queued work begins; answers with the ids of the statements that wait for it, or with none when it is no longer this worker's to do. */
  start(work: Execution, worker: string, now: number): Promise<readonly string[]>;
  /** Ends the work and every statement that waits for it, in one change; answers with them, or with none when the work was not this worker's any more. Failures go into the log. */
  finish(
    work: Execution,
    request: {
      readonly worker: string;
      readonly end: ExecutionEnd;
      readonly now: number;
      readonly keptMs: number;
    },
  ): Promise<readonly Statement[]>;
  /** Work that is done again waits once more; false when it is no longer this worker's. */
  retry(work: Execution, worker: string): Promise<boolean>;
  /** Ends one statement, whatever it waits for; undefined when there is none of that id. `isChanged`: it had not ended before. `stopped`: no statement waits for that work any longer. */
  cancel(
    id: string,
    request: { readonly now: number; readonly keptMs: number },
  ): Promise<
    { readonly statement: Statement; readonly isChanged: boolean; readonly stopped?: string } | undefined
  >;
  /**
   * A heartbeat. Takes over the work of dead workers, once, and fails work that was lost twice.
   * `lost`: those of `running` that were cancelled or that another process took.
   */
  beat(
    worker: string,
    request: {
      readonly running: readonly string[];
      readonly now: number;
      readonly keptMs: number;
      readonly refusedMs: number;
    },
  ): Promise<{ readonly taken: readonly Execution[]; readonly lost: readonly string[] }>;
  /** The same question over the same data is refused until then. */
  refuse(fingerprint: string, until: number): Promise<void>;
  /** Shutdown: other workers may take its queue and its running work at once. */
  leave(worker: string): Promise<void>;
  /** Removes results that have expired, and, after as long again, their statements; answers with the names of results that are no longer needed. */
  expire(request: { readonly now: number; readonly keptMs: number }): Promise<readonly string[]>;
  /** Drops the oldest results, the principal's own first, until all fit; answers with their names, and whether there is room for what is being written. */
  makeRoom(request: RoomRequest): Promise<{ readonly names: readonly string[]; readonly isEnough: boolean }>;
}

/** Bytes of results: those that are being written, and how many there may be with all that are kept. */
export interface RoomRequest {
  readonly principalId: string;
  readonly own: { readonly writing: number; readonly max: number };
  readonly all: { readonly writing: number; readonly max: number };
  readonly now: number;
}

/** Until when each kind of history may go. Wall time. */
export interface HistoryBounds {
  readonly runs: number;
  readonly events: number;
  /** Also of promotions that an environment shows no longer. */
  readonly plans: number;
  readonly statements: number;
  readonly leases: number;
  readonly auditLog: number;
  /** Results of checks, closed incidents and profiles. */
  readonly quality: number;
}

/** What a lost state can be built from again. */
export interface Adoption {
  /** The warehouse that the state belongs to from then on. */
  readonly warehouseId: string;
  /** As if they had been applied. With `isShown` the environment is what the plan's target says, promotion id included. */
  readonly plans: readonly { readonly plan: Plan; readonly isShown: boolean }[];
  /** Placeholders for tables whose rows no plan may use. */
  readonly unproven: readonly Snapshot[];
  readonly who: string;
  readonly at: number;
  readonly events: readonly NewEvent[];
}

/** What a state is kept by: a database product, and the version of our schema in it. */
export interface StateVersions {
  readonly product: string;
  readonly version: string;
  readonly schemaVersion: number;
}

/** The whole state, as one process has it open: reading half. */
export interface StateReader {
  readonly snapshots: SnapshotReader;
  readonly journal: JournalReader;
  readonly events: EventReader;
  readonly statements: StatementReader;
  readonly principals: PrincipalReader;
  readonly access: AccessReader;
  readonly quality: QualityReader;
  readonly notifications: NotificationReader;
  readonly perspectives: PerspectiveReader;
  /** The id this state shares with its warehouse; made at the first opening. */
  readonly warehouseId: string;
  /** How much the clock that all who share the state go by is ahead of this machine's: times that are given to the state are by that clock. */
  readonly aheadMs: number;
  /** Whether anything was ever applied: an empty state beside a warehouse with a ledger is refused. */
  isEmpty(): Promise<boolean>;
  /** Readiness: fails when the state cannot be read or written now (file gone or read-only, disk full). */
  checkUsable(): Promise<void>;
  /** For who looks after it; nothing else goes by it. */
  about(): Promise<StateVersions>;
  /** Everything as one JSON text per line. */
  exportAll(): AsyncIterable<string>;
}

export interface StateStore extends StateReader {
  readonly snapshots: SnapshotStore;
  readonly journal: JournalStore;
  readonly statements: StatementStore;
  readonly principals: PrincipalStore;
  readonly access: AccessStore;
  readonly quality: QualityStore;
  readonly notifications: NotificationStore;
  readonly perspectives: PerspectiveStore;
  readonly answers: AnswerStore;
  /** Removes unneeded history from before these times, in bounded pieces. Answers with the number of removed rows; 0: done. */
  trim(bounds: HistoryBounds): Promise<number>;
  /** Returns freed space to the disk, when there is much of it. Other calls wait meanwhile. */
  compact(): Promise<void>;
  /** Atomically, into a state without applied plans (otherwise `state.not-empty`). */
  adopt(adoption: Adoption): Promise<void>;
  /** What `exportAll` gave, into an empty store. */
  importAll(lines: AsyncIterable<string>): Promise<void>;
  close(): Promise<void>;
}
