import type { ModelKind } from '../../../domain/model-kind.ts';

type Kind = ModelKind['kind'];

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

/** Kinds where a later interval must never be written before an earlier one: what is newest wins, or becomes history. */
export function isOrdered(kind: Kind): boolean {
  return kind === 'incremental-by-unique-key' || isHistory(kind);
}

/** Kinds where older time can be filled below newer: their rows say which time they belong to. */
export function fillsAnyTime(kind: Kind): boolean {
  return kind === 'incremental-by-time-range' || kind === 'incremental-by-partition';
}

/** Kinds whose intervals may be written side by side: each replaces only rows of its own time. */
export function isParallel(kind: Kind): boolean {
  return kind === 'incremental-by-time-range';
}

/** Kinds that can fill old intervals again without knowing what came after them. */
export function isRepeatable(kind: Kind): boolean {
  return isIncremental(kind) && !isAppending(kind) && !isHistory(kind);
}
