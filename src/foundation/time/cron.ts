/*
 * When something is due. A schedule is read once into plain data; ticks are found on the wall clock of its zone, day by
 * day, and mapped to UTC. On the nights when clocks change:
 *
 *   hours are named (`30 2 * * *`)    every wall time is due exactly once: in the spring gap at its end, in the autumn
 *                                     overlap the first time
 *   hours are `*` (`0 * * * *`)       time goes on evenly: nothing in the gap, both times in the overlap
 *
 * The search is ours because `croner` 11, which the tests use to compare, drops `0,30 2 * * *` in spring and doubles it
 * in autumn.
 */
import { DAY_MS, MINUTE_MS } from './civil.ts';
import { type CronFields, cronPattern, cronSpacing, matchesDay, parseCronFields } from './cron-fields.ts';
import { type IntervalUnit, unitForSpacing } from './interval-unit.ts';
import { quoted, type TimeProblem, timeProblem } from './time-problem.ts';
import { parseTimeZone, utcToWall, wallToUtc, zoneOffset } from './time-zone.ts';

/** A valid schedule of at least five minutes between ticks; serialisable, so it can be stored with what it schedules. */
export interface Cron {
  readonly kind: 'cron';
  /** As the user wrote it. */
  readonly text: string;
  /** Five canonical fields; equal schedules have equal patterns. */
  readonly pattern: string;
  readonly zone: string;
  /** The shortest time between two ticks on the wall clock. */
  readonly spacingMs: number;
  /** The largest interval unit that is not longer than the spacing. */
  readonly unit: IntervalUnit;
}

/** What the search needs of a schedule, kept beside the plain data. */
interface Schedule {
  readonly fields: CronFields;
  /** Wall times of a day in milliseconds, ascending. */
  readonly times: readonly number[];
  readonly isEveryHour: boolean;
  /** The ticks of the days asked about lately, by day. */
  readonly days: Map<number, DayTicks>;
}

/** Ticks of one local day: wall times shifted by one offset, or a list of instants where the clock changes nearby. */
interface DayTicks {
  readonly times: readonly number[];
  readonly shift: number;
}

const CACHED_MAX = 2000;
const DAYS_CACHED_MAX = 16;
const parsedCrons = new Map<string, Cron | TimeProblem>();
const schedules = new Map<string, Schedule>();
const lastFloors = new Map<string, { readonly from: number; readonly until: number }>();

/** Reads a cron expression and its IANA zone; the same text gives the same object. */
export function parseCron(text: string, zone = 'UTC'): Cron | TimeProblem {
  const key = `${zone} ${text}`;
  let parsed = parsedCrons.get(key);
  if (parsed === undefined) {
    parsed = readCron(text, zone);
    remember(parsedCrons, key, parsed);
  }
  return parsed;
}

/** The first tick after the instant. */
export function nextTick(cron: Cron, at: number): number {
  const schedule = scheduleOf(cron);
  // A clock set back over midnight mixes the ticks of two days: begin a day early, and look one day past the first find.
  let found: number | undefined;
  for (let day = wallDay(cron, at) - 1; ; day++) {
    const isPast = found !== undefined;
    if (matchesDay(schedule.fields, day)) {
      const tick = firstAfter(ticksOfDay(schedule, cron.zone, day), at);
      if (tick !== undefined && (found === undefined || tick < found)) found = tick;
    }
    if (isPast) return found!;
  }
}

/** The last tick before the instant. */
export function previousTick(cron: Cron, at: number): number {
  const schedule = scheduleOf(cron);
  let found: number | undefined;
  for (let day = wallDay(cron, at) + 1; ; day--) {
    const isPast = found !== undefined;
    if (matchesDay(schedule.fields, day)) {
      const tick = lastBefore(ticksOfDay(schedule, cron.zone, day), at);
      if (tick !== undefined && (found === undefined || tick > found)) found = tick;
    }
    if (isPast) return found!;
  }
}

/** The last tick at or before the instant: up to here the schedule makes work due. */
export function floorTick(cron: Cron, at: number): number {
  // Many things share a schedule and are asked about at the same instant.
  const key = keyOf(cron);
  const last = lastFloors.get(key);
  if (last !== undefined && last.from <= at && at < last.until) return last.from;
  const from = previousTick(cron, Math.floor(at) + 1);
  remember(lastFloors, key, { from, until: nextTick(cron, at) });
  return from;
}

