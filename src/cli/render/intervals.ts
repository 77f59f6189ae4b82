import { CENTURY_MS } from '../../domain/interval-pairs.ts';
import { counted } from '../../foundation/counted.ts';
import { DAY_MS, modulo } from '../../foundation/time/civil.ts';
import { isoDate, isoInstantShort } from '../../foundation/time/iso.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import { grouped } from './table.ts';

/** `2025-01-01 to 2025-01-31`, days inclusive where ranges lie on days; `the whole` of what has no time. */
export function intervalText(ranges: RangeSet): string {
  const [first, second] = ranges;
  if (first === undefined) return 'nothing';
  if (first.end - first.start > CENTURY_MS) return 'whole';
  const last = ranges.at(-1) ?? first;
  const isDaily = ranges.every(({ start, end }) => modulo(start, DAY_MS) === 0 && modulo(end, DAY_MS) === 0);
  const text = isDaily
    ? last.end - first.start === DAY_MS
      ? isoDate(first.start)
      : `${isoDate(first.start)} to ${isoDate(last.end - 1)}`
    : `${isoInstantShort(first.start)} to ${isoInstantShort(last.end)}`;
  return second === undefined ? text : `${text}, in ${grouped(ranges.length)} pieces`;
}

/** `1.2 s`, `340 ms`, `3 min 20 s`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const [minutes, seconds] = [Math.floor(ms / 60_000), Math.round((ms % 60_000) / 1000)];
  if (minutes < 60) return `${minutes} min ${seconds} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How long ago, in one unit. */
export function ageText(ms: number): string {
  const units = [
    [DAY_MS, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
    [1000, 'second'],
  ] as const;
  for (const [length, noun] of units)
    if (ms >= length) {
      const count = Math.floor(ms / length);
      return counted(count, noun);
    }
  return 'a moment';
}
