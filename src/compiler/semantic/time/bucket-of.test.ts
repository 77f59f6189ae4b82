import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Granularity } from '../../../domain/semantic-model.ts';
import { printExpression } from '../../../foundation/sql/print/print-query.ts';
import type { Grain } from '../logical-query.ts';
import { column } from '../tree-nodes.ts';
import { bucketOf, bucketType } from './bucket-of.ts';
import {
  bucketStart,
  granularityOf,
  moveBuckets,
  type TimeGranularity,
  type TimeType,
} from './granularity.ts';

const DAY = 86_400_000;

const located = (value: string) => ({ value, start: 0, end: value.length });
function custom(interval: string, more: { origin?: string; offset?: string } = {}): Grain {
  const granularity: Granularity = {
    name: located('own'),
    interval: located(interval),
    ...(more.origin === undefined ? {} : { origin: located(more.origin) }),
    ...(more.offset === undefined ? {} : { offset: located(more.offset) }),
  };
  return { kind: 'custom', granularity };
}
const calendar = (unit: Extract<Grain, { kind: 'calendar' }>['unit']): Grain => ({ kind: 'calendar', unit });

function understood(grain: Grain): TimeGranularity {
  const found = granularityOf(grain);
  if (found === undefined) throw new Error(`not understood: ${JSON.stringify(grain)}`);
  return found;
}