/** Lazily, all ticks in `[from, until)`. */
export function* ticksBetween(cron: Cron, from: number, until: number): Generator<number, void, undefined> {
  for (let tick = nextTick(cron, from - 1); tick < until; tick = nextTick(cron, tick)) yield tick;
}

function readCron(text: string, zone: string): Cron | TimeProblem {
  const zoned = parseTimeZone(zone);
  if (zoned.kind === 'problem') return zoned;
  const parsed = parseCronFields(text);
  if (parsed.kind === 'problem') return parsed;
  const spacingMs = cronSpacing(parsed.fields);
  if (spacingMs === undefined) {
    return timeProblem('cron-never-due', text, {
      message: `${quoted(text)} is never due, because no month it names has that day.`,
      expected: 'a day that exists',
    });
  }
  const unit = unitForSpacing(spacingMs);
  if (unit === undefined) {
    const minutes = spacingMs / 60_000;
    return timeProblem('cron-too-frequent', text, {
      message: `${quoted(text)} is due twice within ${minutes === 1 ? '1 minute' : `${minutes} minutes`}.`,
      expected: 'at least 5 minutes between two ticks',
    });
  }
  return { kind: 'cron', text, pattern: cronPattern(parsed.fields), zone: zoned.name, spacingMs, unit };
}

function ticksOfDay(schedule: Schedule, zone: string, day: number): DayTicks {
  let ticks = schedule.days.get(day);
  if (ticks === undefined) {
    ticks = findTicksOfDay(schedule, zone, day);
    if (schedule.days.size >= DAYS_CACHED_MAX) schedule.days.clear();
    schedule.days.set(day, ticks);
  }
  return ticks;
}

function findTicksOfDay({ times, isEveryHour }: Schedule, zone: string, day: number): DayTicks {
  // Probed from a day before to a day after: a clock set back shortly after midnight repeats the end of this day.
  const offset = zoneOffset(zone, (day - 1) * DAY_MS);
  if (zoneOffset(zone, day * DAY_MS) === offset && zoneOffset(zone, (day + 2) * DAY_MS) === offset) {
    return { times, shift: day * DAY_MS - offset };
  }
  const instants = new Set<number>();
  for (const time of times) {
    const meaning = wallToUtc(zone, day * DAY_MS + time);
    if (!isEveryHour || meaning.kind !== 'gap') instants.add(meaning.at);
    if (isEveryHour && meaning.kind === 'overlap') instants.add(meaning.again);
  }
  return { times: [...instants].sort((a, b) => a - b), shift: 0 };
}

function firstAfter({ times, shift }: DayTicks, at: number): number | undefined {
  const time = times[countUpTo(times, at - shift)];
  return time === undefined ? undefined : time + shift;
}

function lastBefore({ times, shift }: DayTicks, at: number): number | undefined {
  // Instants are whole milliseconds, so "before" is "up to one less".
  const time = times[countUpTo(times, Math.ceil(at) - 1 - shift) - 1];
  return time === undefined ? undefined : time + shift;
}

/** How many of the ascending times are at or before the limit. */
function countUpTo(times: readonly number[], limit: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function wallDay(cron: Cron, at: number): number {
  return Math.floor(utcToWall(cron.zone, at) / DAY_MS);
}

function scheduleOf(cron: Cron): Schedule {
  let schedule = schedules.get(keyOf(cron));
  if (schedule === undefined) {
    const parsed = parseCronFields(cron.pattern);
    if (parsed.kind === 'problem') throw new Error(`not a pattern that parseCron made: ${parsed.message}`);
    const { fields } = parsed;
    const times = fields.hours.flatMap((hour) =>
      fields.minutes.map((minute) => (hour * 60 + minute) * MINUTE_MS),
    );
    schedule = { fields, times, isEveryHour: fields.hours.length === 24, days: new Map() };
    remember(schedules, keyOf(cron), schedule);
  }
  return schedule;
}

function keyOf(cron: Cron): string {
  return `${cron.zone} ${cron.pattern}`;
}

function remember<Value>(cache: Map<string, Value>, key: string, value: Value): void {
  if (cache.size >= CACHED_MAX) cache.clear();
  cache.set(key, value);
}
