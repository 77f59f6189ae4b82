/*
 * A submitted question, from its acceptance to its result.
 *
 *   ACCEPTED ─▶ QUEUED ─▶ IN_PROGRESS ─▶ SUCCESS | FAILED | CANCELLED
 *
 * A statement belongs to its caller; the work belongs to an execution, which several equal statements share. A
 * statement that needs no work, or whose work begins at once, skips states; it never goes back, except that work which
 * lost its process is queued once more.
 */
import { hash128 } from '../foundation/hash128.ts';
import type { TableId } from './relation.ts';
import type { QueryColumn } from './semantic-query.ts';
import type { StatementTrust } from './statement-trust.ts';

export const STATEMENT_STATUSES = [
  'ACCEPTED',
  'QUEUED',
  'IN_PROGRESS',
  'SUCCESS',
  'FAILED',
  'CANCELLED',
] as const;

export type StatementStatus = (typeof STATEMENT_STATUSES)[number];

/** Whether a status is final: nothing changes a statement that has it. */
export function isTerminal(status: StatementStatus): status is 'SUCCESS' | 'FAILED' | 'CANCELLED' {
  return status === 'SUCCESS' || status === 'FAILED' || status === 'CANCELLED';
}

/** How a question was spelled. */
export type QueryType = 'sql' | 'semantic-sql' | 'semantic-query' | 'metric';

/** A column of a result. */
export interface StatementColumn {
  readonly name: string;
  /** One word for the family of types: what a client without knowledge of the engine needs. */
  readonly type: ColumnType;
  /** As the engine spells it. */
  readonly engineType: string;
  readonly precision?: number;
  readonly scale?: number;
  /** Which member of the semantics it shows; absent in plain SQL. */
  readonly semantic?: QueryColumn;
}

export type ColumnType =
  | 'boolean'
  | 'integer'
  | 'decimal'
  | 'float'
  | 'text'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'timestamptz'
  | 'interval'
  | 'binary'
  | 'json'
  | 'list'
  | 'struct'
  | 'other';

/** Why a statement failed. */
export interface StatementError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** A statement as its owner sees it. Times are epoch milliseconds. */
export interface Statement {
  readonly id: string;
  readonly status: StatementStatus;
  /** Grows with every change of the record. */
  readonly version: number;
  readonly strategy: 'execute' | 'from_cache' | 'await_primary';
  readonly queryType: QueryType;
  /** As it was asked; for questions in another form than SQL, the SQL they became. */
  readonly sql: string;
  readonly fingerprint: string;
  readonly environment: string;
  readonly principalId: string;
  readonly tenant: string;
  readonly tags: readonly string[];
  readonly submittedAt: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  /** When the result expires, and soon after it the statement; absent while there is no result. */
  readonly expiresAt?: number;
  readonly stats: StatementStats;
  /** Known when it succeeded. */
  readonly columns?: readonly StatementColumn[];
  readonly rowCount?: number;
  /** Whether the row limit cut the result. */
  readonly isTruncated: boolean;
  /** Models whose rows it reads. */
  readonly dependsOn: readonly string[];
  /** What the answer rests on. */
  readonly trust: StatementTrust;
  /** Of the data that its rows were read from; absent while there are none, and where nothing can say it. */
  readonly dataVersion?: string;
  readonly error?: StatementError;
  readonly notes: readonly string[];
  /** Absent in statements from before it was recorded. */
  readonly access?: StatementAccess;
  /** What makes it a question again, with its text; absent where the text is enough, or it is too long. */
  readonly asked?: AskedQuestion;
  /** Shown to a reader without permission for activity: troubles of the data are counted, not named. */
  readonly isUnnamed?: true;
  /** Shown without SQL and error text: the reader has no permission for its question now. */
  readonly isWithheld?: true;
}

/** What was asked, beside the text of a statement: the SemanticQuery as JSON, or the values of `?` in SQL. */
export type AskedQuestion =
  | { readonly kind: 'semantic'; readonly query: unknown }
  | { readonly kind: 'sql'; readonly parameters: readonly unknown[] };

/** What the caller could see of the data that a statement reads: its texts and rows are for callers who can see at least as much. */
export interface StatementAccess {
  /** By name of the semantic models that it is about: what policies left of them. */
  readonly semantics: Readonly<Record<string, ShownPart>>;
  /** What its words mean: `model.member`, or a metric. Absent in statements from before it was recorded. */
  readonly members?: readonly string[];
  /** Names of the models that its text reads as tables. */
  readonly models: readonly string[];
}

/** Everything, or what one of several alternatives lets pass. */
export type ShownPart =
  | 'all'
  | readonly {
      /** Conditions that hold for the rows, as texts that are equal when they mean the same rows. */
      readonly filters: readonly string[];
      /** Masked members with what their mask means. */
      readonly masks: Readonly<Record<string, string>>;
    }[];

export interface StatementStats {
  readonly queuedMs?: number;
  readonly execMs?: number;
  readonly rows?: number;
  /** Of the result as it is kept. */
  readonly bytes?: number;
  /** Rows without the limit, when the question asked for it. */
  readonly total?: number;
  /** `semantic_model.rollup` that answered in place of the model's rows. */
  readonly rollup?: string;
}

