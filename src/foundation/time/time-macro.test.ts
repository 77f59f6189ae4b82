import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isoDate, isoInstant, isoInstantShort, isoLocal, sqlTimestamp, utcHour } from './iso.ts';
import { TIME_MACRO_NAMES, timeMacroName, timeMacroSql, timeMacroValue } from './time-macro.ts';

/** Observed: what SQLMesh 0.236.4 renders in the DuckDB dialect for these intervals. */
const OBSERVED = [
  {
    range: { start: Date.UTC(2023, 0, 1), end: Date.UTC(2023, 0, 2) },
    execution: Date.UTC(2023, 0, 5, 10, 11, 12),
    sql: {
      start_date: "CAST('2023-01-01' AS DATE)",
      start_ds: "'2023-01-01'",
      start_dt: "CAST('2023-01-01 00:00:00+00:00' AS TIMESTAMPTZ)",
      start_dtntz: "CAST('2023-01-01 00:00:00' AS TIMESTAMP)",
      start_ts: "'2023-01-01 00:00:00'",
      start_tstz: "'2023-01-01 00:00:00+00:00'",
      start_hour: '0',
      start_epoch: '1672531200.0',
      start_millis: '1672531200000',
      end_date: "CAST('2023-01-01' AS DATE)",
      end_ds: "'2023-01-01'",
      end_dt: "CAST('2023-01-01 23:59:59.999999+00:00' AS TIMESTAMPTZ)",
      end_dtntz: "CAST('2023-01-01 23:59:59.999999' AS TIMESTAMP)",
      end_ts: "'2023-01-01 23:59:59.999999'",
      end_tstz: "'2023-01-01 23:59:59.999999+00:00'",
      end_hour: '23',
      end_epoch: '1672617599.999',
      end_millis: '1672617599999',
      execution_date: "CAST('2023-01-05' AS DATE)",
      execution_ds: "'2023-01-05'",
      execution_dt: "CAST('2023-01-05 10:11:12+00:00' AS TIMESTAMPTZ)",
      execution_dtntz: "CAST('2023-01-05 10:11:12' AS TIMESTAMP)",
      execution_ts: "'2023-01-05 10:11:12'",
      execution_tstz: "'2023-01-05 10:11:12+00:00'",
      execution_hour: '10',
      execution_epoch: '1672913472.0',
      execution_millis: '1672913472000',
    },
  },
  {
    range: { start: 1_672_531_200_123, end: 1_672_531_500_456 },
    execution: 1_672_621_200_123,
    sql: {
      start_date: "CAST('2023-01-01' AS DATE)",
      start_ds: "'2023-01-01'",
      start_dt: "CAST('2023-01-01 00:00:00.123000+00:00' AS TIMESTAMPTZ)",
      start_dtntz: "CAST('2023-01-01 00:00:00.123000' AS TIMESTAMP)",
      start_ts: "'2023-01-01 00:00:00.123000'",
      start_tstz: "'2023-01-01 00:00:00.123000+00:00'",
      start_hour: '0',
      start_epoch: '1672531200.123',
      start_millis: '1672531200123',
      end_dt: "CAST('2023-01-01 00:05:00.455999+00:00' AS TIMESTAMPTZ)",
      end_ts: "'2023-01-01 00:05:00.455999'",
      end_hour: '0',
      end_epoch: '1672531500.455',
      end_millis: '1672531500455',
      execution_ts: "'2023-01-02 01:00:00.123000'",
      execution_epoch: '1672621200.123',
    },
  },
  {
    range: { start: Date.UTC(2024, 1, 28), end: Date.UTC(2024, 2, 1) },
    execution: Date.UTC(2024, 2, 1),
    sql: {
      start_ds: "'2024-02-28'",
      end_ds: "'2024-02-29'",
      end_ts: "'2024-02-29 23:59:59.999999'",
      end_millis: '1709251199999',
      latest_ds: "'2024-03-01'",
    },
  },
  {
    range: { start: -86_400_000, end: 86_400_000 },
    execution: 1,
    sql: {
      start_ds: "'1969-12-31'",
      start_epoch: '-86400.0',
      start_millis: '-86400000',
      end_epoch: '86399.999',
      execution_epoch: '0.001',
      execution_ts: "'1970-01-01 00:00:00.001000'",
    },
  },
] as const;

describe('time macros', () => {
  test.each(OBSERVED)('render as SQLMesh renders them for %j', ({ range, execution, sql }) => {
    for (const [name, expected] of Object.entries(sql)) {
      const known = timeMacroName(name);
      expect(known).toBe(name);
      expect([name, timeMacroSql(timeMacroValue(known!, range, execution))]).toEqual([name, expected]);
    }
  });

  test('start_at and end_before are the half-open pair', () => {
    const range = { start: Date.UTC(2023, 0, 1), end: Date.UTC(2023, 0, 2) };
    expect(timeMacroSql(timeMacroValue('start_at', range, 0))).toBe(
      "CAST('2023-01-01 00:00:00' AS TIMESTAMP)",
    );
    expect(timeMacroSql(timeMacroValue('end_before', range, 0))).toBe(
      "CAST('2023-01-02 00:00:00' AS TIMESTAMP)",
    );
  });

  test('names are known in any case, and a user variable is not one of them', () => {
    expect(timeMacroName('START_DS')).toBe('start_ds');
    expect(timeMacroName('start_of_time')).toBeUndefined();
    expect(timeMacroName('constructor')).toBeUndefined();
    expect(TIME_MACRO_NAMES).toHaveLength(4 * 9 + 2);
  });
});

describe('formats', () => {
  test('agree with JavaScript for every millisecond of the years 1 to 9999', () => {
    const years = { min: Date.parse('0001-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') };
    fc.assert(
      fc.property(fc.integer(years), (at) => {
        const iso = new Date(at).toISOString();
        expect(isoInstant(at)).toBe(iso);
        expect(isoLocal(at)).toBe(iso.slice(0, -1));
        expect(isoDate(at)).toBe(iso.slice(0, 10));
        expect(isoInstantShort(at)).toBe(iso.replace('.000Z', 'Z'));
        expect(utcHour(at)).toBe(Number(iso.slice(11, 13)));
        expect(sqlTimestamp(at, 7)).toBe(`${iso.slice(0, 10)} ${iso.slice(11, 23)}007`);
      }),
      { numRuns: 2000 },
    );
  });

  test('a timestamp without fraction shows none', () => {
    expect(sqlTimestamp(Date.UTC(2024, 1, 29))).toBe('2024-02-29 00:00:00');
    expect(isoInstantShort(Date.UTC(2023, 0, 1))).toBe('2023-01-01T00:00:00Z');
  });
});
