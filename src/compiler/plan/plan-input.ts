import type { AnswerColumn } from '../../domain/engine.ts';
import type { Environment, EnvironmentHooks } from '../../domain/environment.ts';
import type { Column } from '../../domain/model.ts';
import type { AppliedSemantics, Plan, PlanOptions } from '../../domain/plan.ts';
import type { Project } from '../../domain/project.ts';
import type { TableId, ViewNaming } from '../../domain/relation.ts';
import type { SnapshotContent } from '../../domain/snapshot.ts';
import type { Restatement } from '../../domain/state-store.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import type { PreparedPlan, Unsettled } from './prepare-plan.ts';
import type { StandaloneAudit } from './standalone-audits.ts';

/** Everything a plan is made of; times and ids are handed in, so the same input gives the same plan. */
export interface PlanInput {
  readonly id: string;
  /** The id under which the environment will be what the plan makes it. */
  readonly promotionId: string;
  /** Wall time. */
  readonly createdAt: number;
  readonly executionTime: number;
  readonly project: Project;
  readonly prepared: PreparedPlan;
  readonly environments: readonly Environment[];
  /** What `prepared` asked for, by fingerprint. */
  readonly contents: ReadonlyMap<string, SnapshotContent>;
  /** Of state: filled intervals by `tableKey`, less what is waiting to be restated. */
  readonly intervals: ReadonlyMap<string, RangeSet>;
  /** Of state: what earlier plans asked to be filled again and is not done. */
  readonly pending: readonly Restatement[];
  readonly options: PlanOptions;
  readonly gateway: string;
  /** What runs before and after everything; its texts are the project's `beforeAll` and `afterAll`. */
  readonly hooks?: EnvironmentHooks;
  /** The standalone audits of the project. */
  readonly standalone?: readonly StandaloneAudit[];
  /** Semantic models and metrics of what the project is compared with; needed only where they differ. */
  readonly appliedSemantics?: AppliedSemantics;
  readonly naming: (environment: string) => ViewNaming;
  /** Models whose views another program dropped or changed: they are made again. */
  readonly lostViews?: ReadonlySet<string>;
  /** What the warehouse shows of the environment, where that is an earlier promotion than the state's. */
  readonly shown?: Environment;
  /** Time that signals hold back, by model. */
  readonly blocked?: ReadonlyMap<string, RangeSet>;
  /** What the engine says of the columns of kept tables, by the fingerprint that will be shown from them. */
  readonly kept?: ReadonlyMap<string, KeptColumns>;
}

/** A table that a changed snapshot takes over. */
export interface KeptTable {
  readonly table: TableId;
  readonly fingerprint: string;
}

/** The columns of such a table, and those that the snapshot has; neither with the columns of a history's periods. */
export interface KeptColumns {
  readonly present: readonly AnswerColumn[];
  readonly wanted: readonly Column[];
}

/** With an error among the diagnostics the plan is there to be looked at, never to be applied: it has no stages. */
export interface PlanOutcome {
  readonly plan: Plan;
  readonly diagnostics: readonly Diagnostic[];
  /** The plan shows that it has to be prepared again (`settledPlan`); absent when it is final. */
  readonly unsettled?: Unsettled;
  /** Kept tables whose columns only the engine knows: the plan is made again with `kept`. */
  readonly unknown?: readonly KeptTable[];
}
