/*
 * Points in time as users write them, for `start`, `end`, `--start`, `--execution-time`:
 *
 *   2024-01-31 · 20240131 · 2024-01-31 10:00[:00.123][Z|+02:00] · 1704067200000 (ms) · now · today · yesterday ·
 *   tomorrow · 3 days ago · -1d · 1 week · in 2 hours · last month
 *
 * "Now" is an argument. A text without zone means UTC. As in SQLMesh, relative texts whose units are all spelled-out
 * days or longer count from midnight ("3 days ago"), all others from the given instant ("-3d", "2 hours ago").
 */
import { addMonthsToDays, DAY_MS, daysFromCivil, daysInMonth, HOUR_MS, MINUTE_MS, modulo } from './civil.ts';
import { type Duration, durationOfTerms, parseDurationTerms, UNUSABLE_DURATION } from './duration.ts';
import { quoted, type TimeProblem, timeProblem } from './time-problem.ts';

/** A point in time; `isDateOnly` is true for a bare date, whose whole day belongs to a range that ends with it. */
export interface ParsedTime {
  readonly kind: 'time';
  readonly at: number;
  readonly isDateOnly: boolean;
  readonly isRelative: boolean;
}

/** A written date or timestamp before any zone is applied; `offset` is absent when the text names none. */
export interface WrittenTime {
  readonly kind: 'written';
  readonly wall: number;
  readonly offset: number | undefined;
  readonly isDateOnly: boolean;
}

/** `3 days ago`, `in 2 hours`, `yesterday` before any zone is applied; `fromMidnight` counts from the start of the day. */
export interface RelativeTime {
  readonly kind: 'relative';
  readonly sign: 1 | -1;
  readonly duration: Duration;
  readonly fromMidnight: boolean;
}

const EXPECTED =
  "a date '2024-01-31', a timestamp '2024-01-31 10:00:00', epoch milliseconds, or relative text such as 'yesterday' or '3 days ago'";
const MONTH_NAMES =
  'January February March April May June July August September October November December'.split(' ');
const TIME_MIN = daysFromCivil(1, 1, 1) * DAY_MS;
const TIME_MAX = daysFromCivil(10_000, 1, 1) * DAY_MS;

/** Reads a point in time; numbers are epoch milliseconds, and a text without zone means UTC. */
export function parseTime(value: string | number, now: number): ParsedTime | TimeProblem {
  const text = String(value);
  if (typeof value === 'number') {
    if (Number.isFinite(value) && isInCalendar(value)) return absolute(Math.floor(value), false);
    return bad(text, `${quoted(text)} is outside the years 1 to 9999.`);
  }
  const trimmed = text.trim();
  if (/^[+-]?\d{9,}(\.\d+)?$/.test(trimmed) || /^\d{1,7}$/.test(trimmed)) return parseEpoch(text, trimmed);
  const written = parseWrittenTime(text);
  if (written?.kind === 'problem') return written;
  if (written !== undefined) {
    const at = written.wall - (written.offset ?? 0);
    return isInCalendar(at)
      ? absolute(at, written.isDateOnly)
      : bad(text, `${quoted(text)} is outside the years 1 to 9999.`);
  }
  const relative = parseRelativeTime(text);
  if (relative === undefined) return bad(text, `${quoted(text)} is not a point in time.`);
  if (relative.kind === 'problem') return relative;
  const base = relative.fromMidnight ? now - modulo(now, DAY_MS) : now;
  const days = addMonthsToDays(Math.floor(base / DAY_MS), relative.sign * relative.duration.months);
  const at = days * DAY_MS + modulo(base, DAY_MS) + relative.sign * relative.duration.ms;
  if (!isInCalendar(at)) return bad(text, `${quoted(text)} is outside the years 1 to 9999.`);
  return { kind: 'time', at, isDateOnly: false, isRelative: true };
}

/** Whether the text is a bare, valid calendar date, so that as an end it includes its whole day. */
export function isDateOnly(text: string): boolean {
  const written = parseWrittenTime(text);
  return written?.kind === 'written' && written.isDateOnly;
}

/** The exclusive end a user means: a bare date includes its day, anything else ends where it says. */
export function exclusiveEnd(time: ParsedTime): number {
  return time.isDateOnly ? time.at + DAY_MS : time.at;
}

