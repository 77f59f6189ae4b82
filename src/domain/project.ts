import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import type { Audit } from './audit.ts';
import type { Config } from './config.ts';
import type { DqPack } from './dq-pack.ts';
import type { Metric } from './metric.ts';
import type { Model } from './model.ts';
import type { ModelTest } from './model-test.ts';
import type { SemanticModel } from './semantic-model.ts';
import type { Usage } from './usage.ts';

/** Everything a directory declares, resolved and in dependency order; immutable. */
export interface Project {
  readonly config: Config;
  /** Dependencies first. Disabled models are left out. */
  readonly models: readonly Model[];
  readonly audits: readonly Audit[];
  /** Tables that the audits of each model read, by model and audit, as their expanded texts name them; absent where a text could not be read. */
  readonly auditReads?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly semanticModels: readonly SemanticModel[];
  readonly metrics: readonly Metric[];
  readonly dqPacks: readonly DqPack[];
  readonly tests: readonly ModelTest[];
  readonly usage?: Usage;
  readonly readme?: string;
}

/** A project as far as it could be loaded, and everything that is wrong with it. */
export interface LoadedProject {
  readonly project: Project;
  readonly diagnostics: readonly Diagnostic[];
}
