import { WHOLE } from '../../../domain/engine.ts';
import type { ModelKind } from '../../../domain/model-kind.ts';
import type { Schedule } from '../../../domain/snapshot.ts';
import { clipRanges, intersectRanges, type RangeSet } from '../../../foundation/time/ranges.ts';
import { expandToUnits } from '../../../foundation/time/unit-ranges.ts';
import { isAppending, isHistory, isOrdered } from './kind-traits.ts';

/**
 * What of a table is filled again when a user restates `asked`: whole units of what is filled; all of it for kinds that
 * are made whole, append or keep history; from there to the end where newer intervals build on older ones.
 */
export function restatementRanges(
  table: {
    readonly kind: ModelKind['kind'];
    readonly schedule: Pick<Schedule, 'unit'>;
    readonly filled: RangeSet;
  },
  asked: RangeSet,
): RangeSet {
  const { kind, schedule, filled } = table;
  const touched = intersectRanges(filled, expandToUnits(asked.map(inCalendar), schedule.unit));
  const first = touched[0];
  if (first === undefined) return [];
  switch (kind) {
    case 'embedded':
    case 'external':
      return [];
    case 'view':
    case 'seed':
    case 'full':
      return filled;
    default:
      if (isHistory(kind) || isAppending(kind)) return filled;
      return isOrdered(kind) ? clipRanges(filled, { start: first.start, end: WHOLE.end }) : touched;
  }
}

/** Open ends are allowed in what is asked; calendars end. */
function inCalendar({ start, end }: { readonly start: number; readonly end: number }) {
  return { start: Math.max(start, -WHOLE.end), end: Math.min(end, WHOLE.end) };
}
