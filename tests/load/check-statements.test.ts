import { afterEach, expect, test } from 'vitest';
import { marked } from '../support/marked-source.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

let project: TemporaryProject | undefined;
afterEach(() => project?.delete());

/** Loads one model with these statements around its query; expects one diagnostic per mark, at it. */
async function found(source: string): Promise<readonly string[]> {
  const { text, ranges } = marked(`MODEL (name m.a, kind FULL);\n${source}`);
  project = temporaryProject({ 'models/a.sql': text });
  const { diagnostics } = await project.load();
  expect(diagnostics.map(({ at }) => at)).toEqual(
    ranges.map((range) => ({ file: 'models/a.sql', ...range })),
  );
  return diagnostics.map(({ code, severity, hint }) => [severity, code, hint].filter(Boolean).join(' '));
}

const virtual = (statement: string): string =>
  `SELECT 1 AS a;\nON_VIRTUAL_UPDATE_BEGIN;\n${statement};\nON_VIRTUAL_UPDATE_END;\n`;

test.each([
  ['«FOO» BAR BAZ(«(»', ['warning model.unknown-statement', 'error sql.syntax']],
  ['«UPDAET» foo SET x = 1', ['warning model.unknown-statement did you mean UPDATE?']],
  ['CREATE «TABL» x AS (SELECT 1)', ['warning model.unknown-statement did you mean TABLE?']],
  ['CREATE OR REPLACE «VEIW» x AS SELECT 1', ['warning model.unknown-statement did you mean VIEW?']],
  [
    'CREATE «TABL» x AS («(»SELECT 1',
    ['warning model.unknown-statement did you mean TABLE?', 'error sql.syntax'],
  ],
  ['DROP TABLE x«)»', ['error sql.syntax']],
  ['CREATE TABLE x (a INT[«(»3])', ['error sql.syntax']],
  ['UPDATE foo SET x «=»', ['error sql.syntax expected a value']],
  ['UPDATE foo SET x = 1, y «=» WHERE z', ['error sql.syntax expected a value']],
  ['UPDATE foo SET x = 1 «2»', ['error sql.syntax']],
  ['INSERT INTO log SELECT a FRM «m».a WHERE', ['error sql.syntax']],
])('what is wrong in a statement is found at its place: %s', async (statement, expected) => {
  for (const source of [
    virtual(statement),
    `${statement};\nSELECT 1 AS a;\n`,
    `SELECT 1 AS a;\n${statement};\n`,
  ]) {
    const codes = await found(source);
    project?.delete();
    expect(codes.length).toBe(expected.length);
    for (const [i, each] of expected.entries()) expect(codes[i]).toContain(each);
  }
});

test.each([
  'GRANT SELECT ON TABLE m.a TO ROLE reader',
  'INSERT INTO log (a, b) VALUES (DEFAULT, 1)',
  'INSERT INTO log BY NAME SELECT 1 AS a ON CONFLICT (a) DO UPDATE SET b = 2',
  'INSERT INTO log WITH x AS (SELECT 1 AS a) SELECT a FROM x RETURNING a',
  'CREATE TEMP TABLE x AS SELECT 1 AS a WITH NO DATA',
  'CREATE OR REPLACE MACRO plus(a, b) AS a + b',
  'CREATE INDEX i ON m.a (a)',
  "UPDATE log SET a = (SELECT MAX(b) FROM y), c = 'x, y' FROM z WHERE z.id = log.id RETURNING a",
  'DELETE FROM log WHERE a IN (1, 2)',
  "COMMENT ON COLUMN m.a.a IS 'a, (b'",
  'SET VARIABLE x = 1',
  'ANALYZE m.a',
  "@IF(@runtime_stage = 'creating', CREATE TABLE x (a INT))",
  'ALTER TABLE m.a ADD COLUMN b INT',
])('a statement that engines run is quiet: %s', async (statement) => {
  expect(await found(virtual(statement))).toEqual([]);
});

test('statements are looked at after their macros were expanded', async () => {
  expect(
    await found(virtual('CREATE TABLE x_@gateway AS SELECT @EACH([1, 2], x -> x) FRM «t» WHERE')),
  ).toHaveLength(1);
  project?.delete();
  expect(
    await found(
      'SELECT 1 AS a;\nJINJA_STATEMENT_BEGIN;\n{% for t in ["x"] %}«INSRT» INTO {{ t }} SELECT 1;{% endfor %}\nJINJA_END;\n',
    ),
  ).toHaveLength(1);
});

test('statements around a seed are looked at as well', async () => {
  const { text, range } = marked(
    "MODEL (name m.s, kind SEED (path '$root/seeds/s.csv'));\n@INSERT_SEED();\nUPDATE m.s SET a «=»;\n",
  );
  project = temporaryProject({ 'models/s.sql': text, 'seeds/s.csv': 'a\n1\n' });
  const { diagnostics } = await project.load();
  expect(diagnostics.map(({ code, at }) => ({ code, at }))).toEqual([
    { code: 'sql.syntax', at: { file: 'models/s.sql', ...range } },
  ]);
  expect((await project.load()).diagnostics).toEqual(diagnostics);
});