/** Reads a date or timestamp without applying a zone; `undefined` when the text does not look like one. */
export function parseWrittenTime(text: string): WrittenTime | TimeProblem | undefined {
  const trimmed = text.trim();
  if (trimmed.length > 60) return undefined;
  const match =
    /^(\d{4,})-(\d{1,2})-(\d{1,2})(?:(?:[T ]| +)(.+))?$/i.exec(trimmed) ??
    /^(\d{4,})\/(\d{1,2})\/(\d{1,2})(?:(?:[T ]| +)(.+))?$/i.exec(trimmed) ??
    /^(\d{4})(\d{2})(\d{2})$/.exec(trimmed);
  if (match === null) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (year < 1 || year > 9999)
    return bad(text, `${quoted(text)} has the year ${match[1]}.`, 'a year from 0001 to 9999');
  if (month < 1 || month > 12)
    return bad(text, `${quoted(text)} has the month ${match[2]}.`, 'a month from 01 to 12');
  const length = daysInMonth(year, month);
  if (day < 1 || day > length) {
    const name = `${MONTH_NAMES[month - 1]} ${year}`;
    return bad(
      text,
      `${quoted(text)} has the day ${match[3]}, but ${name} has ${length} days.`,
      `a day from 01 to ${length}`,
    );
  }
  const midnight = daysFromCivil(year, month, day) * DAY_MS;
  if (match[4] === undefined) return { kind: 'written', wall: midnight, offset: undefined, isDateOnly: true };
  const clock = parseClock(match[4]);
  if (clock === undefined) {
    return bad(
      text,
      `${quoted(text)} has no valid time of day.`,
      "a time such as '10:00', '23:59:59.999', '10:00Z' or '10:00+02:00'",
    );
  }
  return { kind: 'written', wall: midnight + clock.inDay, offset: clock.offset, isDateOnly: false };
}

/** Reads `now`, `today`, `3 days ago`, `-1d`, `in 2 hours`, `last month`; `undefined` when the text is something else. */
export function parseRelativeTime(text: string): RelativeTime | TimeProblem | undefined {
  if (text.length > 200) return undefined;
  const words = text.trim().toLowerCase().replace(/\s+/g, ' ');
  const none: Duration = { kind: 'duration', months: 0, ms: 0 };
  const oneDay: Duration = { kind: 'duration', months: 0, ms: DAY_MS };
  if (words === 'now') return { kind: 'relative', sign: 1, duration: none, fromMidnight: false };
  if (words === 'today') return { kind: 'relative', sign: 1, duration: none, fromMidnight: true };
  if (words === 'yesterday') return { kind: 'relative', sign: -1, duration: oneDay, fromMidnight: true };
  if (words === 'tomorrow') return { kind: 'relative', sign: 1, duration: oneDay, fromMidnight: true };
  // "last week" and "a week ago" are one week before this instant, not before midnight.
  const named = /^(last|next) ([a-z]+)$/.exec(words);
  const forward = /^(?:in |\+)(.+)$/.exec(words) ?? /^(.+) from now$/.exec(words);
  const back = /^-(.+?)(?: ago)?$/.exec(words) ?? /^(.+) ago$/.exec(words);
  const body = named !== null ? `a ${named[2]}` : (forward?.[1] ?? back?.[1] ?? words);
  const terms = parseDurationTerms(body.trim());
  if (terms === undefined) return undefined;
  const duration = durationOfTerms(terms);
  if (duration === undefined) return bad(text, `${quoted(text)} ${UNUSABLE_DURATION}.`);
  const fromMidnight = terms.every(
    ({ unit, isAbbreviated }) =>
      !isAbbreviated && !['millisecond', 'second', 'minute', 'hour'].includes(unit),
  );
  const isForward = forward !== null || named?.[1] === 'next';
  return { kind: 'relative', sign: isForward ? 1 : -1, duration, fromMidnight };
}

/** Times outside the years 1 to 9999 have no four-digit date and no meaning in a warehouse. */
export function isInCalendar(at: number): boolean {
  return at >= TIME_MIN && at < TIME_MAX;
}

function parseEpoch(text: string, digits: string): ParsedTime | TimeProblem {
  const at = Math.floor(Number(digits));
  // Eleven digits of milliseconds begin in 1973; fewer are nearly always seconds or a year, silently decades off.
  if (Math.abs(at) < 1e10) {
    return bad(
      text,
      `${quoted(text)} is too small for epoch milliseconds.`,
      'epoch milliseconds (not seconds) or a date such as 2024-01-31',
    );
  }
  return isInCalendar(at)
    ? absolute(at, false)
    : bad(text, `${quoted(text)} is outside the years 1 to 9999.`);
}

function parseClock(
  text: string,
): { readonly inDay: number; readonly offset: number | undefined } | undefined {
  const match = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)? ?(Z|UTC|[+-]\d{2}(?::?\d{2})?)?$/i.exec(
    text.trim(),
  );
  if (match === null) return undefined;
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const millis = Number((match[4] ?? '').slice(0, 3).padEnd(3, '0'));
  const offset = match[5] === undefined ? undefined : parseOffset(match[5]);
  if (offset === null) return undefined;
  return { inDay: hour * HOUR_MS + minute * MINUTE_MS + second * 1000 + millis, offset };
}

function parseOffset(text: string): number | null {
  if (/^(Z|UTC)$/i.test(text)) return 0;
  const digits = text.slice(1).replace(':', '').padEnd(4, '0');
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  if (hours > 14 || minutes > 59) return null;
  return (text.startsWith('-') ? -1 : 1) * (hours * HOUR_MS + minutes * MINUTE_MS);
}

function absolute(at: number, dateOnly: boolean): ParsedTime {
  return { kind: 'time', at, isDateOnly: dateOnly, isRelative: false };
}

function bad(text: string, message: string, expected = EXPECTED): TimeProblem {
  return timeProblem('bad-time', text, { message, expected });
}
