import type { IntervalUnit } from '../foundation/time/interval-unit.ts';
import type { DataRecord } from '../foundation/yaml/data.ts';
import type { Audit } from './audit.ts';
import type { Model } from './model.ts';
import type { ModelKind } from './model-kind.ts';

/** What a change does to data; `null` on the change of something that is added, removed or no model. */
export type ChangeCategory =
  | 'breaking'
  | 'non-breaking'
  | 'indirect-breaking'
  | 'indirect-non-breaking'
  | 'forward-only'
  | 'metadata';

/**
 * One state of a model. The fingerprint says what the model is, the version which physical table has its rows.
 * Category and version are fixed when the fingerprint is first applied, that is, shown in an environment. A VIEW's table version is not kept here but in
 * the environment entry, because it follows the tables it reads.
 */
export interface Snapshot {
  readonly model: string;
  readonly kind: ModelKind['kind'];
  /** hash128 of the three parts. */
  readonly fingerprint: string;
  /** Canonical query after macro expansion, kind and its data properties, seed content, statements around the write. */
  readonly dataHash: string;
  /** Data and parents parts of the parents, never their metadata or version. */
  readonly parentsHash: string;
  readonly metadataHash: string;
  /** Absent for EMBEDDED, EXTERNAL and VIEW. */
  readonly version?: string;
  readonly category: ChangeCategory | null;
  /** The snapshot whose version it inherited; absent when it has its own version (or none). */
  readonly inheritedFrom?: string;
  /** It took over its table by a forward-only change, its own or one of what it reads: from then on the table has other rows than before. */
  readonly isForward?: true;
  /** Beside `isForward`: prod has shown it, so the table has rows of it. Absent in older snapshots. */
  readonly isDeployed?: true;
  /** `--effective-from` of a forward-only change: from this instant on the inherited table is filled again when it reaches prod. */
  readonly effectiveFrom?: number;
  /** The plan that applied it first. */
  readonly planId: string;
  /** Only in a plan: it was applied before from another table, which has become something else since. */
  readonly isReturn?: true;
  /** Plans wanted it and none has shown it in an environment: the next plan decides again about category and version. */
  readonly isTried?: true;
  /** It stands for a table that a lost state knew: the sources of its rows are not proven, so no plan uses them. */
  readonly isUnproven?: true;
  /** Versions that such plans had for it: tables may have been begun under them. */
  readonly abandoned?: readonly string[];
  /** Models it reads directly (EMBEDDED ones included, undeclared externals not), sorted. */
  readonly parents: readonly string[];
  /** What each of the parents was, as a hash: its definition and that of all it reads, of an external table the columns that are read. Absent in older snapshots. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** Whether it also reads tables that the project does not describe; absent: it does not. */
  readonly readsUndeclared?: boolean;
  /** Its query reads its own table: intervals are made of those before them. Absent: it does not. */
  readonly readsItself?: true;
  readonly schedule: Schedule;
  /** Absent when the model has none. */
  readonly audits?: AuditFacts;
}

/** What planning needs to know of a model's audits without their texts; skipped ones are left out. */
export interface AuditFacts {
  /** Names as the model uses them. */
  readonly blocking: readonly string[];
  readonly others: readonly string[];
  /** Whether one of them may read more than the model's own rows, so that its answer depends on the environment. */
  readonly readsOthers: boolean;
  /** What each of `blocking` demands (definition and arguments), as a hash, in their order; absent in older snapshots. */
  readonly demands?: readonly string[];
  /** Models that an audit's text names, by the audit's name: its stage waits for theirs, but they are not parents. */
  readonly reads?: Readonly<Record<string, readonly string[]>>;
  /** A macro could name more than `reads` has. */
  readonly mayReadMore?: boolean;
}

/** All that decides which intervals a model is due for; absent options have their defaults filled in. */
export interface Schedule {
  readonly cron: string;
  readonly cronTz: string;
  readonly unit: IntervalUnit;
  /** As written: relative dates stay relative to the execution time. */
  readonly start?: string;
  readonly end?: string;
  readonly lookback: number;
  readonly allowPartials: boolean;
  readonly batchSize?: number;
  readonly batchConcurrency: number;
  readonly autoRestatementCron?: string;
  readonly autoRestatementIntervals?: number;
  readonly disableRestatement: boolean;
  /** The age its data may have, as written (`26h`). */
  readonly freshness?: string;
  /** Names of its signals with their arguments. */
  readonly signals: Model['signals'];
}

/** Everything needed to build a snapshot again without the project's files; stored once per fingerprint. */
export interface SnapshotContent {
  readonly model: Model;
  /** The project's own audits that the model uses (built-in ones need no text). */
  readonly audits: readonly Audit[];
  /** The query after macro expansion with the fixed times of a load: what changes are found by. Absent for seeds and externals. */
  readonly expandedQuery?: string;
  /** Files of `signals/` that the model's signals can reach, by path; absent without signals. */
  readonly signalFiles?: Readonly<Record<string, string>>;
  readonly applied: AppliedContext;
}

/** What macros could see when the snapshot was made. Secrets and values of the environment are kept as the templates they were written as. */
export interface AppliedContext {
  readonly gateway: string;
  readonly defaultCatalog?: string;
  readonly variables: DataRecord;
  /** Files of `macros/` that the model's functions can reach, by path. */
  readonly macroFiles: Readonly<Record<string, string>>;
  readonly jinjaMacros: readonly { readonly file: string; readonly text: string }[];
  /** Columns of the tables that macros asked for (`@STAR`), by model name: a later change of them is a change of this snapshot. */
  readonly columns?: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  /** The project's pattern for text time columns that name none of their own. */
  readonly timeColumnFormat?: string;
}

/** Kinds whose rows Plinth writes into a table of its own. */
export function isWritten(kind: ModelKind['kind']): boolean {
  return kind !== 'view' && kind !== 'embedded' && kind !== 'external';
}

/** Kinds that have an object of their own in the warehouse: written tables and views. */
export function isBuilt(kind: ModelKind['kind']): boolean {
  return kind === 'view' || isWritten(kind);
}
