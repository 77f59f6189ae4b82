import { expect, test } from 'vitest';
import { rowsCsv, rowsJson } from './rows.ts';

const answer = {
  columns: [
    { name: 'id', type: 'INTEGER' },
    { name: 'said, or not', type: 'VARCHAR' },
  ],
  rows: [
    [1, 'a "quote"'],
    [2, null],
    [3, ''],
    [4, { a: [1] }],
  ],
};

test('CSV quotes what would be read wrongly, and keeps nothing and an empty text apart', () =>
  expect(rowsCsv(answer)).toBe('id,"said, or not"\n1,"a ""quote"""\n2,\n3,""\n4,"{""a"":[1]}"'));

test('JSON has columns with types and rows as lists', () =>
  expect(rowsJson(answer)).toEqual({ cols: answer.columns, rows: answer.rows }));
