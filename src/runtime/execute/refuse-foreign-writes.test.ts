import { expect, test } from 'vitest';
import { refuseForeignWrites } from './refuse-foreign-writes.ts';

const limits = {
  writer: 's.a',
  own: { schema: 'plinth__s', name: 'a__v1' },
  views: new Set(['s.b']),
  dialect: 'duckdb',
} as const;

test.each([
  'INSERT INTO "plinth__s"."b__v2" SELECT 1',
  'DELETE FROM plinth__ledger',
  'UPDATE Plinth__S.b__v2 SET x = 1',
  'DROP SCHEMA plinth__s CASCADE',
  'CREATE OR REPLACE VIEW "s"."b" AS SELECT 1',
])('%s', (statement) => {
  expect(() => refuseForeignWrites([statement], limits)).toThrow(/not its own table/);
});

test.each([
  'UPDATE "plinth__s"."a__v1" SET x = (SELECT max(x) FROM "plinth__s"."b__v2")',
  'INSERT INTO log SELECT count(*) FROM "plinth__s"."b__v2"',
  'GRANT SELECT ON s.b TO r',
])('is let through: %s', (statement) => {
  expect(() => refuseForeignWrites([statement], limits)).not.toThrow();
});
