import { WHOLE } from '../../../domain/engine.ts';
import type { Schedule } from '../../../domain/snapshot.ts';
import { clipRanges, intersectRanges, type RangeSet } from '../../../foundation/time/ranges.ts';
import { expandToUnits } from '../../../foundation/time/unit-ranges.ts';
import { type Filling, isIncremental, refillOf } from './kind-traits.ts';

/** A table as far as it decides what is filled again. */
export interface FilledTable extends Filling {
  readonly schedule: Pick<Schedule, 'unit'>;
  readonly filled: RangeSet;
}

/**
 * What of a table is filled again when a user restates `asked`: whole units of what is filled; from there to the end where
 * newer intervals build on older ones; all of it for kinds that are made whole or whose rows do not say where they came from.
 */
export function restatementRanges(table: FilledTable, requested: RangeSet): RangeSet {
  const { kind, schedule, filled } = table;
  const touched = intersectRanges(filled, expandToUnits(requested.map(inCalendar), schedule.unit));
  const first = touched[0];
  if (first === undefined || kind === 'embedded' || kind === 'external') return [];
  if (!isIncremental(kind)) return filled;
  switch (refillOf(table)) {
    case 'each':
      return touched;
    case 'onward':
      return clipRanges(filled, { start: first.start, end: WHOLE.end });
    case 'whole':
      return filled;
  }
}

/** The time whose rows may be others once `asked` is filled again: what must be filled again of the tables below. Where nothing is, at most what was asked. */
export function restatedBelow(table: FilledTable, requested: RangeSet): RangeSet {
  const first = requested[0];
  if (first === undefined || !isIncremental(table.kind)) return requested;
  if (restatementRanges(table, requested).length === 0) return requested;
  switch (refillOf(table)) {
    case 'each':
      return requested;
    case 'onward':
      return [{ start: first.start, end: Number.POSITIVE_INFINITY }];
    case 'whole':
      return [{ start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY }];
  }
}

/** Open ends are allowed in what is asked; calendars end. */
function inCalendar({ start, end }: { readonly start: number; readonly end: number }) {
  return { start: Math.max(start, -WHOLE.end), end: Math.min(end, WHOLE.end) };
}
