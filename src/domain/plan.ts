import type { IntervalUnit } from '../foundation/time/interval-unit.ts';
import type { RangeSet } from '../foundation/time/ranges.ts';
import type { DqPack } from './dq-pack.ts';
import type { Environment, EnvironmentEntry } from './environment.ts';
import type { Metric } from './metric.ts';
import type { HeldDecision } from './quarantine.ts';
import type { TableId } from './relation.ts';
import type { SemanticModel } from './semantic-model.ts';
import type { ChangeCategory, Snapshot, SnapshotContent } from './snapshot.ts';
import type { WiderAccess } from './wider-access.ts';

/** How one thing differs between project and environment. */
export interface Change {
  /** A `rollup` is the generated model that holds its rows. */
  readonly kind: 'model' | 'rollup' | 'semantic' | 'metric' | 'dq' | 'audit' | 'test';
  readonly name: string;
  readonly change: 'added' | 'removed' | 'direct' | 'indirect' | 'metadata';
  readonly category: ChangeCategory | null;
  /** Why this category, in words. */
  readonly reason: string;
  /** Of a semantic model its members, with what they are: `measure revenue`. */
  readonly columns: ColumnChanges;
  /** What is proven of the rows of a model that is not new; absent where a choice of the user, or a table that goes on under another definition, stands before the proof. */
  readonly proof?: ChangeProof;
  /** Changed models that made this one indirect, nearest first. */
  readonly because?: readonly string[];
  /** Unified diff of the SQL as written (with macros filled where only those changed), to be shown; direct changes only. */
  readonly sqlDiff?: string;
}

/** What questions are compiled from. */
export interface AppliedSemantics {
  readonly semanticModels: readonly SemanticModel[];
  readonly metrics: readonly Metric[];
}

export interface ColumnChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/**
 * What a change leaves of a model's rows: `same` all of them, `additive` all that can be read by the old columns, `columns` all but the values of
 * `columns`; `rows`: nothing is proven. Removed columns are in `columns`, too.
 */
export interface ChangeProof {
  readonly kind: 'same' | 'additive' | 'columns' | 'rows';
  readonly columns: readonly string[];
}

/** A plan without what its snapshots are made of: enough to show it, not to apply it. */
export type PlanOutline = Omit<Plan, 'snapshots' | 'semantics' | 'dqPacks'>;

/** The changes, and the stages that bring an environment to the project. Complete: it can be stored and applied without the files. */
export interface Plan {
  readonly id: string;
  readonly environment: string;
  /** The promotion it was computed against; undefined when the environment was new. */
  readonly basePromotionId?: string;
  readonly createdAt: number;
  readonly executionTime: number;
  readonly changes: readonly Change[];
  /** Which of the statements around plans and runs the environment will have otherwise; absent: none. */
  readonly statements?: readonly ('before_all' | 'after_all')[];
  /** What a caller sees more of than before; absent: nothing. Applying it then has to be allowed. */
  readonly widerAccess?: readonly WiderAccess[];
  /** Whether `access`, groups of `users` or the default environment of config.yaml are others than when the environment was applied. */
  readonly hasOtherAccess?: true;
  /** Semantic models and metrics, where they are others than before: later environments name this plan for them. */
  readonly semantics?: AppliedSemantics;
  /** Dq packs, likewise: checks run as they were applied. */
  readonly dqPacks?: readonly DqPack[];
  /** Intervals to fill, by table; the same that the backfill stages have. */
  readonly missing: readonly MissingIntervals[];
  /** Snapshots the plan introduces, with their content; those known to state are not repeated. */
  readonly snapshots: readonly { readonly snapshot: Snapshot; readonly content: SnapshotContent }[];
  /** What the environment will be; its promotion id is the one the promote stage writes. */
  readonly target: Environment;
  /** Filled intervals that must be filled again, by table. */
  readonly restatements: readonly { readonly table: TableId; readonly ranges: RangeSet }[];
  readonly stages: readonly Stage[];
}

export interface MissingIntervals {
  readonly model: string;
  readonly version: string;
  readonly ranges: RangeSet;
}

/**
 * One step as data: it can be explained, stored or executed. Stages form a graph by `needs`; stages that do not need a
 * failed one continue. `id` is unique within the plan.
 */
export type Stage = {
  readonly id: string;
  readonly needs: readonly string[];
} & StageWork;

/** A stage that fills tables. */
export type BackfillStage = Extract<Stage, { kind: 'backfill' }>;

export type StageWork =
  | {
      readonly kind: 'statements';
      readonly when: 'before-all' | 'after-all';
      readonly statements: readonly string[];
    }
  /** In its own transaction, which is retried; names as `catalog.schema` parts. */
  | {
      readonly kind: 'create-schemas';
      readonly schemas: readonly { readonly catalog?: string; readonly schema: string }[];
    }
  /**
   * Brings a table to the columns of a snapshot that inherited it, and every view over it in all environments, in one
   * transaction. What loses something is left to the promotion that names the table: a plan that fails takes nothing away.
   */
  | ({ readonly kind: 'migrate' } & MigrationWork)
  /**
   * Write, audit, publish. One member: each batch is a transaction. Several members, or views to audit: everything in
   * one transaction, members in order, the views audited at its end.
   */
  | {
      readonly kind: 'backfill';
      readonly members: readonly BackfillMember[];
      readonly auditedViews: readonly AuditedView[];
      /** What environments showed when the audits that others demand were found (`promotionMark`): when it differs at the time of the write, they are found again. */
      readonly mark?: string;
      /** Nothing is filled: rows that audits of the one member hold back leave their quarantine. */
      readonly settles?: HeldDecision;
    }
  /** Audits over what is already there: a view that no environment shows yet, or a new blocking audit on an existing table. */
  | {
      readonly kind: 'audit';
      readonly table: TableId;
      readonly fingerprint: string;
      /** Names of the audits as used by the model; all of them when absent. */
      readonly audits?: readonly string[];
      /** `touched`: a view whose audits only warn and whose tables get rows in this run, or one over external tables that this run reads. */
      readonly reason: 'new-view' | 'new-audit' | 'touched' | 'asked';
    }
  | {
      readonly kind: 'promote';
      readonly target: Environment;
      /** Views to create or replace. */
      readonly views: readonly ShownView[];
      /** Models whose views are dropped. */
      readonly removed: readonly string[];
      /** Models whose on-virtual-update statements run, in dependency order. */
      readonly virtualUpdates: readonly string[];
      /** Tables whose columns are dropped in the transaction of the promotion, before its views change. */
      readonly migrations?: readonly MigrationWork[];
      /** Audits that must hold when the promotion commits and that no environment demands yet. */
      readonly proofs?: readonly NeededProof[];
      /** What environments showed when `proofs` were found. */
      readonly mark?: string;
    }
  | {
      readonly kind: 'clean-up';
      readonly tables: readonly { readonly table: TableId; readonly object: 'table' | 'view' }[];
      readonly environments: readonly string[];
    };

