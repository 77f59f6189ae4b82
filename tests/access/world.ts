/*
 * What the matrix asks about: a project whose author knows, for every column, which columns it was made from. Each cell of a
 * source is a text or a number that occurs nowhere else, so that it is recognised in whatever an answer consists of.
 */

export type Cell = string | number | null;
export type Row = Readonly<Record<string, Cell>>;

/** A column of a model, `schema.model:column`. */
export type Ref = `${string}:${string}`;

export const refOf = (model: string, column: string): Ref => `${model}:${column}`;

/** What a column means, whatever it is called. */
export type Role = 'key' | 'region' | 'mail' | 'word' | 'amount' | 'day' | 'ref' | 'note' | 'made';

export type ColumnType = 'INTEGER' | 'TEXT' | 'BIGINT' | 'DATE';

export interface WorldColumn {
  readonly name: string;
  readonly role: Role;
  readonly type: ColumnType;
  /** Columns whose values are in it. */
  readonly from: readonly Ref[];
  /** The rules do not say what such a column carries (a count of rows). */
  readonly isUnsure?: true;
}

/** How a model stands to the one that the main semantic model protects. */
export type Relation =
  | 'upstream'
  | 'itself'
  | 'downstream'
  | 'beside'
  | 'own'
  | 'harmless'
  | 'vault'
  | 'rollup';

export interface WorldModel {
  readonly name: string;
  readonly kind: 'SEED' | 'FULL' | 'VIEW' | 'EMBEDDED' | 'ROLLUP';
  readonly relation: Relation;
  /** How it was made, for reports. */
  readonly shape: string;
  readonly reads: readonly string[];
  readonly columns: readonly WorldColumn[];
  /** Columns that decide which rows there are: WHERE, JOIN, GROUP BY, DISTINCT, LIMIT, windows. */
  readonly conditions: readonly Ref[];
  readonly rows: readonly Row[];
  readonly sql: string;
}

/** A member of a semantic model; all names are recognisable, too. */
export interface Member {
  readonly name: string;
  readonly kind: 'dimension' | 'measure' | 'segment';
  /** The column of the model that it reads. */
  readonly column?: string;
  readonly role?: Role;
  /** Of measures. */
  readonly type?: 'sum' | 'count' | 'max';
  readonly isHidden?: true;
  /** What a masked value becomes. */
  readonly mask?: Cell;
}

export interface Policy {
  readonly group: string;
  /** Rows of this region only. */
  readonly region?: string;
  /** How the condition is written. */
  readonly form?: 'equals' | 'or' | 'notEquals';
  /** Names of dimensions. */
  readonly mask: readonly string[];
}

export interface SemanticModel {
  readonly name: string;
  readonly purpose: 'main' | 'vault' | 'own' | 'open' | 'link';
  readonly model: string;
  readonly members: readonly Member[];
  /** To-one, by `on`; the other model's name is the role. */
  readonly join?: { readonly to: string; readonly column: string; readonly otherColumn: string };
  readonly hasRollup: boolean;
}

export interface Metric {
  readonly name: string;
  readonly semantic: string;
  readonly measure: string;
  readonly time: string;
  readonly dimension: string;
}

/** Who holds what, by the semantic model's name; one that is absent has no policies. */
export type Policies = Readonly<Record<string, readonly Policy[]>>;

export type CallerName =
  | 'none'
  | 'one'
  | 'two'
  | 'full'
  | 'viewer'
  | 'editor'
  | 'owner'
  | 'admin'
  | 'root'
  | 'exempt'
  | 'scoped'
  | 'tester'
  | 'granted'
  | 'leaver'
  | 'command-line'
  | 'as-group';

export interface Caller {
  readonly name: CallerName;
  readonly groups: readonly string[];
  readonly role: 'consumer' | 'editor' | 'owner';
  /** By the role in the tenant, not on the product. */
  readonly tenantRole?: 'viewer' | 'admin';
  readonly isExempt: boolean;
  /** Tokens without `query:models` read no model. */
  readonly mayReadModels: boolean;
  /** Beside the default one. */
  readonly environments: 'all' | readonly string[];
  /** Models that `access` names. */
  readonly models: readonly string[];
}

/** What an environment was planned with. */
export interface Stage {
  readonly models: readonly WorldModel[];
  readonly policies: Policies;
}

/** `early` was planned before there were policies, `late` after it and with other ones. */
export const ENVIRONMENTS = ['default', 'early', 'late'] as const;
export type EnvironmentRole = (typeof ENVIRONMENTS)[number];

export interface World {
  readonly seed: number;
  /** How the main semantic model is protected. */
  readonly scheme: string;
  readonly defaultEnvironment: string;
  readonly semantics: readonly SemanticModel[];
  readonly metrics: readonly Metric[];
  readonly callers: readonly Caller[];
  /** Without policies, with them, and with others. */
  readonly open: Stage;
  readonly closed: Stage;
  readonly late: Stage;
  /** Names that look like those of the world and are none. */
  readonly absent: readonly string[];
}

/** Texts of cells; case does not count, because queries change it. */
export const TOKEN = /zq[a-z]{2}\d{2}[a-z0-9]{3}/gi;
/** Numbers of cells. */
export const NUMBER = /(?<![\d.])77\d{7}(?![\d.]\d)/g;
/** Names of semantic models, members and metrics. */
export const NAME = /vk[a-z]{12}/g;

/** What can be recognised in a cell. */
export function tokensIn(text: string): readonly string[] {
  return [...(text.toLowerCase().match(TOKEN) ?? []), ...(text.match(NUMBER) ?? [])];
}
