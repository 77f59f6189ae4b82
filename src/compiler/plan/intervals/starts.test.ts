import { expect, test } from 'vitest';
import { model, schedule } from '../../../../tests/support/plan/applied.ts';
import type { Snapshot } from '../../../domain/snapshot.ts';
import { isoInstantShort } from '../../../foundation/time/iso.ts';
import { startsOf } from './starts.ts';

const NOW = Date.parse('2024-03-13T10:00Z');

test('its own start, else the earliest of its parents, else the last cron period', () => {
  expect(
    starts([
      model('s.a', 'full', [], { schedule: schedule({ start: '2020-05-05' }) }),
      model('s.b', 'full', [], { schedule: schedule({ start: '2019-01-01' }) }),
      model('s.c', 'full', ['s.a', 's.b'], { schedule: without({}) }),
      model('s.d', 'full', ['s.c'], { schedule: schedule({ start: '2023-01-01' }) }),
      model('s.e', 'full', ['s.unknown'], { schedule: without({}) }),
    ]),
  ).toEqual({
    's.a': '2020-05-05T00:00:00Z',
    's.b': '2019-01-01T00:00:00Z',
    's.c': '2019-01-01T00:00:00Z',
    's.d': '2023-01-01T00:00:00Z',
    's.e': '2024-03-12T00:00:00Z',
  });
});

test.each([
  ['@weekly', 'day', '2024-03-03T00:00:00Z'],
  ['@monthly', 'month', '2024-02-01T00:00:00Z'],
  ['0 * * * *', 'hour', '2024-03-13T09:00:00Z'],
  ['0 11 * * *', 'day', '2024-03-11T00:00:00Z'],
] as const)('without any start, %s begins one period before its last tick', (cron, unit, expected) => {
  expect(starts([model('s.a', 'full', [], { schedule: without({ cron, unit }) })])).toEqual({
    's.a': expected,
  });
});

test('children may come before their parents, and chains may be long', () => {
  const chain = Array.from({ length: 20_000 }, (_, i) =>
    model(`s.m${i}`, 'view', i === 19_999 ? [] : [`s.m${i + 1}`], {
      schedule: i === 19_999 ? schedule({ start: '2022-02-02' }) : without({}),
    }),
  );
  expect(starts(chain)['s.m0']).toBe('2022-02-02T00:00:00Z');
});

test('a circle, which loading refuses, ends', () => {
  const circle = [
    model('s.a', 'view', ['s.b'], { schedule: without({}) }),
    model('s.b', 'view', ['s.a'], { schedule: without({}) }),
  ];
  expect(Object.keys(starts(circle))).toHaveLength(2);
});

function without(own: Parameters<typeof schedule>[0]) {
  const { start: _, ...rest } = schedule(own);
  return rest;
}

function starts(models: readonly Snapshot[]): Readonly<Record<string, string>> {
  return Object.fromEntries([...startsOf(models, NOW)].map(([name, at]) => [name, isoInstantShort(at)]));
}
