import { describe, expect, test } from 'vitest';
import type { CheckResult, Incident } from './check-result.ts';
import { type HiddenOfModel, visibleIncident, visibleResult } from './visible-check.ts';

const SECRET = 'ada@example.com';
const WHOLE: CheckResult = {
  id: 'c_1.00000',
  check: 'p/r',
  pack: 'p',
  rule: 'r',
  model: 'marts.orders',
  columns: ['amount'],
  dimension: 'validity',
  severity: 'error',
  environment: 'prod',
  runId: 'c_1',
  trigger: 'demand',
  at: 0,
  ms: 1,
  dataVersion: '1:1',
  outcome: 'fail',
  value: 42,
  expected: 'max(amount) < 10',
  reason: `the value of ${SECRET}`,
  rowsTested: 9,
  rowsFailed: 1,
  groups: [{ key: [SECRET], value: 42, outcome: 'fail' }],
  learned: { low: 0, high: 1, score: 42, points: 20 },
  baseline: 42,
  shares: [{ bin: SECRET, share: 1 }],
  baselineShares: [{ bin: SECRET, share: 1 }],
  sql: `SELECT '${SECRET}'`,
  sample: { columns: ['amount', 'Email'], rows: [[42, SECRET]], isPart: false },
};

const seen = (result: CheckResult, hidden: HiddenOfModel, isOpen = false) =>
  visibleResult(result, { hidden: () => hidden, isOpen });

describe('a result', () => {
  test('is whole where nothing of its model is hidden', () => {
    expect(seen(WHOLE, 'none')).toBe(WHOLE);
  });

  test.each(['all', new Set(['amount'])] as const)(
    'keeps its outcome and expectation alone where the rule reads what is hidden: %s',
    (hidden) => {
      const shown = seen(WHOLE, hidden);
      expect(shown).toMatchObject({ outcome: 'fail', expected: 'max(amount) < 10', isWithheld: true });
      expect(JSON.stringify(shown)).not.toMatch(/ada@|42/);
    },
  );

  test('shows its value and the other columns of its sample where another column is masked', () => {
    const { columns, rows } = seen({ ...WHOLE }, new Set(['email'])).sample ?? {};
    expect({ columns, rows }).toEqual({ columns: ['amount'], rows: [[42]] });
  });

  test('keeps its outcome alone where a filter may read what is hidden, or another table is read', () => {
    expect(seen({ ...WHOLE, readsMore: 'rows' }, new Set(['email']))).toMatchObject({ isWithheld: true });
    expect(seen({ ...WHOLE, readsMore: 'rows' }, 'none')).not.toHaveProperty('isWithheld');
    expect(seen({ ...WHOLE, readsMore: 'tables' }, 'none')).toMatchObject({ isWithheld: true });
    expect(seen({ ...WHOLE, readsMore: 'tables' }, 'none', true)).not.toHaveProperty('isWithheld');
  });

  test('of SQL that may read anything is shown only where nothing is hidden at all', () => {
    const { columns: _, ...free } = WHOLE;
    expect(seen(free, 'none')).toMatchObject({ isWithheld: true });
    expect(seen(free, 'none', true)).toBe(free);
  });
});

test('an incident has no summary for a reader who may not know the value', () => {
  const incident = { ...WHOLE, summary: 'it is 42', openedAt: 0, openedBy: '', failures: 1 } as Incident;
  expect(visibleIncident(incident, { hidden: () => 'all', isOpen: false }).summary).toBe('');
  expect(visibleIncident(incident, { hidden: () => 'none', isOpen: true }).summary).toBe('it is 42');
});
