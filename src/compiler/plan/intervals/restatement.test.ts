import { describe, expect, test } from 'vitest';
import { model, ranges, schedule, texts } from '../../../../tests/support/plan/applied.ts';
import type { ModelKind } from '../../../domain/model-kind.ts';
import { autoRestatement } from './auto-restatement.ts';
import { dataGaps } from './data-gaps.ts';
import { restatementRanges } from './restatement-ranges.ts';

describe('what a restatement fills again', () => {
  const asked = ranges('2024-03-03T05:00Z/2024-03-04T05:00Z');
  test.each<[ModelKind['kind'], readonly string[]]>([
    ['incremental-by-time-range', ['2024-03-03/2024-03-05']],
    ['incremental-by-partition', ['2024-03-03/2024-03-05']],
    ['incremental-by-unique-key', ['2024-03-01/2024-03-07', '2024-03-08/2024-03-10']],
    ['scd-type-2-by-time', ['2024-03-01/2024-03-07', '2024-03-08/2024-03-10']],
    ['incremental-unmanaged', ['2024-03-01/2024-03-07', '2024-03-08/2024-03-10']],
    ['full', ['2024-03-01/2024-03-07', '2024-03-08/2024-03-10']],
    ['embedded', []],
  ])('%s', (kind, expected) => {
    const filled = ranges('2024-03-01/2024-03-07', '2024-03-08/2024-03-10');
    expect(texts(restatementRanges({ kind, schedule: { unit: 'day' }, filled }, asked))).toEqual(expected);
  });

  test('only what is filled can be filled again', () => {
    const table = { kind: 'full', schedule: { unit: 'month' }, filled: [] } as const;
    expect(restatementRanges(table, asked)).toEqual([]);
  });

  test('what is asked may be open at both ends', () => {
    const filled = ranges('2024-03-01/2024-03-07');
    const table = { kind: 'incremental-by-time-range', schedule: { unit: 'month' }, filled } as const;
    const everything = [{ start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY }];
    expect(restatementRanges(table, everything)).toEqual(filled);
  });
});

describe('automatic restatement', () => {
  const filled = ranges('2024-03-01/2024-03-10');
  const executionTime = Date.parse('2024-03-10T12:00Z');
  const weekly = schedule({ autoRestatementCron: '@weekly', autoRestatementIntervals: 3 });

  test('the last intervals are due again when its cron has ticked since the last run', () => {
    const since = Date.parse('2024-03-09T23:59Z');
    const snapshot = model('s.a', 'incremental-by-time-range', [], { schedule: weekly });
    expect(texts(autoRestatement(snapshot, filled, { executionTime, since }))).toEqual([
      '2024-03-07/2024-03-10',
    ]);
    expect(autoRestatement(snapshot, filled, { executionTime, since: executionTime - 1 })).toEqual([]);
    expect(autoRestatement(snapshot, filled, { executionTime, since: undefined })).toEqual([]);
  });

  test('without a number of intervals everything is', () => {
    const { autoRestatementIntervals: _, ...all } = weekly;
    const snapshot = model('s.a', 'incremental-by-time-range', [], { schedule: all });
    expect(autoRestatement(snapshot, filled, { executionTime, since: 0 })).toEqual(filled);
  });

  test.each(['incremental-unmanaged', 'scd-type-2-by-time', 'full'] as const)('never for %s', (kind) => {
    const snapshot = model('s.a', kind, [], { schedule: weekly });
    expect(autoRestatement(snapshot, filled, { executionTime, since: 0 })).toEqual([]);
  });

  test('never where restatement is disabled', () => {
    const snapshot = model('s.a', 'incremental-by-time-range', [], {
      schedule: { ...weekly, disableRestatement: true },
    });
    expect(autoRestatement(snapshot, filled, { executionTime, since: 0 })).toEqual([]);
  });
});

test('gaps are what is shown now and would be shown no more', () => {
  const shown = { schedule: { unit: 'day' }, filled: ranges('2024-03-01/2024-03-09T12:00Z') } as const;
  const next = { filled: ranges('2024-03-02/2024-03-04'), missing: ranges('2024-03-05/2024-03-09') };
  expect(texts(dataGaps(shown, next))).toEqual(['2024-03-01/2024-03-02', '2024-03-04/2024-03-05']);
});