// Calendar arithmetic of its own, on Date's UTC fields: nothing of foundation/time is used to expect a value.
const at = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`);
const first = (year: number, month: number): number => new Date(0).setUTCFullYear(year, month, 1);
const floorBy = (wall: number, length: number, origin: number): number =>
  origin + Math.floor((wall - origin) / length) * length;
function monthsFrom(wall: number, count: number, origin: number): number {
  const from = new Date(origin);
  const start = (k: number): number => {
    const month = from.getUTCMonth() + k * count;
    const days = new Date(first(from.getUTCFullYear(), month + 1) - DAY).getUTCDate();
    return (
      first(from.getUTCFullYear(), month) +
      (Math.min(from.getUTCDate(), days) - 1) * DAY +
      (origin - floorBy(origin, DAY, 0))
    );
  };
  let k = Math.floor((wall - origin) / (count * (wall < origin ? 28 : 31) * DAY)) - 2;
  while (start(k + 1) <= wall) k++;
  return start(k);
}
const GRAINS: readonly { name: string; grain: Grain; expected: (wall: number) => number }[] = [
  { name: 'second', grain: calendar('second'), expected: (w) => floorBy(w, 1000, 0) },
  { name: 'minute', grain: calendar('minute'), expected: (w) => floorBy(w, 60_000, 0) },
  { name: 'hour', grain: calendar('hour'), expected: (w) => floorBy(w, 3_600_000, 0) },
  { name: 'day', grain: calendar('day'), expected: (w) => floorBy(w, DAY, 0) },
  { name: 'week', grain: calendar('week'), expected: (w) => floorBy(w, 7 * DAY, at('2024-01-01 00:00')) },
  { name: 'month', grain: calendar('month'), expected: (w) => monthsFrom(w, 1, 0) },
  { name: 'quarter', grain: calendar('quarter'), expected: (w) => monthsFrom(w, 3, 0) },
  { name: 'year', grain: calendar('year'), expected: (w) => monthsFrom(w, 12, 0) },
  { name: 'fiscal year', grain: custom('1 year', { offset: '1 month' }), expected: (w) => monthsFrom(w, 12, at('1970-02-01 00:00')) },
  { name: 'fiscal year on 6 April', grain: custom('1 year', { origin: '2020-04-06' }), expected: (w) => monthsFrom(w, 12, at('2020-04-06 00:00')) },
  { name: 'fiscal quarter', grain: custom('1 quarter', { offset: '2 months' }), expected: (w) => monthsFrom(w, 3, at('1970-03-01 00:00')) },
  { name: 'half-year', grain: custom('6 months'), expected: (w) => monthsFrom(w, 6, 0) },
  { name: 'two months from the 15th', grain: custom('2 months', { origin: '2024-03-15' }), expected: (w) => monthsFrom(w, 2, at('2024-03-15 00:00')) },
  { name: 'five years', grain: custom('5 years', { origin: '2023-01-01' }), expected: (w) => monthsFrom(w, 60, at('2023-01-01 00:00')) },
  { name: 'fortnight', grain: custom('2 weeks', { origin: '2024-01-01' }), expected: (w) => floorBy(w, 14 * DAY, at('2024-01-01 00:00')) },
  { name: 'fortnight from nowhere', grain: custom('2 weeks'), expected: (w) => floorBy(w, 14 * DAY, at('1969-12-29 00:00')) },
  { name: 'ten days', grain: custom('10 days'), expected: (w) => floorBy(w, 10 * DAY, 0) },
  { name: 'week from Sunday', grain: custom('1 week', { offset: '6 days' }), expected: (w) => floorBy(w, 7 * DAY, at('2024-01-07 00:00')) },
  { name: 'working day', grain: custom('1 day', { offset: '6 hours' }), expected: (w) => floorBy(w, DAY, 6 * 3_600_000) },
  { name: 'shift', grain: custom('8 hours', { origin: '2024-01-01 06:00' }), expected: (w) => floorBy(w, 8 * 3_600_000, at('2024-01-01 06:00')) },
  { name: 'quarter of an hour', grain: custom('15 minutes'), expected: (w) => floorBy(w, 900_000, 0) },
  { name: 'seven seconds', grain: custom('7 seconds', { origin: '2030-01-01' }), expected: (w) => floorBy(w, 7000, at('2030-01-01 00:00')) },
]; // biome-ignore format: a table

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'America/Sao_Paulo',
  'Pacific/Apia',
];
const formats = new Map<string, Intl.DateTimeFormat>();
function wallOf(instant: number, zone: string): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formats.set(zone, format);
  }
  const part = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const fields = (['year', 'month', 'day', 'hour', 'minute', 'second'] as const).map(
    (type) => part.get(type)!,
  );
  const [year, month, day, hour, minute, second] = fields as [number, number, number, number, number, number];
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((instant % 1000) + 1000) % 1000);
}

const shown = (wall: number): string => new Date(wall).toISOString().replace('T', ' ').slice(0, 19);

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(
    "SET autoload_known_extensions = false; SET autoinstall_known_extensions = false; SET TimeZone = 'UTC'",
  );
});
afterAll(() => connection.closeSync());

async function buckets(
  instants: readonly number[],
  type: TimeType,
  { grain, timezone }: { grain: Grain; timezone: string },
): Promise<readonly { bucket: string; type: string }[]> {
  const sql = printExpression(
    bucketOf(column(undefined, 't'), { type, granularity: understood(grain), timezone }),
    'duckdb',
  );
  const rows = instants.map((instant, i) => `(${i}, ${instant})`).join(', ');
  const value = { DATE: 'CAST(epoch_ms(ms) AS DATE)', TIMESTAMP: 'epoch_ms(ms)', TIMESTAMPTZ: "epoch_ms(ms) AT TIME ZONE 'UTC'" }[type]; // biome-ignore format: a table
  const reader = await connection.runAndReadAll(
    `SELECT CAST(b AS VARCHAR), typeof(b) FROM (SELECT i, ${sql} AS b FROM (SELECT i, ${value} AS t FROM (VALUES ${rows}) AS v(i, ms))) ORDER BY i`,
  );
  return reader.getRowsJson().map(([bucket, kind]) => ({ bucket: String(bucket), type: String(kind) }));
}

const instant = fc.integer({ min: Date.UTC(1970, 0, 3), max: Date.UTC(2037, 11, 31) });
// Days on which some zone changes its clock, or the calendar does something odd.
const oddInstant = fc
  .tuple(
    fc.constantFrom(
      '2024-03-31', '2024-10-27', '2024-03-10', '2024-11-03', '2023-10-01', '2024-04-07', '2011-12-30', '2018-11-04', '2024-02-29', '2023-12-31', '2024-12-30', '1999-12-31', '2000-02-29',
    ),
    fc.integer({ min: -DAY, max: 2 * DAY }),
  )
  .map(([day, ms]) => Date.parse(`${day}T00:00:00Z`) + ms); // biome-ignore format: a table

describe('the bucket of a time, executed', () => {
  it('equals calendar arithmetic in every zone, for the calendar and for granularities of the user', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...GRAINS),
        fc.constantFrom(...ZONES),
        fc.constantFrom<TimeType>('DATE', 'TIMESTAMP', 'TIMESTAMPTZ'),
        fc.array(fc.oneof(instant, oddInstant), { minLength: 1, maxLength: 60 }),
        async ({ grain, expected }, timezone, type, instants) => {
          const found = await buckets(instants, type, { grain, timezone });
          const wanted = instants.map((each) =>
            shown(expected(type === 'DATE' ? floorBy(each, DAY, 0) : wallOf(each, timezone))),
          );
          const kind = bucketType(type, understood(grain));
          expect(
            found.map(({ bucket }) => (kind === 'DATE' ? `${bucket} 00:00:00` : bucket.slice(0, 19))),
          ).toEqual(wanted);
          expect(new Set(found.map((each) => each.type))).toEqual(new Set([kind]));
        },
      ),
      { numRuns: 400 },
    );
  });

  it.each(GRAINS)('of $name before 1970 is right, too', async ({ grain, expected }) => {
    const instants = ['1969-12-31 23:59:59', '1900-02-28 12:00', '1600-01-01 00:00', '0099-06-15 00:00'].map(
      at,
    );
    const found = await buckets(instants, 'TIMESTAMP', { grain, timezone: 'UTC' });
    expect(found.map(({ bucket }) => bucket.slice(0, 19))).toEqual(
      instants.map((each) => shown(expected(each))),
    );
  });

  it('is the same when TypeScript computes it, and the next ones follow without gaps', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...GRAINS),
        fc.oneof(instant, oddInstant),
        fc.integer({ min: -40, max: 40 }),
        ({ grain, expected }, wall, count) => {
          const { step } = understood(grain);
          const start = bucketStart(step, wall);
          expect(start).toBe(expected(wall));
          const moved = moveBuckets(step, start, count);
          expect(moveBuckets(step, moved, -count)).toBe(start);
          expect(bucketStart(step, moved)).toBe(moved);
          expect(bucketStart(step, moveBuckets(step, start, 1) - 1)).toBe(start);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('has no meaning for a length of months and days, or for months from a day that not all of them have', () => {
    expect(granularityOf(custom('1 month 3 days'))).toBeUndefined();
    expect(granularityOf(custom('0 days'))).toBeUndefined();
    expect(granularityOf(custom('1 month', { origin: '2024-01-29' }))).toBeUndefined();
    expect(granularityOf(custom('1 month', { origin: '2024-01-28 23:59' }))).toBeDefined();
  });
});
