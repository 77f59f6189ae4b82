import type { EnvironmentEntry, EnvironmentHooks } from '../../domain/environment.ts';
import type { Plan, Stage } from '../../domain/plan.ts';
import type { ViewNaming } from '../../domain/relation.ts';
import type { Run } from '../../domain/run.ts';

/** How a caller asks a run to end: `stop` begins nothing new, `cancel` also interrupts what is running. */
export interface RunSignal {
  readonly stop: AbortSignal;
  readonly cancel: AbortSignal;
}

/** Everything one run of stages is given. */
export interface StagesToRun {
  /** As it begins: status `running`, no models yet. */
  readonly run: Run;
  readonly stages: readonly Stage[];
  /** What names mean while building: every model of the environment as it will be, EMBEDDED and EXTERNAL ones too. */
  readonly entries: readonly EnvironmentEntry[];
  /** The plan that is applied: its snapshots and restatements are stored once the environment's lease is held. */
  readonly plan?: Plan;
  /** For runs without a plan: the promotion the stages were made for; another one by now is `environment.moved`. */
  readonly basePromotionId?: string;
  /** What the `statements` stages are rendered with; absent: their texts are executed as they are. */
  readonly hooks?: EnvironmentHooks;
  readonly naming: (environment: string) => ViewNaming;
  /** Stages that may be executed side by side. */
  readonly maxParallel: number;
  readonly executionTime: number;
  /** How long to wait for an environment that is being changed; absent: not at all. */
  readonly waitMs?: number;
  readonly signal?: RunSignal;
}
