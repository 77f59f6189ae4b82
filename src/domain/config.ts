import type { SourceRange } from '../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../foundation/sql/dialect.ts';
import type { Data, DataRecord } from '../foundation/yaml/data.ts';
import type { Located } from '../foundation/yaml/located.ts';
import type { AuditUse } from './audit.ts';
import type { SchemaChangePolicy } from './model-kind.ts';
import type { ServerLimits } from './server-limits.ts';

/** What config.yaml says about the project as a whole, with every default filled in. */
export interface Config {
  /** The file it was read from; undefined when the project has none and everything is a default. */
  readonly file?: string;
  readonly name: string;
  readonly tenant: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly version?: string;
  readonly domain?: string;
  readonly owner?: string;
  readonly tags: readonly string[];
  readonly terms: readonly string[];
  readonly isDiscoverable: boolean;
  readonly users: readonly ConfiguredUser[];
  /** By name; never empty. */
  readonly gateways: Readonly<Record<string, Gateway>>;
  readonly defaultGateway: string;
  readonly modelDefaults: ModelDefaults;
  /** Names are lower case: SQL macros compare them so. */
  readonly variables: DataRecord;
  readonly environments: EnvironmentSettings;
  readonly plan: PlanSettings;
  readonly run: RunSettings;
  readonly janitor: JanitorSettings;
  readonly retention: RetentionSettings;
  readonly linter: LinterSettings;
  readonly format: FormatSettings;
  readonly notificationTargets: readonly NotificationTarget[];
  readonly access: readonly ConfiguredAccess[];
  readonly slo: ServiceLevels;
  /** SQL statements or macro calls, as written. */
  readonly beforeAll: readonly string[];
  readonly afterAll: readonly string[];
  /** `service`, `jwt` and `hosts` as written. */
  readonly server: DataRecord;
  /** `server.limits`. */
  readonly limits: ServerLimits;
  /** `isDurable`: a commit of the state survives a power loss. */
  readonly state: { readonly isDurable: boolean };
  /** Glob patterns of files that are not loaded. */
  readonly ignorePatterns: readonly string[];
  /** strftime-like pattern of text time columns that name no format of their own. */
  readonly timeColumnFormat: string;
  /** Values that must not be shown or stored: paths into this object. See `redact`. */
  readonly sensitive: readonly SensitivePath[];
}

export interface PatternMapping {
  readonly pattern: string;
  readonly target: string;
}

/** `shown` is what may be printed instead: the template for a value from the environment, stars for a secret written down. */
export interface SensitivePath {
  readonly path: readonly string[];
  readonly shown: string;
}

export interface ConfiguredUser {
  readonly username: string;
  readonly email?: string;
  readonly groups: readonly string[];
  readonly notificationTargets: readonly NotificationTarget[];
}

/** What `access` gives to a user or a group; at least one thing beside the name. */
export interface ConfiguredAccess {
  readonly principal: string;
  readonly role?: string;
  /** Models that they may read as tables although policies reach them; names in lower case, with their places. */
  readonly models: readonly Located<string>[];
  /** Environments besides the default one that they may ask as consumers. */
  readonly environments: readonly string[];
  /** `policies: exempt`: policies do not apply to them. */
  readonly isExempt: boolean;
}

/** The engines a connection can name; whether an adapter exists is for the workspace to say. */
export type EngineType =
  | 'duckdb'
  | 'motherduck'
  | 'sqlite'
  | 'postgres'
  | 'gcp_postgres'
  | 'mysql'
  | 'trino'
  | 'athena'
  | 'spark'
  | 'databricks'
  | 'snowflake'
  | 'bigquery'
  | 'redshift'
  | 'clickhouse'
  | 'mssql'
  | 'azuresql'
  | 'fabric'
  | 'starrocks'
  | 'risingwave'
  | 'db2';

/** How one engine is reached. Options are snake_case as written and already checked against that engine's list. */
export interface Connection {
  readonly type: EngineType;
  readonly concurrentTasks?: number;
  /** False: descriptions are not written to the warehouse. */
  readonly hasComments?: boolean;
  readonly options: DataRecord;
}

/** One warehouse with where its state lives and where model tests run. */
export interface Gateway {
  readonly name: string;
  readonly connection: Connection;
  readonly stateConnection: Connection;
  readonly testConnection: Connection;
  readonly variables: DataRecord;
  readonly modelDefaults: Partial<ModelDefaults>;
}

