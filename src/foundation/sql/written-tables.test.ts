import { expect, test } from 'vitest';
import { redirectingWords, writtenTables } from './written-tables.ts';

const found = (text: string): readonly string[] =>
  writtenTables(text, 'duckdb').map(({ parts, start, end }) => {
    const names = parts.map(({ name }) => name).join('.');
    // Of the new name of what is renamed only the last part stands there.
    const place = text.slice(start, end).replace(/\s*\.\s*/g, '.');
    return names.endsWith(place.replaceAll(/["']|\$\$/g, '')) ? names : `wrong place of ${names}`;
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
  ['CREATE OR REPLACE UNLOGGED TABLE s.t AS SELECT 1', ['s.t']],
  ['CREATE OR REPLACE RECURSIVE VIEW s.v (x) AS SELECT 1', ['s.v']],
  ['CREATE VIEW s . v AS SELECT 1', ['s.v']],
  ["CREATE VIEW 'v' AS SELECT 1", ['v']],
  ['CREATE VIEW $$v$$ AS SELECT 1', ['v']],
  ['DROP\u2003VIEW\u200bs.v', ['s.v']],
  ['SELECT 1 `; DROP VIEW s.v', ['s.v']],
  ['ALTER VIEW c.s.v RENAME TO w', ['c.s.v', 'c.s.w']],
  ["ALTER TABLE t RENAME TO 'u'", ['t', 'u']],
  ['ALTER TABLE s.t RENAME a TO b', ['s.t']],
  ['EXPLAIN (ANALYZE) DROP VIEW s.v', ['s.v']],
  ['WITH x AS (UPDATE s.t SET a = 1 RETURNING a) SELECT a FROM x', ['s.t']],
])('what is changed: %s', (text, expected) => {
  expect(found(text)).toEqual(expected);
});

test.each([
  'SELECT a FROM s.t FOR UPDATE',
  'SELECT update, copy FROM s.t',
  "COPY s.t TO 'x.csv'",
  'CREATE INDEX i ON s.t (a)',
  'CREATE TEMP TABLE x AS SELECT * FROM s.t',
  'CREATE OR REPLACE LOCAL TEMPORARY VIEW x AS SELECT * FROM s.t',
  'CREATE MACRO f(drop, copy) AS TABLE SELECT * FROM s.t',
  'GRANT SELECT, UPDATE ON s.t TO r',
  "COMMENT ON TABLE s.t IS 'drop table s.t'",
  'ANALYZE s.t',
])('nothing is changed, or nothing that others have: %s', (text) => {
  expect(found(text)).toEqual([]);
});

test.each([
  ['INSERT INTO a SELECT 1', 'rows table'],
  ['CREATE TABLE a (x INT)', 'create table'],
  ['CREATE OR REPLACE VIEW a AS SELECT 1', 'replace view'],
  ['CREATE SCHEMA IF NOT EXISTS a', 'create schema'],
  ['CREATE OR REPLACE SCHEMA a', 'replace schema'],
  ['ALTER TABLE a ADD COLUMN x INT', 'alter table'],
  ['ALTER VIEW a RENAME TO b', 'rename view'],
  ['DROP SCHEMA a CASCADE', 'drop schema'],
])('how: %s', (text, expected) => {
  const found = writtenTables(text, 'duckdb').map(({ change, object }) => `${change} ${object}`);
  expect([...new Set(found)]).toEqual([expected]);
});

test.each([
  ['USE s', 'USE'],
  ['SELECT 1; use c.s', 'USE'],
  ["SET schema = 's'", 'SET schema'],
  ['SET SESSION "search_path" TO s', 'SET search_path'],
  ["EXPLAIN ANALYZE SET schema = 's'", 'SET schema'],
  ["PRAGMA search_path='s'", 'PRAGMA search_path'],
  ['RESET search_path', 'RESET search_path'],
  ["IMPORT DATABASE 'x'", 'IMPORT'],
  ["PRAGMA import_database('x')", 'PRAGMA import_database'],
  ['CREATE OR REPLACE TEMP MACRO main.Count_Star() AS 0', 'CREATE MACRO count_star'],
  ['CREATE FUNCTION IF NOT EXISTS "+"(a, b) AS 0', 'CREATE MACRO +'],
  ['CREATE MACRO plus(a, b) AS a + b', undefined],
  ['SET VARIABLE schema = 1', undefined],
  ['UPDATE t SET schema = 1', undefined],
  ["PRAGMA create_fts_index('t', 'a')", undefined],
])('whether names mean something else afterwards: %s', (text, expected) => {
  expect(redirectingWords(text, 'duckdb')).toBe(expected);
});
