import { expect, test } from 'vitest';
import { writtenTables } from './written-tables.ts';

const found = (text: string): readonly string[] =>
  writtenTables(text, 'duckdb').map(({ parts, start, end }) => {
    const names = parts.map(({ name }) => name).join('.');
    return text.slice(start, end).replaceAll('"', '') === names ? names : `wrong place of ${names}`;
  });

test.each([
  ['INSERT INTO s.t SELECT 1', ['s.t']],
  ['insert or replace into c.s.t (a, b) values (1, 2)', ['c.s.t']],
  ['INSERT OVERWRITE TABLE s.t SELECT 1', ['s.t']],
  ['INSERT OVERWRITE INTO s.t SELECT 1', ['s.t']],
  ['WITH x AS (SELECT 1) INSERT INTO s.t SELECT * FROM x', ['s.t']],
  ['PREPARE p AS INSERT INTO s.t SELECT 1', ['s.t']],
  ['UPDATE "S"."t" SET a = 1', ['S.t']],
  ['PREPARE p AS UPDATE s.t SET a = 1', ['s.t']],
  ['EXPLAIN ANALYZE UPDATE s.t SET a = 1', ['s.t']],
  ['DELETE FROM ONLY s.t WHERE a', ['s.t']],
  [
    'MERGE INTO s.t USING s.u ON t.id = u.id WHEN MATCHED THEN UPDATE SET a = 1 WHEN NOT MATCHED THEN INSERT VALUES (1)',
    ['s.t'],
  ],
  ['TRUNCATE s.t', ['s.t']],
  ['TRUNCATE TABLE s.t, s.u', ['s.t', 's.u']],
  ["COPY s.t (a, b) FROM 'x.csv'", ['s.t']],
  ['CREATE OR REPLACE TABLE s.t AS SELECT 1', ['s.t']],
  ['CREATE VIEW IF NOT EXISTS s.v AS SELECT 1', ['s.v']],
  ['ALTER TABLE IF EXISTS s.t DROP COLUMN a', ['s.t']],
  ['DROP TABLE IF EXISTS s.t, u', ['s.t', 'u']],
  ['DROP SCHEMA s CASCADE', ['s']],
  ['SELECT 1; DROP VIEW s.v', ['s.v']],
])('what is changed: %s', (text, expected) => {
  expect(found(text)).toEqual(expected);
});

test.each([
  'SELECT a FROM s.t FOR UPDATE',
  'SELECT update, copy FROM s.t',
  "COPY s.t TO 'x.csv'",
  'CREATE INDEX i ON s.t (a)',
  'CREATE TEMP TABLE x AS SELECT * FROM s.t',
  'GRANT SELECT, UPDATE ON s.t TO r',
  "COMMENT ON TABLE s.t IS 'drop table s.t'",
  'ANALYZE s.t',
])('nothing is changed, or nothing that others have: %s', (text) => {
  expect(found(text)).toEqual([]);
});
