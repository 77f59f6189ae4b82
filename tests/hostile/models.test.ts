import { describe, expect, test } from 'vitest';
import { codesOf, loadHostile } from './hostile-project.ts';

const BAD = 'models/bad.sql';
const block = (properties: string): Readonly<Record<string, string>> => ({
  [BAD]: `MODEL (${properties});\nSELECT 1 AS x`,
});
const list = (count: number, item: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => item(i)).join(', ');
const files = (count: number, text: (i: number) => string): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`models/m${i}.sql`, text(i)]));

describe('MODEL blocks', () => {
  test.each([
    ['not closed', 'MODEL (name bad.a, kind FULL', 'model.unclosed-block'],
    ['100,000 parentheses that never close', `MODEL ${'('.repeat(100_000)}`, 'model.unclosed-block'],
    ['a comment that never closes', 'MODEL (name bad.a /* );\nSELECT 1 AS x', 'sql.lexical'],
    ['a string that never closes', "MODEL (name bad.a, description 'x);\nSELECT 1 AS x", 'sql.lexical'],
    ['2,000 blocks', `${'MODEL (name bad.a);\n'.repeat(2_000)}SELECT 1 AS x`, 'model.several-blocks'],
    [
      'a section that never closes',
      'MODEL (name bad.a);\nSELECT 1 AS x;\nON_VIRTUAL_UPDATE_BEGIN;\n',
      'model.unclosed-section',
    ],
  ])('%s', async (_, text, code) => {
    expect(codesOf(await loadHostile({ [BAD]: text }), BAD)).toContain(code);
  });

  test.each([
    ['10,000 levels of a kind', `name bad.a, kind ${'FULL ('.repeat(10_000)}${')'.repeat(10_000)}`],
    ['10,000 levels of signals', `name bad.a, signals (${'x('.repeat(10_000)}${')'.repeat(10_000)})`],
    ['100,000 unknown properties', `name bad.a, ${list(100_000, (i) => `p${i} 1`)}`],
    ['20,000 audits that do not exist', `name bad.a, audits (${list(20_000, (i) => `a${i}(x := 1)`)})`],
    ['a property of every object', 'name bad.a, __proto__ 1, constructor 2, toString 3'],
    ['a property given 1,000 times', `name bad.a, ${list(1_000, () => 'owner x')}`],
    ['no name', 'name , kind FULL'],
    ['200 parts in a name', `name ${Array(200).fill('p').join('.')}`],
    ['nothing but dots in a name', 'name ...'],
    ['a dialect of another world', 'name bad.a, dialect klingon'],
    [
      'a time column without its format',
      'name bad.a, kind INCREMENTAL_BY_TIME_RANGE (batch_size 99999999999999999999, lookback -5)',
    ],
    ['a start that is no time', "name bad.a, start 'garbage'"],
    ['a month 13', "name bad.a, start '2024-13-45'"],
    ['a time zone of another planet', "name bad.a, cron_tz 'Mars/Phobos'"],
  ])('%s: errors of this file, a bounded number of them', async (_, properties) => {
    const { diagnostics } = await loadHostile(block(properties));
    expect(diagnostics.filter(({ severity }) => severity === 'error').map(({ file }) => file)).toContain(BAD);
  });

  test.each([
    '* * * * * * * *',
    '61 * * * *',
    '@never',
    '*/0 * * * *',
    '1-99999999 * * * *',
    '0 0 * * 9',
    'a b c d e',
    `${'1,'.repeat(50_000)}99 * * * *`,
    '* '.repeat(50_000),
  ])('a cron of %s', async (cron) => {
    const { diagnostics } = await loadHostile(block(`name bad.a, cron '${cron}'`));
    expect(diagnostics.map(({ code, file }) => `${code} ${file}`)).toEqual([`model.wrong-value ${BAD}`]);
  });

  test.each(['0 0 30 2 *', '0 0 31 2,4,6,9,11 *'])(
    'a cron that never comes (%s) is found in bounded time',
    async (cron) => {
      const { models } = await loadHostile(block(`name bad.a, cron '${cron}'`));
      expect(models.length).toBeGreaterThanOrEqual(2);
    },
  );

  test.each(['"bad"".""x"."a.b"', 'bad."😀 x"', `bad.${'x'.repeat(300)}`, '__proto__.constructor'])(
    'the name %s is a name',
    async (name) => {
      const { modelCount } = await loadHostile(block(`name ${name}`));
      expect(modelCount).toBe(3);
    },
  );

  test('columns of prototypes are plain columns', async () => {
    const { diagnostics, models } = await loadHostile({
      [BAD]:
        "MODEL (name bad.a, column_descriptions (__proto__ = 'x', constructor = 'y'));\nSELECT 1 AS __proto__, 2 AS constructor, 3 AS \"toString\"",
      'models/reader.sql': 'MODEL (name bad.b);\nSELECT __proto__, constructor, valueOf FROM bad.a',
    });
    expect(models).toContain('bad.a: __proto__ INTEGER, constructor INTEGER, toString INTEGER');
    expect(diagnostics.map(({ code, file }) => `${code} ${file}`)).toEqual([
      'sql.unknown-column models/reader.sql',
    ]);
  });
});

