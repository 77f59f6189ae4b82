/*
 * When something is due. A schedule is read once into plain data; ticks are computed in its time zone by `croner`, whose
 * only importer this folder is. On the nights when clocks change: a fixed time inside the spring gap is due at the first
 * instant after it, a fixed time in the autumn overlap is due once (the first time), and schedules with a step or
 * `*` go on in elapsed time, so no tick is lost and none is doubled.
 */
import { Cron as TickFinder } from 'croner';
import { cronPattern, cronSpacing, parseCronFields } from './cron-fields.ts';
import { type IntervalUnit, unitForSpacing } from './interval-unit.ts';
import { quoted, type TimeProblem, timeProblem } from './time-problem.ts';
import { parseTimeZone } from './time-zone.ts';

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

const CACHED_MAX = 2000;
const parsedCrons = new Map<string, Cron | TimeProblem>();
const tickFinders = new Map<string, TickFinder>();
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

/** The first tick after the instant; infinite from the year 3000 on, where the search ends. */
export function nextTick(cron: Cron, at: number): number {
  // The finder thinks in whole seconds and answers strictly later than the second it is given.
  const tick = finderOf(cron).nextRun(new Date(Math.floor(at / 1000) * 1000));
  return tick === null ? Number.POSITIVE_INFINITY : tick.getTime();
}

/** The last tick before the instant; negative infinity where the calendar ends. */
export function previousTick(cron: Cron, at: number): number {
  const [tick] = finderOf(cron).previousRuns(1, new Date(Math.ceil(at / 1000) * 1000));
  return tick === undefined ? Number.NEGATIVE_INFINITY : tick.getTime();
}

/** The last tick at or before the instant: up to here the schedule makes work due. */
export function floorTick(cron: Cron, at: number): number {
  // Many things share a schedule and are asked about at the same instant, and the search costs 0.3 ms.
  const key = keyOf(cron);
  const last = lastFloors.get(key);
  if (last !== undefined && last.from <= at && at < last.until) return last.from;
  const from = previousTick(cron, Math.floor(at / 1000) * 1000 + 1000);
  const until = nextTick(cron, at);
  if (Number.isFinite(until)) remember(lastFloors, key, { from, until });
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

function finderOf(cron: Cron): TickFinder {
  const key = keyOf(cron);
  let finder = tickFinders.get(key);
  if (finder === undefined) {
    finder = new TickFinder(cron.pattern, { timezone: cron.zone, mode: '5-part' });
    remember(tickFinders, key, finder);
  }
  return finder;
}

function keyOf(cron: Cron): string {
  return `${cron.zone} ${cron.pattern}`;
}

function remember<Value>(cache: Map<string, Value>, key: string, value: Value): void {
  if (cache.size >= CACHED_MAX) cache.clear();
  cache.set(key, value);
}
