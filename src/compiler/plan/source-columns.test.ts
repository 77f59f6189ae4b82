/** Columns of what is not computed: external tables and the files of seeds. */
import { describe, expect, test } from 'vitest';
import { modelFile } from '../../../tests/support/plan/compile-text.ts';
import { brief, PlanWorld } from '../../../tests/support/plan/plan-world.ts';

type Files = Readonly<Record<string, string>>;

/** What a plan says of the second state after the first was applied, and which tables it fills. */
async function changed(before: Files, after: Files): Promise<readonly string[]> {
  const world = new PlanWorld();
  await world.planAndApply(before);
  const { changes, missing } = await world.planAndApply(after);
  expect((await world.planAndApply(after)).stages).toEqual([]);
  return [
    ...brief(changes),
    `fills ${missing
      .map(({ model }) => model)
      .sort()
      .join(' ')}`.trim(),
  ];
}

const READERS: Files = {
  'models/a.sql': modelFile('s.a', 'FULL', 'SELECT a FROM raw.t'),
  'models/b.sql': modelFile('s.b', 'FULL', 'SELECT b + 1 AS b FROM raw.t'),
  'models/star.sql': modelFile('s.star', 'FULL', 'SELECT * FROM raw.t'),
  'models/count.sql': modelFile('s.count', 'FULL', 'SELECT count(*) AS n FROM raw.t'),
  'models/below.sql': modelFile('s.below', 'FULL', 'SELECT b FROM s.b'),
};

describe('an external table', () => {
  const external = (columns: string): Files => ({
    'external_models.yaml': `- name: raw.t\n  columns: {${columns}}\n`,
    ...READERS,
  });

  test('a column of another type is breaking for those who read it', async () => {
    expect(await changed(external('a: INT, b: INT'), external('a: INT, b: BIGINT'))).toEqual([
      'raw.t direct/breaking',
      's.b indirect/indirect-breaking',
      's.below indirect/indirect-breaking',
      's.star indirect/indirect-breaking',
      'fills s.b s.below s.star',
    ]);
  });

  test('a column that is lost is breaking for those who read it', async () => {
    const without = (columns: string): Files => {
      const { 'models/b.sql': _, 'models/below.sql': __, ...rest } = external(columns);
      return rest;
    };
    expect(await changed(without('a: INT, b: INT'), without('a: INT'))).toEqual([
      'raw.t direct/breaking',
      's.star indirect/indirect-breaking',
      'fills s.star',
    ]);
  });

  test('one more column is nothing to those who do not read it', async () => {
    expect(await changed(external('a: INT, b: INT'), external('a: INT, b: INT, c: INT'))).toEqual([
      'raw.t direct/non-breaking',
      's.star indirect/indirect-breaking',
      'fills s.star',
    ]);
  });

  test('nor are columns that are declared for the first time', async () => {
    const { 'models/star.sql': _, ...readers } = READERS;
    const declared = { 'external_models.yaml': '- name: raw.t\n  columns: {a: INT, b: INT}\n', ...readers };
    const bare = { 'external_models.yaml': '- name: raw.t\n', ...readers };
    expect((await changed(bare, declared)).at(-1)).toBe('fills');
  });
});

describe('a seed', () => {
  const seed = (csv: string, columns = ''): Files => ({
    'models/t.sql': `MODEL (name raw.t, kind SEED (path '../seeds/t.csv')${columns});`,
    'seeds/t.csv': csv,
    ...READERS,
  });
  const FIRST = 'a,b\n1,10\n2,20\n';

  test('that gains a column is built again, and with it only those who read all columns', async () => {
    const expected = ['raw.t direct/non-breaking', 's.star indirect/indirect-breaking', 'fills raw.t s.star'];
    const more = 'a,b,c\n1,10,x\n2,20,y\n';
    const all = await changed(seed(FIRST), seed(more));
    expect(all.filter((text) => !text.includes('non-breaking') || text.includes('raw.t'))).toEqual(expected);
    const types = (names: string): string => `, columns (${names})`;
    const declared = await changed(
      seed(FIRST, types('a INT, b INT')),
      seed(more, types('a INT, b INT, c TEXT')),
    );
    expect(declared.filter((text) => !text.includes('non-breaking') || text.includes('raw.t'))).toEqual(
      expected,
    );
  });

  test('whose values change in one column reaches those who read it', async () => {
    expect((await changed(seed(FIRST), seed('a,b\n1,10\n2,21\n'))).at(-1)).toBe(
      'fills raw.t s.b s.below s.star',
    );
  });

  test.each([
    ['a row more', 'a,b\n1,10\n2,20\n3,30\n'],
    ['other rows', 'a,b\n2,20\n1,10\n'],
    ['a row that is too short', 'a,b\n1,10\n2\n'],
  ])('with %s reaches everybody', async (_, csv) => {
    expect((await changed(seed(FIRST), seed(csv))).at(-1)).toBe('fills raw.t s.a s.b s.below s.count s.star');
  });

  test('a value in quotes is another than one without, since it may be missing', async () => {
    const text = (value: string): Files => seed(`a,b\n1,10\n${value},20\n`, ', columns (a TEXT, b INT)');
    expect((await changed(text(''), text('""'))).at(-1)).toBe('fills raw.t s.a s.star');
  });

  test('whose file is only written otherwise is not built again', async () => {
    expect((await changed(seed(FIRST), seed('a,b\r\n1,10\r\n2,20'))).at(-1)).toBe('fills');
  });

  test('a column of another type is a change of that column', async () => {
    const types = (names: string): Files => seed(FIRST, `, columns (${names})`);
    expect((await changed(types('a INT, b INT'), types('a INT, b BIGINT'))).at(-1)).toBe(
      'fills raw.t s.b s.below s.star',
    );
  });
});
