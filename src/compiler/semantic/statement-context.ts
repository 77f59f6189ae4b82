import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import type { TableId, ViewNaming } from '../../domain/relation.ts';
import type { Semantics } from '../../domain/semantics.ts';
import type { AuditFacts } from '../../domain/snapshot.ts';
import type { FlowModel } from './access/column-flow.ts';
import type { Protection } from './access/protected-data.ts';
import type { RollupTable } from './rollups/choose-rollup.ts';

/** The semantics that questions are compiled from, and what decides about models that are read as tables. */
export interface EnvironmentPolicies {
  readonly semantics: Semantics;
  /** Read when it is first asked for: questions to semantic models need none of it. */
  readonly protection: () => Promise<Protection>;
  /** Whether policies that hold cannot be read: then only callers who are exempt from policies get answers to semantic questions. */
  readonly isUnreadable: boolean;
}

/** A model as questions can read it. */
export interface ShownModel {
  readonly entry: EnvironmentEntry;
  /** `stored`: it has a view in the environment. */
  readonly kind: 'stored' | 'embedded' | 'external';
  readonly isRollup: boolean;
  /** What its audits read besides; absent when it has none, and in contexts of the owner's questions. */
  readonly audits?: AuditFacts;
}

/** What questions to one environment are compiled from, as it is since its last promotion. */
export interface StatementContext extends EnvironmentPolicies {
  readonly environment: Environment;
  /** The promotion of the default environment whose policies hold besides; absent when it is this one, or was never applied. */
  readonly homePromotionId?: string;
  readonly naming: ViewNaming;
  /** By name. */
  readonly models: ReadonlyMap<string, ShownModel>;
  /** Tables, and views of the environment, whose data versions say whether rows of these models are the same; undefined when nothing can say it. */
  tablesBelow(models: readonly string[]): Promise<readonly TableId[] | undefined>;
  /** These models and all that they are made of, as far as anything is stored of them. */
  above(models: readonly string[]): Promise<readonly FlowModel[]>;
  /** The quality rules that were applied, by `packRule`; undefined when no plan kept their text. */
  rules(): Promise<ReadonlySet<string> | undefined>;
  /** Rollups over these models. */
  rollups(reads: readonly string[]): Promise<ReadonlyMap<string, RollupTable>>;
}
