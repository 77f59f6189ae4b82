import { describe, expect, test } from 'vitest';
import { codesOf, loadHostile } from './hostile-project.ts';

const LETTERS = 'abcdefgh'.split('');
const list = (count: number, item: (i: number) => string, separator = '\n'): string =>
  Array.from({ length: count }, (_, i) => item(i)).join(separator);

/** Each line holds the line before nine times. */
const bomb = (line: (name: string, before: string) => string): string =>
  `z: &z {x: 1}\n${LETTERS.map((name, i) => line(name, LETTERS[i - 1] ?? 'z')).join('\n')}\n`;

/** One of each way to be read: the configuration, a list at the root, a map with SQL inside. */
const KINDS = ['config.yaml', 'external_models.yaml', 'models/semantics/a.yml'];
const MORE_KINDS = [
  'external_models/more.yaml', 'tests/test_a.yaml', 'models/metrics/a.yml', 'dq/a.yml', 'usage.yaml',
]; // biome-ignore format: a table
/** PLINTH_CAMPAIGN=1 attacks every kind of file with everything; else the others are attacked once each, in turn. */
const IS_CAMPAIGN = process.env['PLINTH_CAMPAIGN'] !== undefined;

/** Whatever the file is about, these are wrong in the same way. */
const ATTACKS: readonly (readonly [string, string | Buffer, string])[] = [
  ['lists of aliases of lists of aliases', bomb((name, before) => `${name}: &${name} [${list(9, () => `*${before}`, ', ')}]`), 'yaml.too-many-aliases'],
  ['maps of aliases of maps of aliases', bomb((name, before) => `${name}: &${name} {${list(9, (i) => `k${i}: *${before}`, ', ')}}`), 'yaml.too-many-aliases'],
  ['5,000 brackets', `a: ${'['.repeat(5_000)}${']'.repeat(5_000)}`, 'yaml.too-deep'],
  ['100,000 brackets that never close', `a: ${'['.repeat(100_000)}`, 'yaml.too-deep'],
  ['100,000 braces', '{'.repeat(100_000), 'yaml.too-deep'],
  ['800 levels of indentation', list(800, (i) => `${' '.repeat(i)}a:`), 'yaml.too-deep'],
  ['3,000 dashes', `${'- '.repeat(3_000)}x\n`, 'yaml.too-deep'],
  ['a tab as indentation', 'a:\n\tb: 1\n', 'yaml.syntax'],
  ['a quote that never closes', `a: "${'x'.repeat(100_000)}`, 'yaml.syntax'],
  ['an alias of nothing', 'a: *nope\n', 'yaml.syntax'],
  ['two documents', 'a: 1\n---\nb: 2\n', 'yaml.several-documents'],
  ['more than a MiB', '# comment\n'.repeat(200_000), 'file.too-large'],
  ['UTF-16', Buffer.from('\ufeffa: 1\n', 'utf16le'), 'file.not-utf8'],
  ['bytes that are no UTF-8', Buffer.from([0x61, 0x3a, 0x20, 0xff, 0xfe, 0x0a]), 'file.not-utf8'],
]; // biome-ignore format: a table

describe.each(IS_CAMPAIGN ? [...KINDS, ...MORE_KINDS] : KINDS)('%s', (path) => {
  test.each(ATTACKS)('%s', async (_, content, code) => {
    const report = await loadHostile({ [path]: content });
    expect(codesOf(report, path)).toContain(code);
  });

  test.each([
    ['an alias of itself', 'a: &a [*a]\n'],
    ['a merge of itself', 'a: &a\n  <<: *a\n  b: 1\n'],
    [
      'merges of merges',
      bomb((name, before) => `${name}: &${name} {<<: [${list(9, () => `*${before}`, ', ')}]}`),
    ],
    ['60,000 keys', list(60_000, (i) => `k${i}: 1`)],
    ['100,000 items', '- a\n'.repeat(100_000)],
    ['60,000 anchors', list(20_000, (i) => `- &a${i} x`)],
    ['a key of 900,000 characters', `${'x'.repeat(900_000)}: 1\n`],
    ['30,000 templates that never close', `a: "${'{{ {% '.repeat(30_000)}"\n`],
    ['keys of every object', '__proto__: {x: 1}\nconstructor: {y: 1}\ntoString: 1\n'],
    ['a tag of another language', 'a: !!js/function "function () {}"\n'],
    ['control characters', 'a: \u0001\u0002\0\n'],
  ])('%s: errors of this file, a bounded number of them', async (_, content) => {
    const report = await loadHostile({ [path]: content });
    expect(report.diagnostics.map(({ file }) => file)).toContain(path);
    expect(report.diagnostics.length).toBeLessThanOrEqual(100);
  });

  test('a key given twice is said at the second', async () => {
    const { diagnostics } = await loadHostile({ [path]: 'kind: x\nkind: y\n' });
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ code: 'yaml.duplicate-key', file: path, start: 8, end: 12 }),
    );
  });
});

test.each(
  ATTACKS.map(
    ([name, content, code], i) => [name, MORE_KINDS[i % MORE_KINDS.length] as string, content, code] as const,
  ),
)('%s in %s', async (_, path, content, code) => {
  expect(codesOf(await loadHostile({ [path]: content }), path)).toContain(code);
});

test('names of prototypes in variables are plain names', async () => {
  const { diagnostics, models } = await loadHostile({
    'config.yaml': 'name: x\nvariables: {__proto__: 1, constructor: 2, toString: 3}\n',
    'models/a.sql': 'MODEL (name bad.a);\nSELECT @__proto__ AS a, @constructor AS b, @toString AS c',
  });
  expect(diagnostics).toEqual([]);
  expect(models).toContain('bad.a: a INTEGER, b INTEGER, c INTEGER');
});

test('a template that stands for itself is put in once', async () => {
  process.env['PLINTH_HOSTILE'] = "{{ env_var('PLINTH_HOSTILE') }}";
  try {
    const report = await loadHostile({
      'config.yaml': "name: x\ndescription: \"{{ env_var('PLINTH_HOSTILE', 'none') }}\"\n",
    });
    expect(report.diagnostics).toEqual([]);
  } finally {
    delete process.env['PLINTH_HOSTILE'];
  }
});
