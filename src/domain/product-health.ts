/** How a product is doing, and why. */

/** From the best to the worst; `unknown`: nothing was filled yet, so nothing can be said. */
export const HEALTH_STATES = ['unknown', 'healthy', 'caution', 'degraded', 'blocked'] as const;

export type HealthState = (typeof HEALTH_STATES)[number];

/** `late` is older than promised, `stale` older than twice of that; `unknown`: nothing says how old it is. */
export const FRESHNESS_STATES = ['fresh', 'late', 'stale', 'unknown'] as const;

export type FreshnessState = (typeof FRESHNESS_STATES)[number];

export type HealthReasonKind =
  /** The last run or plan did not end well. */
  | 'run'
  /** A model failed when it was last filled, or waits for one that did. */
  | 'broken'
  /** An audit that blocks found failing rows: what is shown is older than it could be. */
  | 'audit'
  /** A model is filled later than its cron says, or is older than its `freshness`. */
  | 'late'
  | 'stale'
  /** The product is older than `slo.freshness` promises. */
  | 'slo'
  /** An incident is open. */
  | 'incident'
  /** A check warns, fails, or could not be evaluated. */
  | 'check'
  /** Rows are held back. */
  | 'quarantine';

/** Names of models and checks, but nothing that was measured: who may see that is decided where it is read. */
export interface HealthReason {
  readonly kind: HealthReasonKind;
  readonly effect: Exclude<HealthState, 'unknown' | 'healthy'>;
  readonly words: string;
  readonly model?: string;
  readonly check?: string;
  readonly incidentId?: string;
  readonly runId?: string;
  readonly since?: number;
}

/** When the rows that a model shows are from, as far as it is known. */
export interface ModelClocks {
  readonly model: string;
  /** Where its filled time ends. */
  readonly dataTime?: number;
  /** How new what it reads is: the least new of its inputs. */
  readonly sourceTime?: number;
  /** When a run last wrote its rows. */
  readonly loadTime?: number;
  /** Since when readers see these rows. */
  readonly publishTime?: number;
  /** When a question is answered: now. */
  readonly servedTime: number;
  /** How new its rows are: the data time; without one, how new its inputs were when it was loaded. */
  readonly newest?: number;
}

/** Where the age of a model was added. */
export interface FreshnessHop {
  readonly model: string;
  /** How much older its rows are than those of its input; of the first on the way, how old they are. */
  readonly addedMs: number;
  /** From where the data come in to the model that is promised. */
  readonly path: readonly string[];
}

/** How long the promise was broken in a window of time, and how long it may be. */
export interface FreshnessBudget {
  /** Where what is known begins, at most the window ago. */
  readonly since: number;
  readonly brokenMs: number;
  readonly allowedMs: number;
  readonly isSpent: boolean;
}

export interface ProductFreshness {
  readonly state: FreshnessState;
  /** As config.yaml says it. */
  readonly maxAge: string;
  /** Whose age counts; absent when runs alone say how new the product is. */
  readonly model?: string;
  readonly newest?: number;
  readonly ageMs?: number;
  readonly hop?: FreshnessHop;
  readonly budget?: FreshnessBudget;
}

/** What `slo.freshness` promises is recorded as a check of this name: packs and rules have a slash between them. */
export const FRESHNESS_CHECK = 'slo.freshness';
