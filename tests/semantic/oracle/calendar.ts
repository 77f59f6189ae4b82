/* Calendar and zones by the rules page, on `Date` and `Intl` alone. "Wall" is what a clock in the zone shows, in milliseconds as if it were UTC. */
import type { Moment } from './value.ts';
import type { Span, Unit, WorldGranularity } from './world.ts';

const DAY = 86_400_000;
const LENGTHS: Readonly<Partial<Record<Unit, number>>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: DAY,
  week: 7 * DAY,
};
const formats = new Map<string, Intl.DateTimeFormat>();
const walls = new Map<string, number>();

/** The wall time of an instant. */
export function wallOf(zone: string, utc: number): number {
  if (zone === 'UTC') return utc;
  const key = `${zone} ${utc}`;
  const known = walls.get(key);
  if (known !== undefined) return known;
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(utc).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  const wall = Date.UTC(year, month - 1, day, hour, minute, second) + (((utc % 1000) + 1000) % 1000);
  walls.set(key, wall);
  return wall;
}

/** The first instant at which the clock shows `wall` or, where it skips that, anything later. */
export function instantOf(zone: string, wall: number): number {
  if (zone === 'UTC') return wall;
  const offsets = [-DAY, DAY].map((shift) => wallOf(zone, wall + shift) - (wall + shift));
  const exact = offsets.map((offset) => wall - offset).filter((utc) => wallOf(zone, utc) === wall);
  if (exact.length > 0) return Math.min(...exact);
  // The clock jumps over it: the jump is where the wall first is later.
  let [before, after] = [wall - 2 * DAY, wall + 2 * DAY];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (wallOf(zone, middle) >= wall) after = middle;
    else before = middle;
  }
  return after;
}

export function truncate(wall: number, unit: Unit): number {
  const date = new Date(wall);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (unit === 'year') return Date.UTC(year, 0, 1);
  if (unit === 'quarter') return Date.UTC(year, month - (month % 3), 1);
  if (unit === 'month') return Date.UTC(year, month, 1);
  const day = Date.UTC(year, month, date.getUTCDate());
  if (unit === 'week') return day - ((date.getUTCDay() + 6) % 7) * DAY;
  const length = LENGTHS[unit] as number;
  return unit === 'day' ? day : Math.floor(wall / length) * length;
}

/** Months keep the day where the month has it, else its last. */
export function add(wall: number, { count, unit }: Span, sign: 1 | -1 = 1): number {
  const months = unit === 'year' ? 12 : unit === 'quarter' ? 3 : unit === 'month' ? 1 : 0;
  if (months === 0) return wall + sign * count * (LENGTHS[unit] as number);
  const date = new Date(wall);
  const target = date.getUTCFullYear() * 12 + date.getUTCMonth() + sign * count * months;
  const [year, month] = [Math.floor(target / 12), ((target % 12) + 12) % 12];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(date.getUTCDate(), last)) + (((wall % DAY) + DAY) % DAY);
}

export type Granularity = Unit | WorldGranularity;

/** The bucket [start, end) of a wall time. */
export function bucket(
  wall: number,
  granularity: Granularity,
): { readonly start: number; readonly end: number } {
  if (typeof granularity === 'string') {
    const start = truncate(wall, granularity);
    return { start, end: add(start, { count: 1, unit: granularity }) };
  }
  const { count, unit, offset, origin } = granularity;
  if (offset !== undefined) {
    const start = add(truncate(add(wall, offset, -1), unit), offset);
    return { start, end: add(start, { count, unit }) };
  }
  let start =
    origin === undefined ? (unit === 'week' ? Date.UTC(1969, 11, 29) : 0) : Date.parse(`${origin}T00:00:00Z`);
  const first = start;
  // Step by step from the origin; in leaps first, so that a bucket of hours takes no age.
  let steps = Math.floor((wall - first) / (count * roughLength(unit)));
  const at = (n: number): number => add(first, { count: Math.abs(n) * count, unit }, n < 0 ? -1 : 1);
  while (at(steps) > wall) steps--;
  while (at(steps + 1) <= wall) steps++;
  start = at(steps);
  return { start, end: at(steps + 1) };
}

function roughLength(unit: Unit): number {
  return LENGTHS[unit] ?? (unit === 'year' ? 366 : unit === 'quarter' ? 92 : 31) * DAY;
}

/** What the clock of the query shows for a value: DATEs never shift. */
export function wallOfMoment({ kind, ms }: Moment, zone: string): number {
  return kind === 'date' ? ms : wallOf(zone, ms);
}

export function bucketOf(moment: Moment, granularity: Granularity, zone: string): Moment {
  return { kind: bucketKind(moment, granularity), ms: bucket(wallOfMoment(moment, zone), granularity).start };
}

/** A bucket of a DATE is one, unless it is shorter than a day. */
export function bucketKind({ kind }: Moment, granularity: Granularity): Moment['kind'] {
  const unit = typeof granularity === 'string' ? granularity : granularity.unit;
  return ['hour', 'minute', 'second'].includes(unit) ? 'timestamp' : kind;
}

/** [start, end) on the wall clock. */
export interface WallRange {
  readonly start: number;
  readonly end: number;
}

/** Whether a value lies in a range: TIMESTAMPs by their instant, DATEs by their midnight. */
export function isInRange({ kind, ms }: Moment, range: WallRange, zone: string): boolean {
  if (kind === 'date') return ms >= range.start && ms < range.end;
  return ms >= instantOf(zone, range.start) && ms < instantOf(zone, range.end);
}

/** Reads the ranges that generated queries use. */
export function readRange(range: string | readonly [string, string], zone: string, now: number): WallRange {
  if (typeof range !== 'string') return { start: point(range[0]).start, end: point(range[1]).end };
  const today = truncate(wallOf(zone, now), 'day');
  if (range === 'today') return { start: today, end: today + DAY };
  if (range === 'yesterday') return { start: today - DAY, end: today };
  const between = /^from (\S+) to (\S+)$/.exec(range);
  if (between !== null)
    return { start: point(between[1] as string).start, end: point(between[2] as string).end };
  const named = /^(this|last|next)(?: (\d+))? (day|week|month|quarter|year)s?$/.exec(range);
  if (named === null) return point(range);
  const unit = named[3] as Unit;
  const count = Number(named[2] ?? 1);
  const current = truncate(today, unit);
  if (named[1] === 'this') return { start: current, end: add(current, { count: 1, unit }) };
  if (named[1] === 'last') return { start: add(current, { count, unit }, -1), end: current };
  return { start: add(current, { count: 1, unit }), end: add(current, { count: count + 1, unit }) };
}

/** A written day is all of it, a written time its millisecond. */
export function point(written: string): WallRange {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(written);
  const start = Date.parse(isDay ? `${written}T00:00:00Z` : `${written.replace(' ', 'T')}Z`);
  if (Number.isNaN(start)) throw new Error(`${written} is no time`);
  return { start, end: isDay ? start + DAY : start + 1 };
}