/** All that a statement is at its submission. */
export type NewStatement = Pick<
  Statement,
  | 'id'
  | 'queryType'
  | 'sql'
  | 'environment'
  | 'principalId'
  | 'tenant'
  | 'tags'
  | 'submittedAt'
  | 'dependsOn'
  | 'trust'
  | 'notes'
  | 'access'
  | 'asked'
>;

/** Work to do, as it is stored: everything that is needed to do it again in another process. */
export interface ExecutionTask {
  /** Tried in this order: one without rows passes on to the next. More than one where a rollup may turn out not to be up to date. */
  readonly texts: readonly { readonly sql: string; readonly totalSql?: string; readonly rollup?: string }[];
  readonly timeoutMs: number;
  readonly rowLimit?: number;
  readonly onLimit: 'truncate' | 'fail';
  /** Columns of the semantics, by position. */
  readonly semantic?: readonly QueryColumn[];
  /** The texts contain what the caller wrote, and passed `Engine.inspect` when they were submitted. */
  readonly isInspected?: true;
  /** Tables whose data an answer depends on that may not be shared: its rows come with their data version all the same. */
  readonly tables?: readonly TableId[];
  /** The key of an answer that may be shared: the question, and the tables whose data it depends on. */
  readonly shared?: { readonly question: string; readonly tables: readonly TableId[] };
}

/** The name of an answer: what was asked, over which state of the data. */
export function answerFingerprint(question: string, versions: readonly string[]): string {
  return hash128(question, ...versions);
}

/** Work that a process holds. */
export interface Execution {
  readonly id: string;
  readonly fingerprint: string;
  readonly task: ExecutionTask;
  readonly tenant: string;
  readonly principalId: string;
  /** 1 the first time; a second one only after a process was lost. */
  readonly attempt: number;
  /** When it was first begun, in whatever process: the time of its task is counted from there. Absent before. */
  readonly startedAt?: number;
}

/** Where the rows are: small results in the store itself, others in the result store under a name unique to the attempt. */
export type ResultPlace =
  | { readonly kind: 'inline'; readonly lines: Uint8Array }
  | { readonly kind: 'file'; readonly name: string };

/** The name under which an attempt keeps its result. */
export function resultName({ id, attempt }: { readonly id: string; readonly attempt: number }): string {
  return `${id}.${attempt}`;
}

/** What a finished execution leaves. */
export interface ExecutionResult {
  readonly place: ResultPlace;
  readonly columns: readonly StatementColumn[];
  readonly rowCount: number;
  readonly isTruncated: boolean;
  readonly bytes: number;
  readonly total?: number;
  readonly rollup?: string;
  /** Of the data that they were read from; absent where nothing can say it. */
  readonly dataVersion?: string;
}

export type ExecutionEnd =
  /** `fingerprint`: of the data that the rows were read from. Without it the answer is for those who wait for it alone. */
  | { readonly kind: 'success'; readonly result: ExecutionResult; readonly fingerprint?: string }
  | { readonly kind: 'failed'; readonly error: StatementError; readonly refuseUntil?: number };

const INTEGERS =
  /^U?(?:TINY|SMALL|BIG|HUGE)INT$|^U?INTEGER$|^INT\d*$|^U?HUGEINT$|^(?:BIGNUM|VARINT|LONG|SHORT)$/;
const FAMILIES: readonly (readonly [RegExp, ColumnType])[] = [
  [/\]$/, 'list'],
  [/^(?:STRUCT|MAP|UNION)\b/, 'struct'],
  [/^BOOL/, 'boolean'],
  [INTEGERS, 'integer'],
  [/^(?:DECIMAL|NUMERIC)\b/, 'decimal'],
  [/^(?:DOUBLE|FLOAT|REAL)/, 'float'],
  [/^(?:VARCHAR|TEXT|CHAR|STRING|ENUM|UUID)/, 'text'],
  [/^DATE$/, 'date'],
  [/^(?:TIMESTAMPTZ|TIMESTAMP WITH TIME ZONE)$/, 'timestamptz'],
  [/^(?:TIMESTAMP|DATETIME)/, 'timestamp'],
  [/^TIME/, 'time'],
  [/^INTERVAL/, 'interval'],
  [/^(?:BLOB|BYTEA|BIT|VARBINARY)/, 'binary'],
  [/^JSON/, 'json'],
];

/** A column of an answer with its family of types and, for decimals, their size. */
export function statementColumn(
  { name, type }: { readonly name: string; readonly type: string },
  semantic?: QueryColumn,
): StatementColumn {
  const upper = type.toUpperCase();
  const [, precision, scale = '0'] = /^(?:DECIMAL|NUMERIC)\((\d+)(?:,\s*(\d+))?\)$/.exec(upper) ?? [];
  return {
    name,
    type: FAMILIES.find(([pattern]) => pattern.test(upper))?.[1] ?? 'other',
    engineType: type,
    ...(precision === undefined ? {} : { precision: Number(precision), scale: Number(scale) }),
    ...(semantic === undefined ? {} : { semantic }),
  };
}
