import { expect, test } from 'vitest';
import { comparableCell, shownCell } from './comparable-cell.ts';

const interval = (months: number, days: number, micros: string) => ({ months, days, micros });

test.each([
  [interval(0, 1, '0'), interval(0, 0, '86400000000'), true],
  [interval(1, 0, '0'), interval(0, 30, '0'), true],
  [interval(0, 1, '0'), interval(0, 1, '1'), false],
])('intervals %j and %j are the same: %s', (left, right, isSame) => {
  expect(comparableCell(left, 'INTERVAL') === comparableCell(right, 'INTERVAL')).toBe(isSame);
});

test.each([
  ['{"a": 1, "b": [1, 2]}', '{"b":[1,2],"a":1}', true],
  ['{"a": 1}', '{"a": 2}', false],
  ['[1, 2]', '[2, 1]', false],
  ['12345678901234567890', '12345678901234567891', false],
  ['1.0', '1', true],
  ['{not json', '{not json', true],
  ['"x"', 'x', false],
])('the JSON %s and %s are the same: %s', (left, right, isSame) => {
  expect(comparableCell(left, 'JSON') === comparableCell(right, 'JSON')).toBe(isSame);
});

test.each([
  [interval(14, -3, '14706500000'), '1 year 2 months -3 days 04:05:06.5'],
  [interval(0, 0, '0'), '00:00:00'],
  [interval(0, 0, '-3600000000'), '-01:00:00'],
  [interval(1, 1, '0'), '1 month 1 day'],
])('the interval %j is shown as %s', (cell, text) => {
  expect(shownCell(cell, 'INTERVAL')).toBe(text);
});

test('cells of other types stay as they are', () => {
  expect([comparableCell('{"a": 1}', 'VARCHAR'), shownCell({ micros: 1 }, 'STRUCT(micros INTEGER)')]).toEqual(
    ['{"a": 1}', { micros: 1 }],
  );
});