describe('blueprints', () => {
  test('100,000 of them: as many as fit are made, and it is said', async () => {
    const report = await loadHostile(
      block(`name bad.@n, blueprints (${list(100_000, (i) => `(n := b${i})`)})`),
    );
    expect(codesOf(report)).toEqual(['model.too-many-blueprints']);
    expect(report.modelCount).toBe(10_002);
  });
  test('all of one name: one model, and the others are duplicates', async () => {
    const report = await loadHostile(block(`name bad.@n, blueprints (${list(50, () => '(n := b)')})`));
    expect(new Set(codesOf(report))).toEqual(new Set(['model.duplicate-name']));
    expect(report.modelCount).toBe(3);
  });
});

describe('models that depend on each other', () => {
  const circle = (count: number): Readonly<Record<string, string>> =>
    files(count, (i) => `MODEL (name bad.m${i});\nSELECT x FROM bad.m${(i + 1) % count}`);
  test.each([2, 3, 1_000])('a circle of %i is said once, where it begins', async (count) => {
    const { diagnostics } = await loadHostile(circle(count));
    expect(diagnostics).toEqual([
      expect.objectContaining({ code: 'model.cycle', file: 'models/m0.sql', start: 35, end: 41 }),
    ]);
    expect(diagnostics[0]?.message).toContain('bad.m0 → bad.m1');
  });
  test('everything with everything', async () => {
    const report = await loadHostile(
      files(50, (i) => `MODEL (name bad.m${i});\nSELECT 1 AS x FROM ${list(50, (k) => `bad.m${k}`)}`),
    );
    expect(codesOf(report)).toContain('model.cycle');
    expect(report.diagnostics.length).toBeLessThan(100);
  });
  test('its own past is no circle, also through a common table', async () => {
    const report = await loadHostile({
      [BAD]:
        'MODEL (name bad.a, kind FULL, columns (x INT));\nWITH a AS (SELECT x FROM bad.a) SELECT x FROM a',
    });
    expect(report.diagnostics).toEqual([]);
  });
  test('macros that ask for columns around a circle', async () => {
    const report = await loadHostile(
      files(2, (i) => `MODEL (name bad.m${i});\nSELECT @STAR(bad.m${1 - i}) FROM bad.m${1 - i}`),
    );
    expect(codesOf(report)).toContain('model.cycle');
    expect(codesOf(report)).not.toContain('sql.syntax');
  });
  test('a chain of 2,000', async () => {
    const { diagnostics, modelCount } = await loadHostile(
      files(
        2_000,
        (i) => `MODEL (name bad.m${i});\nSELECT * FROM ${i === 0 ? 'healthy.base' : `bad.m${i - 1}`}`,
      ),
    );
    expect(diagnostics).toEqual([]);
    expect(modelCount).toBe(2_002);
  });
  test('2,000 models that read one table that nothing defines: one warning', async () => {
    const { diagnostics } = await loadHostile(
      files(2_000, (i) => `MODEL (name bad.m${i});\nSELECT x FROM nowhere.t`),
    );
    expect(diagnostics).toEqual([
      expect.objectContaining({ code: 'model.undeclared-external', severity: 'warning' }),
    ]);
    expect(diagnostics[0]?.message).toContain('2000');
  });
});

test.each(['bad.x', 'BAD.X', '"bad"."x"', '"BAD".X'])(
  'a name given twice, the second time as %s',
  async (name) => {
    const { diagnostics, models } = await loadHostile({
      'models/one.sql': 'MODEL (name bad.x);\nSELECT 1 AS first',
      'models/two.sql': `MODEL (name ${name});\nSELECT 2 AS second`,
    });
    expect(diagnostics).toEqual([
      expect.objectContaining({
        code: 'model.duplicate-name',
        file: 'models/two.sql',
        start: 12,
        end: 12 + name.length,
      }),
    ]);
    expect(models).toContain('bad.x: first INTEGER');
  },
);
