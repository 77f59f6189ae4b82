import type { SourceRange } from '../foundation/diagnostics/diagnostic.ts';
import { failure } from './failure.ts';
import type { TableId } from './relation.ts';
import type { AppliedContext } from './snapshot.ts';
import type { AccessEntry } from './wider-access.ts';

/** A name that points at one snapshot per model; the warehouse shows it as views. */
export interface Environment {
  readonly name: string;
  readonly entries: readonly EnvironmentEntry[];
  /** The promotion that made it what it is: another id means that the environment has changed. */
  readonly promotionId: string;
  readonly planId: string;
  /** Wall time. */
  readonly promotedAt: number;
  /** Execution time of the promoted plan: times to live start from it. */
  readonly executionTime?: number;
  /** Execution time after which the janitor may remove it; absent for prod and pinned ones, 0 when it was invalidated. */
  readonly expiresAt?: number;
  readonly gateway: string;
  /** Hash of each semantic model, metric, dq pack, audit and test, by `kind:name`: what those are compared with. */
  readonly definitions: Readonly<Record<string, string>>;
  /** The plan that stores the semantic models and metrics as they were applied; absent when there are none, or in environments that are older than this field. */
  readonly semantics?: string;
  /** The plan that stores the dq packs likewise. */
  readonly dqPacks?: string;
  /** Standalone audits, as entries without a version; absent when there are none. */
  readonly audits?: readonly EnvironmentEntry[];
  /** What runs before and after everything in a plan or run; absent when there is nothing. */
  readonly hooks?: EnvironmentHooks;
  /** Access by config.yaml when it was applied: later plans compare with it, and it never decides about a request. Absent in environments that are older than this field. */
  readonly access?: readonly AccessEntry[];
}

/** The statements of `before_all` and `after_all` as written: macros and templates are filled when they are executed. */
export interface EnvironmentHooks {
  readonly beforeAll: readonly string[];
  readonly afterAll: readonly string[];
  readonly at?: { readonly beforeAll?: SourceRange; readonly afterAll?: SourceRange };
  readonly applied: AppliedContext;
}

/** An environment that was stored, maybe when hooks were still called `around`. */
export function storedEnvironment(stored: Environment): Environment {
  const { around, ...environment } = stored as Environment & { readonly around?: EnvironmentHooks };
  return around === undefined ? stored : { ...environment, hooks: around };
}

/** One model as an environment shows it. */
export interface EnvironmentEntry {
  readonly model: string;
  readonly fingerprint: string;
  /** Version of the physical table or view: the snapshot's, a view's own, or `<fingerprint>__dev`. Absent for EMBEDDED and EXTERNAL. */
  readonly version?: string;
  /** Columns the environment's view lists, in order. */
  readonly columns: readonly string[];
  /** Wall time since when the environment shows this version: of a table that several show, the first owns it. Absent in environments that are older than this field. */
  readonly since?: number;
}

/** The column of every rollup that says what it was made from: a hash of its query, then the data versions of the tables below. */
export const SOURCE_COLUMN = 'plinth__source';

/** Whether an entry is the generated model of a rollup. */
export function isRollup({ columns }: EnvironmentEntry): boolean {
  return columns.includes(SOURCE_COLUMN);
}

/** The physical table behind an entry. */
export function tableOf({ model, version }: EnvironmentEntry): TableId | undefined {
  return version === undefined ? undefined : { model, version };
}

/** The views of an environment in one catalog, named like a table: they have fences and data versions as tables have. */
export function environmentViews(environment: string, catalog?: string): TableId {
  const name = `environment:${environment}`;
  const model = catalog === undefined ? name : `"${catalog.replaceAll('"', '""')}".environments."${name}"`;
  return { model, version: VIEWS };
}

const VIEWS = 'views';

/** Whether it stands for the views of an environment, which have no rows. */
export const isEnvironmentViews = ({ version }: TableId): boolean => version === VIEWS;

/** The valid spelling of an environment's name: lower case, `-` as `_`. */
export function environmentName(written: string): string {
  const name = written.toLowerCase().replaceAll('-', '_');
  if (!/^[a-z][a-z0-9_]{0,31}$/.test(name)) throw failure('environment.bad-name', { name: written });
  return name;
}
