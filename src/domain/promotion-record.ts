/*
 * What a promotion writes into the warehouse beside its id: which definition each of the tables it shows was made of, as
 * hashes. The state knows more; the record remains when the state is lost, and a rebuild relies on it alone.
 */
import type { Environment } from './environment.ts';
import type { Snapshot } from './snapshot.ts';

const VERSION = 1;

export interface PromotionRecord {
  readonly environment: RecordedEnvironment;
  /** Of its entries; without texts, which are the project's. */
  readonly snapshots: readonly Snapshot[];
  /** Fingerprints that filled a table which another one had begun, by `tableKey`: of all tables that the state knew, shown or not. */
  readonly takers: Readonly<Record<string, readonly string[]>>;
  /** Of each entry over such a table, by fingerprint: itself and those before it. */
  readonly chains: Readonly<Record<string, readonly string[]>>;
  /** A hash of the hooks; absent: there were none. */
  readonly hooks?: string;
}

/** Without policies: a reader of the warehouse must not learn who may see what. */
export type RecordedEnvironment = Omit<
  Environment,
  'semantics' | 'dqPacks' | 'audits' | 'hooks' | 'access' | 'planId'
>;

/** Records that were written when hooks were still called `around` are read as well. */
type StoredRecord = PromotionRecord & { readonly version: number; readonly around?: string };

/** The text that goes into the transaction of the promotion. */
export function promotionRecordText(record: PromotionRecord): string {
  return JSON.stringify({ version: VERSION, ...record });
}

/** Undefined for a text that another version of Plinth wrote, or that Plinth did not write. */
export function readPromotionRecord(text: string): PromotionRecord | undefined {
  try {
    const { version, around, ...record } = JSON.parse(text) as StoredRecord;
    return version === VERSION
      ? { ...record, ...(around === undefined ? {} : { hooks: around }) }
      : undefined;
  } catch {
    return undefined;
  }
}
