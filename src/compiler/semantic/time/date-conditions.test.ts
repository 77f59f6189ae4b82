import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DateRange } from '../../../domain/semantic-query.ts';
import { printExpression } from '../../../foundation/sql/print/print-query.ts';
import { column } from '../tree-nodes.ts';
import { boundsConditions, type DateOperator, dateCondition, readRange } from './date-conditions.ts';
import type { TimeType } from './granularity.ts';

const NOW = Date.parse('2024-04-01T23:30:00Z');

function condition(
  operator: DateOperator,
  value: DateRange,
  type: TimeType = 'TIMESTAMP',
  timezone = 'UTC',
): string {
  const made = dateCondition(column(undefined, 't'), type, { operator, value, timezone, now: NOW });
  return made.kind === 'problem' ? `problem: ${made.message}` : printExpression(made, 'duckdb');
}

describe('a date condition', () => {
  it('compares the raw column with instants in UTC, half-open', () => {
    expect(condition('inDateRange', ['2024-03-30', '2024-03-31'], 'TIMESTAMP', 'Europe/Berlin')).toBe(
      "t >= TIMESTAMP '2024-03-29 23:00:00' AND t < TIMESTAMP '2024-03-31 22:00:00'",
    );
    expect(condition('onTheDate', '2024-03-31', 'TIMESTAMPTZ', 'Europe/Berlin')).toBe(
      "t >= TIMESTAMPTZ '2024-03-30 23:00:00+00:00' AND t < TIMESTAMPTZ '2024-03-31 22:00:00+00:00'",
    );
  });

  it('never shifts a DATE, but asks the zone for today', () => {
    expect(condition('onTheDate', '2024-03-31', 'DATE', 'Asia/Tokyo')).toBe(
      "t >= DATE '2024-03-31' AND t < DATE '2024-04-01'",
    );
    expect(condition('onTheDate', 'today', 'DATE', 'Asia/Tokyo')).toBe(
      "t >= DATE '2024-04-02' AND t < DATE '2024-04-03'",
    );
    expect(condition('inDateRange', 'last month', 'DATE', 'Asia/Tokyo')).toBe(
      "t >= DATE '2024-03-01' AND t < DATE '2024-04-01'",
    );
    // A day begins at its midnight, so the first day whose midnight is in the range is the 31st.
    expect(condition('inDateRange', ['2024-03-30 10:00', '2024-03-31 10:00'], 'DATE')).toBe(
      "t >= DATE '2024-03-31' AND t < DATE '2024-04-01'",
    );
  });

  it('says what is wrong with a date', () => {
    expect(condition('inDateRange', ['2024-02-30', '2024-03-01'])).toContain('February 2024 has 29 days');
    expect(condition('onTheDate', "'; DROP TABLE t; --")).toContain('is not a date range');
  });

  describe('executed', () => {
    let connection: DuckDBConnection;
    beforeAll(async () => {
      connection = await (await DuckDBInstance.create(':memory:')).connect();
      await connection.run(`CREATE TABLE x AS SELECT * FROM (VALUES
        ('a', TIMESTAMP '2024-03-30 22:59:59.999'), ('b', TIMESTAMP '2024-03-30 23:00:00'),
        ('c', TIMESTAMP '2024-03-31 21:59:59.999999'), ('d', TIMESTAMP '2024-03-31 22:00:00'), ('n', NULL)) AS v(id, t)`);
    });
    afterAll(() => connection.closeSync());

    // 31 March 2024 in Berlin has 23 hours: [30th 23:00 UTC, 31st 22:00 UTC).
    it.each<[DateOperator, string]>([
      ['inDateRange', 'bc'],
      ['notInDateRange', 'adn'],
      ['onTheDate', 'bc'],
      ['beforeDate', 'a'],
      ['beforeOrOnDate', 'abc'],
      ['afterDate', 'd'],
      ['afterOrOnDate', 'bcd'],
    ])('%s 2024-03-31 in Berlin', async (operator, expected) => {
      const sql = condition(operator, '2024-03-31', 'TIMESTAMP', 'Europe/Berlin');
      const reader = await connection.runAndReadAll(`SELECT id FROM x WHERE ${sql} ORDER BY id`);
      expect(reader.getRowsJson().join('')).toBe(expected);
    });

    it('a range keeps the ends it has', async () => {
      const range = readRange(['2024-03-31', '2024-03-31'], 'TIMESTAMP', {
        timezone: 'Europe/Berlin',
        now: NOW,
      });
      if (range.kind === 'problem') throw new Error(range.message);
      const rows = async (bounds: { start?: number; end?: number }): Promise<string> => {
        const all = boundsConditions(column(undefined, 't'), 'TIMESTAMP', bounds).map((each) =>
          printExpression(each, 'duckdb'),
        );
        const sql = `SELECT id FROM x WHERE ${['TRUE', ...all].join(' AND ')} ORDER BY id`;
        return (await connection.runAndReadAll(sql)).getRowsJson().join('');
      };
      expect(await rows({ start: range.start })).toBe('bcd');
      expect(await rows({ end: range.end })).toBe('abc');
      expect(await rows({})).toBe('abcdn');
    });
  });
});
