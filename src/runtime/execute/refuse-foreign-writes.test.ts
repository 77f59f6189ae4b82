import fc from 'fast-check';
import { expect, test } from 'vitest';
import { refuseForeignWrites } from './refuse-foreign-writes.ts';
import { namesOf } from './shown-names.ts';

const shown = namesOf(
  [
    { schema: 's', name: 'b' },
    { schema: 's__dev', name: 'b' },
    { schema: 'main', name: 'c' },
    { catalog: 'lake', schema: 's', name: 'd' },
    { catalog: 'lake', schema: 'main', name: 'e' },
  ],
  'home',
);
const limits = { writer: 's.a', shown: async () => shown, dialect: 'duckdb' } as const;
const ofTable = { ...limits, own: { relation: { schema: 'plinth__s', name: 'a__v1' }, isShown: false } };
const ofView = { ...limits, own: { relation: { schema: 's__dev', name: 'a' }, isShown: true } };

test.each([
  'INSERT INTO "plinth__s"."b__v2" SELECT 1',
  'DELETE FROM plinth__ledger',
  'UPDATE Plinth__S.b__v2 SET x = 1',
  'DROP SCHEMA plinth__s CASCADE',
  'CREATE SCHEMA plinth__s',
  'CREATE OR REPLACE VIEW "s"."b" AS SELECT 1',
  'CREATE OR REPLACE VIEW S__Dev."B" AS SELECT 1',
  'CREATE VIEW home.s__dev.b AS SELECT 1',
  'DROP VIEW s__dev.b',
  'ALTER VIEW s.b RENAME TO old',
  'ALTER TABLE s.mine RENAME TO b',
  'CREATE OR REPLACE VIEW c AS SELECT 1',
  "CREATE OR REPLACE VIEW 'c' AS SELECT 1",
  "CREATE OR REPLACE VIEW e'\\x63' AS SELECT 1",
  'CREATE OR REPLACE VIEW home.c AS SELECT 1',
  'CREATE OR REPLACE VIEW lake.s.d AS SELECT 1',
  'CREATE OR REPLACE VIEW lake.e AS SELECT 1',
  'DROP SCHEMA s__dev CASCADE',
  'DROP SCHEMA home.s CASCADE',
  'CREATE OR REPLACE SCHEMA s',
  'DROP SCHEMA lake.s',
  'SELECT 1; DROP VIEW s.b',
])('is refused to whoever says it: %s', async (statement) => {
  for (const own of [limits, ofTable, ofView])
    await expect(refuseForeignWrites([statement], own)).rejects.toThrow(/not its own table/);
});

test.each([
  'INSERT INTO log SELECT count(*) FROM "plinth__s"."b__v2"',
  'GRANT SELECT ON s.b TO r',
  'CREATE SCHEMA IF NOT EXISTS s__dev',
  'CREATE OR REPLACE TABLE s.mine AS SELECT 1',
  'INSERT INTO other.s.b SELECT 1',
  'DROP SCHEMA raw CASCADE',
  'DROP SCHEMA other.s CASCADE',
  'CREATE TEMP VIEW c AS SELECT 1',
  'SET VARIABLE x = 1',
])('is let through: %s', async (statement) => {
  for (const own of [limits, ofTable, ofView]) await refuseForeignWrites([statement], own);
});

test('the own table may be changed before its audits, but not become something else', async () => {
  for (const statement of [
    'UPDATE "plinth__s"."a__v1" SET x = (SELECT max(x) FROM "plinth__s"."b__v2")',
    'CREATE OR REPLACE TABLE plinth__s.a__v1 AS SELECT 1',
    'ALTER TABLE plinth__s.a__v1 ADD COLUMN y INT',
  ])
    await refuseForeignWrites([statement], ofTable);
  for (const statement of [
    'CREATE OR REPLACE VIEW plinth__s.a__v1 AS SELECT 1',
    'ALTER TABLE plinth__s.a__v1 RENAME TO b__v2',
  ])
    await expect(refuseForeignWrites([statement], ofTable)).rejects.toThrow(/not its own table/);
});

test('a view that shows audited rows stays what it is', async () => {
  await refuseForeignWrites(['ALTER VIEW s__dev.a SET TAG x'], ofView);
  for (const statement of [
    'CREATE OR REPLACE VIEW s__dev.a AS SELECT 1',
    'UPDATE s__dev.a SET x = 1',
    'ALTER VIEW s__dev.a RENAME TO b',
  ])
    await expect(refuseForeignWrites([statement], ofView)).rejects.toThrow(/not its own table/);
});

test('what makes names mean something else is refused', async () => {
  await expect(refuseForeignWrites(["SET schema = 's__dev'"], limits)).rejects.toThrow(/SET schema/);
});

test('environments are asked only about what is not the own table', async () => {
  const unasked = { ...ofTable, shown: () => Promise.reject(new Error('asked')) };
  await refuseForeignWrites(['UPDATE plinth__s.a__v1 SET x = 1', 'SELECT 1'], unasked);
  await expect(refuseForeignWrites(['INSERT INTO log SELECT 1'], unasked)).rejects.toThrow('asked');
});

test('a shown view is found however it is spelled', async () => {
  const spelled = (name: string): fc.Arbitrary<string> =>
    fc
      .tuple(fc.array(fc.boolean(), { minLength: name.length, maxLength: name.length }), fc.boolean())
      .map(([upper, isQuoted]) => {
        const text = [...name].map((c, i) => (upper[i] === true ? c.toUpperCase() : c)).join('');
        return isQuoted ? `"${text}"` : text;
      });
  const space = fc.constantFrom(' ', '\n', '\t', '/* ; */', ' -- DROP\n', '\u2003');
  const name = fc
    .constantFrom(
      ['s__dev', 'b'],
      ['home', 's', 'b'],
      ['c'],
      ['main', 'c'],
      ['home', 'c'],
      ['lake', 's', 'd'],
    )
    .chain((parts) => fc.tuple(...parts.map(spelled)))
    .map((parts) => parts.join('.'));
  const statement = fc.constantFrom(
    'CREATE OR REPLACE VIEW # AS SELECT 1',
    'CREATE VIEW IF NOT EXISTS # (x) AS SELECT 1',
    'DROP VIEW IF EXISTS # CASCADE',
    'DROP TABLE #',
    'ALTER VIEW # RENAME TO z',
    'INSERT INTO # SELECT 1',
    'UPDATE # SET x = 1',
    'DELETE FROM # WHERE x',
    'TRUNCATE #',
    "COPY # FROM 'f.csv'",
    'MERGE INTO # USING t ON false WHEN NOT MATCHED THEN INSERT',
    'WITH q AS ( SELECT 1 ) DELETE FROM #',
    "SELECT ';' ; EXPLAIN ANALYZE DROP VIEW #",
  );
  await fc.assert(
    fc.asyncProperty(statement, name, fc.infiniteStream(space), async (text, spelling, spaces) => {
      const spaced = text.replace(/ /g, () => spaces.next().value).replace('#', spelling);
      await expect(refuseForeignWrites([spaced], limits)).rejects.toThrow(/not its own table/);
    }),
  );
});
