import { describe, expect, it } from 'vitest';
import { QUESTION_DIALECTS } from '../../../foundation/sql/dialect.ts';
import { parseQuery } from '../../../foundation/sql/parse/parse-query.ts';
import { printQuery, translateQuery } from '../../../foundation/sql/print/print-query.ts';
import type { Expression, Query } from '../../../foundation/sql/tree.ts';
import type { Grain } from '../logical-query.ts';
import { column, NOWHERE } from '../tree-nodes.ts';
import { bucketOf } from './bucket-of.ts';
import { spineOfQuery, spineOfRange } from './bucket-spine.ts';
import { granularityOf, type TimeGranularity, type TimeType } from './granularity.ts';
import { atTimeZone } from './time-nodes.ts';

const located = (value: string) => ({ value, start: 0, end: value.length });
const understood = (grain: Grain): TimeGranularity => {
  const found = granularityOf(grain);
  if (found === undefined) throw new Error('no granularity');
  return found;
};
const unit = (name: Extract<Grain, { kind: 'calendar' }>['unit']) =>
  understood({ kind: 'calendar', unit: name });
const own = (interval: string, more: { origin?: string; offset?: string }) =>
  understood({
    kind: 'custom',
    granularity: {
      name: located('own'),
      interval: located(interval),
      ...(more.origin === undefined ? {} : { origin: located(more.origin) }),
      ...(more.offset === undefined ? {} : { offset: located(more.offset) }),
    },
  });

function parsed(sql: string): Query {
  const result = parseQuery(sql, 'duckdb');
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
function select(expression: Expression): Query {
  const query = parsed('SELECT 1 FROM x');
  if (query.body.kind !== 'select') throw new Error('no select');
  return { ...query, body: { ...query.body, projections: [{ expression, span: NOWHERE }] } };
}
const bucket = (type: TimeType, granularity: TimeGranularity, timezone = 'UTC'): Query =>
  select(bucketOf(column(undefined, type === 'DATE' ? 'd' : 't'), { type, granularity, timezone }));

const CASES: Readonly<Record<string, Query>> = {
  'month of a timestamp in Berlin': bucket('TIMESTAMP', unit('month'), 'Europe/Berlin'),
  'day of an instant in Berlin': bucket('TIMESTAMPTZ', unit('day'), 'Europe/Berlin'),
  'week of a date': bucket('DATE', unit('week')),
  'hour of a date': bucket('DATE', unit('hour')),
  'fiscal year of a date': bucket('DATE', own('1 year', { offset: '1 month' })),
  'fortnight of a date': bucket('DATE', own('2 weeks', { origin: '2024-01-01' })),
  'half-year of a timestamp': bucket('TIMESTAMP', own('6 months', {})),
  'eight hours of a timestamp': bucket('TIMESTAMP', own('8 hours', { origin: '2024-01-01 06:00' })),
  'months from the 15th': bucket('DATE', own('1 month', { origin: '2024-01-15' })),
  'days of January': spineOfRange(
    { step: unit('day').step, type: 'DATE' },
    { start: Date.UTC(2024, 0, 1), end: Date.UTC(2024, 1, 1) },
  ),
  'quarters that a query knows': spineOfQuery(
    { step: unit('quarter').step, type: 'TIMESTAMP' },
    { query: parsed('SELECT MIN(q) AS a, MAX(q) AS b FROM x'), first: 'a', last: 'b' },
  ),
};

describe('time in the words of a dialect', () => {
  it.each(QUESTION_DIALECTS)('%s says all of it', async (dialect) => {
    const lines: string[] = [];
    for (const [name, query] of Object.entries(CASES)) {
      const text =
        dialect === 'duckdb'
          ? { ok: true as const, value: printQuery(query, 'duckdb') }
          : translateQuery(query, { from: 'duckdb', to: dialect });
      lines.push(`-- ${name}`, text.ok ? text.value : `refused: ${text.error.message}`);
    }
    expect(lines.filter((line) => line.startsWith('refused'))).toEqual([]);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`./goldens/${dialect}.sql`);
  });

  it('refuses a time zone of a time whose type nobody wrote', () => {
    const text = translateQuery(select(atTimeZone(column(undefined, 't'), 'Europe/Berlin')), {
      from: 'duckdb',
      to: 'mysql',
    });
    expect(text.ok ? text.value : text.error.message).toContain(
      'AT TIME ZONE of a time whose type is not written',
    );
  });
});
