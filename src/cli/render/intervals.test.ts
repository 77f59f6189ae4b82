import { describe, expect, test } from 'vitest';
import { intervalPairs } from '../../domain/interval-pairs.ts';
import { ageText, durationText, intervalText } from './intervals.ts';

const at = (text: string): number => Date.parse(text);
const range = (start: string, end: string) => ({ start: at(start), end: at(end) });
const WHOLE = { start: 0, end: 253_402_300_800_000 };

describe('intervals in words', () => {
  test.each([
    ['nothing', []],
    ['whole', [WHOLE]],
    ['2025-01-01', [range('2025-01-01', '2025-01-02')]],
    ['2025-01-01 to 2025-01-31', [range('2025-01-01', '2025-02-01')]],
    [
      '2025-01-01 to 2025-03-31, in 2 pieces',
      [range('2025-01-01', '2025-02-01'), range('2025-03-01', '2025-04-01')],
    ],
    ['2025-01-01T00:00:00Z to 2025-01-01T01:00:00Z', [range('2025-01-01T00:00:00Z', '2025-01-01T01:00:00Z')]],
  ])('%s', (text, ranges) => expect(intervalText(ranges)).toBe(text));
  test('are pairs of times in JSON, and none for what has no time', () => {
    expect(intervalPairs([range('2025-01-01', '2025-01-02')])).toEqual([
      ['2025-01-01T00:00:00Z', '2025-01-02T00:00:00Z'],
    ]);
    expect(intervalPairs([WHOLE])).toEqual([]);
  });
});

test.each([
  [12, '12 ms'],
  [1200, '1.2 s'],
  [200_000, '3 min 20 s'],
  [7_380_000, '2 h 3 min'],
])('%d milliseconds are %s', (ms, text) => expect(durationText(ms)).toBe(text));

test.each([
  [100, 'a moment'],
  [1000, '1 second'],
  [150_000, '2 minutes'],
  [3 * 86_400_000, '3 days'],
])('%d milliseconds ago is %s', (ms, text) => expect(ageText(ms)).toBe(text));
