/** What the API answers with, as it is written there. */
import { expect } from './unexpected.ts';

export interface Statement {
  readonly id: string;
  /** ACCEPTED, QUEUED, IN_PROGRESS, SUCCESS, FAILED or CANCELLED. */
  readonly status: string;
  readonly version: number;
  readonly strategy: 'execute' | 'from_cache' | 'await_primary';
  readonly query_type: string;
  readonly sql: string;
  readonly submitted_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly expires_at: string | null;
  readonly row_count: number | null;
  readonly truncated: boolean;
  readonly error: StatementProblem | null;
  /** The first page, when it succeeded within the wait. */
  readonly result?: StatementResult;
  readonly [field: string]: unknown;
}

export interface StatementProblem {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
}

export interface ResultColumn {
  readonly name: string;
  /** One word for the family of types. */
  readonly type: string;
  readonly engine_type: string;
  readonly nullable: boolean;
  readonly precision: number | null;
  readonly scale: number | null;
  readonly semantic: Readonly<Record<string, unknown>> | null;
}

/** Integers from -(2^53 - 1) to 2^53 - 1 are numbers; those beyond and decimals are strings, for `BigInt` or a library of decimals to read; times are ISO 8601. */
export interface StatementResult {
  readonly cols: readonly ResultColumn[];
  readonly rows: readonly (readonly unknown[])[];
  /** Of the whole result, whatever page this is. */
  readonly row_count: number;
  readonly truncated: boolean;
  /** Where the rest is; null after the last row. */
  readonly next: string | null;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

/** An object of which only its being one is known here. */
export type AnyRecord = Readonly<Record<string, unknown>>;

const TERMINAL: ReadonlySet<string> = new Set(['SUCCESS', 'SUCCEEDED', 'FAILED', 'CANCELLED']);

/** Whether a statement has ended, one way or another. */
export function isTerminal({ status }: Pick<Statement, 'status'>): boolean {
  return TERMINAL.has(status.toUpperCase());
}

/** Whether a statement has a result. */
export function isSuccessful({ status }: Pick<Statement, 'status'>): boolean {
  return ['SUCCESS', 'SUCCEEDED'].includes(status.toUpperCase());
}

/** A page of a list, when it is one. */
export function pageOf<Item>({ items, next_cursor: next = null }: AnyRecord): Page<Item> {
  expect(Array.isArray(items), 'its items are not a list');
  expect(next === null || typeof next === 'string', 'its next_cursor is not text');
  return { items: items as readonly Item[], next_cursor: next };
}
