import { expect, test } from 'vitest';
import { entryOf, model, ranges, schedule, texts } from '../../../tests/support/plan/applied.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { type PlanMissingInput, planMissing } from './plan-missing.ts';

const RANGE = 'incremental-by-time-range';
const hourly = schedule({ cron: '0 * * * *', unit: 'hour' });

test('a new hourly table below a daily one ends where the day before ended', () => {
  const models = [
    model('s.daily', RANGE),
    model('s.view', 'view', ['s.daily']),
    model('s.hourly', RANGE, ['s.view'], { schedule: hourly }),
  ];
  const missing = planned(models, {});
  expect(texts(missing.get('s.daily'))).toEqual(['2024-03-01/2024-03-10']);
  expect(texts(missing.get('s.hourly'))).toEqual(['2024-03-01/2024-03-10']);
});

test('a hole that signals leave in a table is left in what reads it, and what is made whole ends there', () => {
  const models = [model('s.a', RANGE), model('s.b', RANGE, ['s.a']), model('s.full', 'full', ['s.a'])];
  const blocked = new Map([['s.a', ranges('2024-03-04/2024-03-05')]]);
  const missing = planned(models, { blocked });
  expect(texts(missing.get('s.b'))).toEqual(['2024-03-01/2024-03-04', '2024-03-05/2024-03-10']);
  expect(texts(missing.get('s.full'))).toEqual(['2024-03-01/2024-03-04']);
});

test('a table that is made whole is not made of one that has nothing yet', () => {
  const models = [
    model('s.a', RANGE),
    model('s.v', 'view', ['s.a']),
    model('s.full', 'full', ['s.v']),
    model('s.below', RANGE, ['s.full']),
  ];
  const blocked = new Map([['s.a', ranges('2024-03-01/2024-03-10')]]);
  const missing = planned(models, { blocked });
  for (const name of ['s.a', 's.full', 's.below']) expect(missing.get(name)).toEqual([]);
});

test('time before --start is not waited for', () => {
  const monthly = schedule({ cron: '@monthly', unit: 'month', start: '2023-01-01' });
  const models = [
    model('s.daily', RANGE, [], { schedule: schedule({ start: '2023-01-01' }) }),
    model('s.monthly', RANGE, ['s.daily'], { schedule: monthly }),
  ];
  const missing = planned(models, { bounds: { start: Date.parse('2024-02-10') } });
  expect(texts(missing.get('s.daily'))).toEqual(['2024-02-10/2024-03-10']);
  expect(texts(missing.get('s.monthly'))).toEqual(['2024-02-01/2024-03-01']);
});

function planned(models: readonly Snapshot[], own: Partial<PlanMissingInput>) {
  return planMissing({
    environment: 'dev',
    models: models.map((snapshot) => ({ snapshot, entry: entryOf(snapshot) })),
    present: new Map(),
    filled: new Map(),
    restated: new Map(),
    executionTime: Date.parse('2024-03-10T12:00Z'),
    bounds: {},
    withRun: false,
    devStarts: new Map(),
    ...own,
  }).missing;
}