/** What a model gets when its file does not say. */
export interface ModelDefaults {
  readonly dialect: Dialect;
  readonly cron: string;
  /** A kind by its MODEL-block name and options, as written: `{name: 'FULL', options: {}}`. */
  readonly kind?: { readonly name: string; readonly options: DataRecord };
  readonly cronTz?: string;
  readonly intervalUnit?: string;
  readonly start?: string;
  readonly owner?: string;
  readonly gateway?: string;
  readonly onDestructiveChange?: SchemaChangePolicy;
  readonly onAdditiveChange?: SchemaChangePolicy;
  readonly batchConcurrency?: number;
  readonly isEnabled: boolean;
  readonly allowPartials: boolean;
  readonly audits: readonly AuditUse[];
  readonly preStatements: readonly string[];
  readonly postStatements: readonly string[];
  readonly onVirtualUpdate: readonly string[];
}

export interface EnvironmentSettings {
  readonly defaultTarget: string;
  /** A duration as written: `1 week`. */
  readonly ttl: string;
  readonly suffixTarget: 'schema' | 'table' | 'catalog';
  readonly pinned: readonly string[];
  /** Regular expression over an environment name → catalog of its views. */
  readonly catalogs: readonly PatternMapping[];
}

export type CategorizeMode = 'full' | 'semi' | 'off';

export interface PlanSettings {
  readonly autoCategorize: {
    readonly sql: CategorizeMode;
    readonly python: CategorizeMode;
    readonly seed: CategorizeMode;
    readonly external: CategorizeMode;
  };
  readonly forwardOnly: boolean;
  readonly autoApply: boolean;
  readonly noDiff: boolean;
}

export interface RunSettings {
  readonly maxParallel: number;
}

export interface JanitorSettings {
  /** How long an unused snapshot is kept, a duration as written. */
  readonly snapshotTtl: string;
}

/** How long history is kept, durations as written. */
export interface RetentionSettings {
  readonly runs: string;
  readonly events: string;
  readonly plans: string;
  readonly statements: string;
  readonly leases: string;
  readonly auditLog: string;
  readonly quality: string;
}

export interface LinterSettings {
  readonly isEnabled: boolean;
  /** Rule names as written; `ALL` means every rule. */
  readonly rules: readonly string[] | 'ALL';
  readonly warnRules: readonly string[] | 'ALL';
  readonly ignoredRules: readonly string[] | 'ALL';
  /** Rules that are left out in files of a pattern: `*` stays within a folder, `**` does not. */
  readonly ignoredIn: readonly { readonly pattern: string; readonly rules: readonly string[] | 'ALL' }[];
  /** Where each named rule stands in the file, by its name as written. */
  readonly ruleRanges: Readonly<Record<string, SourceRange>>;
}

/** How `plinth format` lays out SQL. */
export interface FormatSettings {
  readonly indent: number;
  readonly maxTextWidth: number;
  readonly leadingComma: boolean;
  readonly appendNewline: boolean;
  readonly normalize: boolean;
  readonly normalizeFunctions: 'upper' | 'lower' | 'off';
  readonly rewriteCasts: boolean;
}

/** A channel that hears of events; options as written (url, token, recipients, …). */
export interface NotificationTarget {
  readonly type: 'console' | 'slack_webhook' | 'slack_api' | 'teams_webhook' | 'smtp' | 'webhook';
  readonly notifyOn: readonly string[];
  readonly options: DataRecord;
}

/** What the product promises to its consumers. */
export interface ServiceLevels {
  readonly freshness?: { readonly maxAge: string; readonly model?: string };
  readonly availability?: number;
}

/** A copy in which every sensitive value is replaced by what may be shown; safe to print, log and store. */
export function redact(config: Config): Config {
  const copy = structuredClone(config);
  for (const { path, shown } of config.sensitive) replaceAt(copy as unknown as Data, path, shown);
  return copy;
}

/** Puts `shown` in the place of the value at a path, where there is one. */
export function replaceAt(root: Data, path: readonly string[], shown: string): void {
  let at = root as Record<string, Data>;
  for (const key of path.slice(0, -1)) {
    const next = at[key];
    if (typeof next !== 'object' || next === null) return;
    at = next as Record<string, Data>;
  }
  const last = path.at(-1);
  if (last !== undefined && Object.hasOwn(at, last)) at[last] = shown;
}