/** A table that is brought to the columns of a snapshot that inherited it. */
export interface MigrationWork {
  readonly table: TableId;
  readonly fingerprint: string;
  readonly allowDestructive: boolean;
  /** Physical views and environments' views that list columns of the table or of views over it. */
  readonly views: readonly ShownView[];
}

/** One model to write: which snapshot, into which table, for which time. */
export interface BackfillMember {
  readonly model: string;
  readonly fingerprint: string;
  readonly table: TableId;
  /** What is due; whole for kinds that are rebuilt. Lookback is already in it. */
  readonly ranges: RangeSet;
  readonly unit: IntervalUnit;
  /** Units per transaction; absent: all at once. */
  readonly batchSize?: number;
  /** Batches that may run concurrently; 1 for kinds where order matters. */
  readonly batchConcurrency: number;
  /** Only make the table with its columns and record the intervals: `--empty-backfill`. */
  readonly isEmpty?: boolean;
  /** Part of `ranges` that was filled when the stage was made and is filled again on purpose (restatement, lookback); empty when absent. */
  readonly refills?: RangeSet;
  /** Whether rows of these ranges may already be there (restatement, lookback): append kinds must then refuse. */
  readonly isRestatement?: boolean;
  /** The table is rebuilt from the first range on: its rows do not say which interval they came from. */
  readonly isAnew?: true;
  /** All batches in one transaction, in order: readers never see a part of them, and a crash leaves none. */
  readonly isTogether?: true;
  /** The model reads its own past: whatever follows an interval that is written is written again. */
  readonly isOnward?: true;
  /** Blocking audits that environments showing this table demand and this snapshot does not: the write must pass them too. */
  readonly alsoAudited?: readonly ForeignAudits[];
  /** Audits of the snapshot that are asked later: at the end of the stage (`auditedViews`), or by an `audit` stage because they read a model that is made only after this one. */
  readonly laterAudits?: readonly string[];
}

/** What an environment demands of a table that another environment writes. */
export interface ForeignAudits {
  readonly environment: string;
  readonly fingerprint: string;
  /** Names as that snapshot uses them. */
  readonly audits: readonly string[];
}

/** A view in whose rows a write could show, or a table whose audits read what is written: its blocking audits run before the write commits. */
export interface AuditedView {
  /** The environment that shows it: the audits' other tables are looked up there. */
  readonly environment: string;
  readonly model: string;
  readonly fingerprint: string;
  readonly table: TableId;
  /** Of a table, those that read what is written; absent: all that the snapshot demands. */
  readonly audits?: readonly string[];
}

/** Blocking audits that only the target of a promotion demands: until it is shown, others may write without them. */
export interface NeededProof {
  readonly table: TableId;
  readonly fingerprint: string;
  /** Names as the snapshot uses them. */
  readonly audits: readonly string[];
  /** The written tables whose rows they see: the table itself, or those below a view. */
  readonly over: readonly TableId[];
  /** Further written tables that the audits read; absent: none. */
  readonly reads?: readonly TableId[];
}

/** One view of an environment (or, with `environment` absent, a physical view) and the table it shows. */
export interface ShownView {
  readonly environment?: string;
  readonly entry: EnvironmentEntry;
}

/** How a plan is made; everything a user can say beside the environment's name. */
export interface PlanOptions {
  readonly selection?: string;
  readonly restateModels: readonly string[];
  readonly start?: string;
  readonly end?: string;
  readonly isForwardOnly: boolean;
  readonly effectiveFrom?: string;
  readonly skipBackfill: boolean;
  readonly emptyBackfill: boolean;
  readonly noGaps: boolean;
  readonly allowDestructiveModels: readonly string[];
  /** Category by model name, as the user overrode it. */
  readonly categories: Readonly<Record<string, 'breaking' | 'non-breaking' | 'forward-only'>>;
  /** Also fill what cron makes due (`--run`). */
  readonly withRun: boolean;
  /** Also write tables that another environment owns, where the rows would be the same (`--shared`). */
  readonly isShared: boolean;
  /** Every interval that has ended, whatever the crons say. */
  readonly ignoreCron?: boolean;
  /** Selections of models to fill, with what they read; absent or empty: all. The others stay as they are. */
  readonly backfillModels?: readonly string[];
  /** The environment that a new one begins from; prod when absent. */
  readonly createFrom?: string;
}

/** What filling a model will probably take, estimated from what it took before. */
export interface Estimate {
  readonly rows: number;
  readonly ms: number;
}
