import type { ModelStatus } from './model-status.ts';
import type { HealthReason, HealthState, ModelClocks, ProductFreshness } from './product-health.ts';
import type { Run } from './run.ts';
import type { StatementUsage } from './state-store.ts';
import type { Usage } from './usage.ts';

/** How an environment of a product is doing, and what its owners say about it. */
export interface ProductPage {
  readonly environment: string;
  /** `empty`: the environment shows nothing. */
  readonly health: HealthState | 'empty';
  /** The worst first. */
  readonly reasons: readonly HealthReason[];
  /** Absent when nothing is promised. */
  readonly freshness?: ProductFreshness;
  readonly clocks: readonly ModelClocks[];
  readonly promotedAt?: number;
  readonly lastRun?: Run;
  /** How many models are in each condition. */
  readonly conditions: Readonly<Partial<Record<ModelStatus['status'], number>>>;
  /** Where the filled time of the model ends that is furthest behind; absent without such models. */
  readonly filledUntil?: number;
  /** When a run last ended well: then the data was as new as it gets. */
  readonly refreshedAt?: number;
  /** Whether the data is as new as the product promises; absent when it promises nothing. */
  readonly isFresh?: boolean;
  /** Names of those who own it, by configuration or grant. */
  readonly owners: readonly string[];
  readonly statements: StatementUsage & { readonly since: number };
  readonly ran: { readonly since: number; readonly succeeded: number; readonly failed: number };
  readonly readme?: string;
  readonly usage?: Usage;
}

/** What its models, runs and checks say of it. */
export type ProductHealth = Omit<
  ProductPage,
  'environment' | 'owners' | 'statements' | 'ran' | 'readme' | 'usage'
>;
