import { expect, test } from 'vitest';
import type { Run } from '../../domain/run.ts';
import { estimatesOf } from './estimates.ts';

const DAY = 86_400_000;
const run = (name: string, days: number, figures: { rows: number; ms: number }): Run => ({
  id: 'r',
  kind: 'run',
  environment: 'prod',
  who: '',
  startedAt: 0,
  executionTime: 0,
  status: 'succeeded',
  models: [{ name, status: 'built', intervals: [{ start: 0, end: days * DAY }], audits: [], ...figures }],
});
const missing = (model: string, days: number) => ({
  model,
  version: 'v',
  ranges: [{ start: 0, end: days * DAY }],
});

test('an estimate is what the last build took, by the share of time', () =>
  expect(
    estimatesOf([run('a', 10, { rows: 100, ms: 50 }), run('a', 1, { rows: 1, ms: 1 })], [missing('a', 5)]),
  ).toEqual(new Map([['a', { rows: 50, ms: 25 }]])));
test('a whole takes what it took', () =>
  expect(estimatesOf([run('a', 3_000_000, { rows: 7, ms: 9 })], [missing('a', 3_000_000)]).get('a')).toEqual({
    rows: 7,
    ms: 9,
  }));
test('what was never built has no estimate', () =>
  expect(estimatesOf([run('a', 1, { rows: 1, ms: 1 })], [missing('b', 1)]).size).toBe(0));
