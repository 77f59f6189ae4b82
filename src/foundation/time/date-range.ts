/*
 * Ranges as people ask for them, in their own zone: `today`, `last 7 days`, `this quarter`, `from 2024-01-01 to yesterday`.
 * The answer is always half-open. "Last N units" are the N whole units before the current one, which is not in it:
 *
 *   last 3 days   [──────|──────|──────)  today…        this month   [────── today ──────)
 *
 * A written end is inclusive: a date includes its day, a timestamp its millisecond (clients send 23:59:59.999).
 */
import { addMonthsToDays, DAY_MS, modulo } from './civil.ts';
import type { TimeRange } from './ranges.ts';
import { isInCalendar, parseRelativeTime, parseWrittenTime, type RelativeTime } from './relative-date.ts';
import { quoted, type TimeProblem, timeProblem } from './time-problem.ts';
import { addInZone, type CalendarUnit, firstUtcOfWall, floorInZone, utcToWall } from './time-zone.ts';

/** The instant that relative words refer to and the zone whose days are meant; the zone must be a valid name. */
export interface DateRangeContext {
  readonly now: number;
  readonly zone: string;
}

/** A range that was read; `start` is before `end`. */
export interface ParsedDateRange extends TimeRange {
  readonly kind: 'date-range';
}

const EXPECTED =
  "'today', 'yesterday', 'this|last|next week|month|quarter|year', 'last 7 days', 'from 2024-01-01 to 2024-01-31' or a pair of dates";
const COUNT_MAX = 100_000;

/** Reads one text, one date in a list, or a list of two dates. */
export function parseDateRange(
  input: string | readonly string[],
  context: DateRangeContext,
): ParsedDateRange | TimeProblem {
  if (typeof input !== 'string') {
    const [from, to, ...more] = input;
    if (from === undefined || more.length > 0) {
      return bad(input.join(', '), `A date range has ${input.length} dates.`, 'one or two dates');
    }
    return to === undefined ? parseDateRange(from, context) : fromTo(from, to, context);
  }
  if (input.length > 200) return bad(input, `${quoted(input)} is not a date range.`);
  const words = input.trim().toLowerCase().replace(/\s+/g, ' ');
  const pair = /^from (.+) to (.+)$/.exec(words);
  if (pair !== null) return fromTo(pair[1]!, pair[2]!, context);
  const named = /^(this|last|next)(?: (\d+))? (minute|hour|day|week|month|quarter|year)s?$/.exec(words);
  if (named !== null) return relativeRange(input, named, context);
  if (words === 'now') return bad(input, `${quoted(input)} is a moment, not a range.`);
  // A single date or day-grained word is that whole day: both ends of it.
  if (parseWrittenTime(words) !== undefined || /^(today|yesterday|tomorrow)$/.test(words))
    return fromTo(words, words, context);
  return bad(input, `${quoted(input)} is not a date range.`);
}

function relativeRange(
  text: string,
  match: RegExpExecArray,
  context: DateRangeContext,
): ParsedDateRange | TimeProblem {
  const direction = match[1]!;
  const unit = match[3] as CalendarUnit;
  const count = match[2] === undefined ? 1 : Number(match[2]);
  if (direction === 'this' && match[2] !== undefined)
    return bad(text, `${quoted(text)} is not a date range.`);
  if (count < 1 || count > COUNT_MAX)
    return bad(text, `${quoted(text)} has the count ${match[2]}.`, `a count from 1 to ${COUNT_MAX}`);
  const current = floorInZone(context.zone, context.now, unit);
  // The current unit may begin late (midnight skipped by summer time), so every border is floored again.
  const border = (offset: number): number =>
    floorInZone(context.zone, addInZone(context.zone, current, { count: offset, unit }), unit);
  switch (direction) {
    case 'this':
      return checked(text, current, border(1));
    case 'last':
      return checked(text, border(-count), current);
    default:
      return checked(text, border(1), border(count + 1));
  }
}

function fromTo(from: string, to: string, context: DateRangeContext): ParsedDateRange | TimeProblem {
  const start = pointOf(from, context);
  if (start.kind === 'problem') return start;
  const end = pointOf(to, context);
  if (end.kind === 'problem') return end;
  return checked(from === to ? from : `from ${from} to ${to}`, start.at, end.endsBefore);
}

function pointOf(
  text: string,
  context: DateRangeContext,
): { readonly kind: 'point'; readonly at: number; readonly endsBefore: number } | TimeProblem {
  const { zone } = context;
  const written = parseWrittenTime(text);
  if (written?.kind === 'problem') return { ...written, reason: 'bad-date-range' };
  if (written !== undefined) {
    const at =
      written.offset === undefined ? firstUtcOfWall(zone, written.wall) : written.wall - written.offset;
    const endsBefore = written.isDateOnly ? firstUtcOfWall(zone, written.wall + DAY_MS) : at + 1;
    return { kind: 'point', at, endsBefore };
  }
  const relative = parseRelativeTime(text);
  if (relative === undefined) return bad(text, `${quoted(text)} is not a point in time.`);
  if (relative.kind === 'problem') return { ...relative, reason: 'bad-date-range' };
  return relativePoint(relative, context);
}

function relativePoint(
  { sign, duration, fromMidnight }: RelativeTime,
  { now, zone }: DateRangeContext,
): { readonly kind: 'point'; readonly at: number; readonly endsBefore: number } {
  const wall = utcToWall(zone, now);
  const days = addMonthsToDays(Math.floor(wall / DAY_MS), sign * duration.months);
  if (!fromMidnight) {
    const base = duration.months === 0 ? now : firstUtcOfWall(zone, days * DAY_MS + modulo(wall, DAY_MS));
    const at = base + sign * duration.ms;
    return { kind: 'point', at, endsBefore: at };
  }
  // Days are added on the wall clock: a day with a clock change is still one day.
  const midnight = days * DAY_MS + Math.floor((sign * duration.ms) / DAY_MS) * DAY_MS;
  return {
    kind: 'point',
    at: firstUtcOfWall(zone, midnight),
    endsBefore: firstUtcOfWall(zone, midnight + DAY_MS),
  };
}

function checked(text: string, start: number, end: number): ParsedDateRange | TimeProblem {
  if (!isInCalendar(start) || !isInCalendar(end - 1))
    return bad(text, `${quoted(text)} leaves the years 1 to 9999.`);
  if (start >= end) return bad(text, `${quoted(text)} ends before it starts.`, 'a start before the end');
  return { kind: 'date-range', start, end };
}

function bad(text: string, message: string, expected = EXPECTED): TimeProblem {
  return timeProblem('bad-date-range', text, { message, expected });
}
