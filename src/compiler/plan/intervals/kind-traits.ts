import type { ModelKind } from '../../../domain/model-kind.ts';

type Kind = ModelKind['kind'];

/** What decides how the intervals of a table depend on one another. */
export interface Filling {
  readonly kind: Kind;
  readonly readsItself?: boolean;
}

/**
 * What it means to fill time of a table again:
 *
 *   each     rows say which interval they belong to: that one is replaced and no other
 *   onward   a model by time over its own past: that interval and all later ones, in order
 *   whole    rows do not say where they came from: the table is rebuilt from its beginning, never merged or appended to twice
 */
export type Refill = 'each' | 'onward' | 'whole';

export function refillOf({ kind, readsItself = false }: Filling): Refill {
  if (kind === 'incremental-by-time-range') return readsItself ? 'onward' : 'each';
  return kind === 'incremental-by-partition' && !readsItself ? 'each' : 'whole';
}

/** Kinds that are filled interval by interval; all others are made whole or not at all. */
export function isIncremental(kind: Kind): boolean {
  return kind.startsWith('incremental-') || isHistory(kind);
}

/** Both SCD 2 kinds. */
export function isHistory(kind: Kind): boolean {
  return kind === 'scd-type-2-by-time' || kind === 'scd-type-2-by-column';
}

/** Kinds where filling an interval twice would add its rows twice. */
export function isAppending(kind: Kind): boolean {
  return kind === 'incremental-unmanaged';
}

/** Tables where a later interval must never be written before an earlier one: what is newest wins, becomes history, or is made of what is older. */
export function isOrdered({ kind, readsItself = false }: Filling): boolean {
  return kind === 'incremental-by-unique-key' || isHistory(kind) || (readsItself && isIncremental(kind));
}

/** Kinds where older time can be filled below newer: their rows say which time they belong to. */
export function fillsAnyTime(kind: Kind): boolean {
  return kind === 'incremental-by-time-range' || kind === 'incremental-by-partition';
}

/** Tables whose intervals may be written side by side: each replaces only rows of its own time and reads no other. */
export function isParallel({ kind, readsItself = false }: Filling): boolean {
  return kind === 'incremental-by-time-range' && !readsItself;
}

/** Tables that can fill the last intervals again without knowing what came after them: what `lookback` asks for. */
export function looksBack({ kind, readsItself = false }: Filling): boolean {
  if (kind === 'incremental-by-time-range') return true;
  return !readsItself && (kind === 'incremental-by-unique-key' || kind === 'incremental-by-partition');
}

/** Kinds that are filled again when what they read is, or when `auto_restatement_cron` says so. */
export function isRepeatable(kind: Kind): boolean {
  return isIncremental(kind) && !isAppending(kind) && !isHistory(kind);
}
