import { civilFromDays, DAY_MS } from '../../../foundation/time/civil.ts';
import { addDuration, parseDuration } from '../../../foundation/time/duration.ts';
import { parseWrittenTime } from '../../../foundation/time/relative-date.ts';

/** Why buckets of this length from there would not begin at equal distances; undefined when they do, or when something was not read. */
export function unevenness(
  interval: string,
  offset: string | undefined,
  origin: string | undefined,
): string | undefined {
  const length = parseDuration(interval);
  if (length.kind === 'problem') return undefined;
  if (length.months === 0) return length.ms === 0 ? 'has no length' : undefined;
  if (length.ms > 0) return 'mixes months and days';
  const shift = parseDuration(offset ?? '0 days');
  const from = origin === undefined ? undefined : parseWrittenTime(origin);
  if (shift.kind === 'problem' || from?.kind === 'problem') return undefined;
  const start = addDuration(from === undefined ? 0 : from.wall - (from.offset ?? 0), shift);
  return civilFromDays(Math.floor(start / DAY_MS)).day > 28 ? 'begins after the 28th of a month' : undefined;
}
