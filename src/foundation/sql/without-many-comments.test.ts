import { expect, test } from 'vitest';
import { withoutManyComments } from './without-many-comments.ts';

const MANY = '/**/'.repeat(101);
const AS_MANY = '    '.repeat(101);

test.each([
  ['SELECT 1', 'SELECT 1'],
  ['/**/SELECT/* a */1', '    SELECT       1'],
  ['SELECT 1 -- a\n, 2', 'SELECT 1     \n, 2'],
  ['SELECT /* a\n/* b */ c */ 1', 'SELECT     \n             1'],
  ['SELECT \'/* no */\', "--"', 'SELECT \'/* no */\', "--"'],
  ['SELECT $$ /* no */ $$', 'SELECT $$ /* no */ $$'],
])('%j after many others', (sql, text) => {
  expect(withoutManyComments(MANY + sql, 'duckdb')).toBe(AS_MANY + text);
  expect(text.length).toBe(sql.length);
  expect(withoutManyComments(sql, 'duckdb')).toBe(sql);
});

test('a hundred thousand comments take no longer than their letters', () => {
  expect(withoutManyComments(`${'/**/'.repeat(100_000)}SELECT 1`, 'duckdb').trim()).toBe('SELECT 1');
});
