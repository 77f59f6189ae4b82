import { describe, expect, test } from 'vitest';
import { commentSql, insertSql, mergeSql, removeSql, replaceViewSql, tableSql } from './duckdb-dialect.ts';

const TABLE = { schema: 'plinth__s', name: 'm"x' };

test('every part of a name is in quotes', () => {
  expect(tableSql({ catalog: 'C', ...TABLE })).toBe('"C"."plinth__s"."m""x"');
});

test('texts of users end where they end, comments and semicolons included', () => {
  expect(insertSql(TABLE, ['a b'], 'SELECT 1 AS "a b" -- one;')).toBe(
    'INSERT INTO "plinth__s"."m""x" ("a b") SELECT "a b" FROM (\nSELECT 1 AS "a b" -- one\n) AS "source"',
  );
  expect(removeSql(TABLE, 'a = 1 -- one')).toBe('DELETE FROM "plinth__s"."m""x" WHERE (\na = 1 -- one\n)');
  expect(replaceViewSql(TABLE, 'SELECT 1; ')).toBe('CREATE OR REPLACE VIEW "plinth__s"."m""x" AS SELECT 1\n');
});

test('comments are texts, whatever is in them', () => {
  expect(commentSql('VIEW', TABLE, { own: "it's", columns: { 'a"': '' } })).toEqual([
    `COMMENT ON VIEW "plinth__s"."m""x" IS 'it''s'`,
    `COMMENT ON COLUMN "plinth__s"."m""x"."a""" IS ''`,
  ]);
});

describe('merge', () => {
  const merge = { columns: ['id', 'v'], source: 'SELECT 1 AS id, 2 AS v' };

  test('plain keys are compared side by side, in any case and quoting', () => {
    for (const key of ['id', 'ID', '"id"'])
      expect(mergeSql(TABLE, { ...merge, key: [key] })).toContain(
        'ON ("target"."id" IS NOT DISTINCT FROM "source"."id") WHEN MATCHED THEN UPDATE SET "id" = "source"."id", "v" = "source"."v" WHEN NOT MATCHED THEN INSERT',
      );
  });

  test('only the targets of an update lose their qualifier', () => {
    const sql = mergeSql(TABLE, {
      ...merge,
      key: ['id'],
      whenMatched:
        'WHEN MATCHED AND target.v = source.v THEN UPDATE SET target.v = target.v + source.v, TARGET.id = source.id',
    });
    expect(sql).toContain(
      'WHEN MATCHED AND target.v = source.v THEN UPDATE SET v = target.v + source.v, id = source.id WHEN NOT MATCHED',
    );
  });

  test('an insert of the author replaces ours', () => {
    const own = 'WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (source.id)';
    expect(mergeSql(TABLE, { ...merge, key: ['id'], whenMatched: own }).endsWith(own)).toBe(true);
  });
});
