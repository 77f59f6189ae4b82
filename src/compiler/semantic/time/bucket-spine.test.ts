import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseQuery } from '../../../foundation/sql/parse/parse-query.ts';
import { printQuery } from '../../../foundation/sql/print/print-query.ts';
import type { Query } from '../../../foundation/sql/tree.ts';
import type { Grain } from '../logical-query.ts';
import { spineOfQuery, spineOfRange } from './bucket-spine.ts';
import { type BucketStep, granularityOf } from './granularity.ts';

const at = (text: string): number => Date.parse(`${text}Z`);
const located = (value: string) => ({ value, start: 0, end: value.length });

function stepOf(grain: string, origin?: string): BucketStep {
  const own: Grain = {
    kind: 'custom',
    granularity: {
      name: located('own'),
      interval: located(grain),
      ...(origin === undefined ? {} : { origin: located(origin) }),
    },
  };
  const calendar = granularityOf({ kind: 'calendar', unit: grain as 'day' });
  const found = calendar?.step === undefined ? granularityOf(own) : calendar;
  if (found === undefined) throw new Error(grain);
  return found.step;
}

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
});
afterAll(() => connection.closeSync());

async function rows(query: Query): Promise<readonly string[]> {
  const reader = await connection.runAndReadAll(
    `SELECT CAST(bucket AS VARCHAR) FROM (${printQuery(query, 'duckdb')}) ORDER BY bucket`,
  );
  return reader.getRowsJson().map(([value]) => String(value));
}

describe('the buckets of a range', () => {
  it.each([
    ['day', '2024-02-28', '2024-03-02', ['2024-02-28', '2024-02-29', '2024-03-01']],
    ['week', '2024-01-03', '2024-01-15', ['2024-01-01', '2024-01-08']],
    ['month', '2023-12-31', '2024-03-01', ['2023-12-01', '2024-01-01', '2024-02-01']],
    ['quarter', '2024-02-01', '2024-04-02', ['2024-01-01', '2024-04-01']],
    ['year', '1999-12-31', '2001-01-02', ['1999-01-01', '2000-01-01', '2001-01-01']],
    ['2 weeks', '2024-01-03', '2024-02-01', ['2024-01-01', '2024-01-15', '2024-01-29']],
  ])('of %s from %s to before %s', async (grain, start, end, expected) => {
    const range = { start: at(`${start}T00:00`), end: at(`${end}T00:00`) };
    expect(await rows(spineOfRange({ step: stepOf(grain), type: 'DATE' }, range))).toEqual(expected);
  });

  it('have hours as timestamps', async () => {
    const range = { start: at('2024-01-01T22:30'), end: at('2024-01-02T00:00:00.001') };
    expect(await rows(spineOfRange({ step: stepOf('hour'), type: 'TIMESTAMP' }, range))).toEqual([
      '2024-01-01 22:00:00', '2024-01-01 23:00:00', '2024-01-02 00:00:00',
    ]); // biome-ignore format: a table
  });
});

describe('the buckets between the least and the greatest that a query finds', () => {
  const known = (first: string, last: string) => {
    const query = parseQuery(`SELECT ${first} AS a, ${last} AS b`, 'duckdb');
    if (!query.ok) throw new Error(query.error.message);
    return { query: query.value, first: 'a', last: 'b' };
  };

  it.each([
    ['quarter', undefined, '2023-10-01', '2024-04-01', ['2023-10-01', '2024-01-01', '2024-04-01']],
    ['2 weeks', '2024-01-01', '2024-01-15', '2024-01-29', ['2024-01-15', '2024-01-29']],
    ['2 months', '2024-03-15', '2024-01-15', '2024-05-15', ['2024-01-15', '2024-03-15', '2024-05-15']],
    ['day', undefined, '2024-02-29', '2024-02-29', ['2024-02-29']],
  ])('of %s from %s', async (grain, origin, first, last, expected) => {
    const span = { step: stepOf(grain, origin), type: 'DATE' } as const;
    expect(await rows(spineOfQuery(span, known(`DATE '${first}'`, `DATE '${last}'`)))).toEqual(expected);
  });

  it('are none when it finds nothing', async () => {
    const span = { step: stepOf('day'), type: 'DATE' } as const;
    expect(await rows(spineOfQuery(span, known('NULL::DATE', 'NULL::DATE')))).toEqual([]);
  });
});
