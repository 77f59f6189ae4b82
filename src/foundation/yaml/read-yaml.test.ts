import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { marked } from '../../../tests/support/marked-source.ts';
import type { Data } from './data.ts';
import { readCommonYaml } from './read-common-yaml.ts';
import { readLibraryYaml } from './read-library-yaml.ts';
import { readYaml } from './read-yaml.ts';
import type { YamlNode, YamlResult } from './tree.ts';

function plain(node: YamlNode | undefined): Data | undefined {
  if (node === undefined) return undefined;
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map((item) => plain(item) as Data);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key.text, plain(value) as Data]));
}

/** Where exactly "nothing" stands, and so where a collection that ends with it ends, is a matter of taste. */
function comparable(result: YamlResult | undefined): unknown {
  const node = (each: YamlNode): unknown => {
    if (each.kind === 'scalar') return each.text === '' && each.style === 'plain' ? 'nothing' : each;
    if (each.kind === 'list') return { start: each.start, items: each.items.map(node) };
    return { start: each.start, entries: each.entries.map(({ key, value }) => [node(key), node(value)]) };
  };
  return { problems: result?.problems, root: result?.root && node(result.root) };
}

const FORMS = [
  "a: 1\nb: [x, \"y z\", 'it''s']\nc: {d: true, e: , f}\n",
  '- a\n- - b\n  - c\n-\n  d: 1\n- e: 2\n  f: 3\n',
  'a:\n- 1\n- 2\nb:\n  - 3\n',
  'text: |\n  one\n    two\n\n  three\nnext: >-\n  folded\n  line\n\n  para\n',
  'keep: |+\n  x\n\nstrip: |-\n  y\n\nempty: |\nlast: z',
  '# comment\n---\na: b # trailing\n"q k": \'v\'\n',
  'a: 2024-01-01\nb: 7.00\nc: 0x1F\nd: 0o17\ne: -1.5e3\nf: ~\ng: yes\nh: .inf\n',
  'rules:\n  - row_count > 0\n  - missing_percent(x) < 1: {name: y, dimension: completeness}\n  - distribution(a): {against: previous, psi < 0.2}\n',
  'a: {b: [1, 2,\n  3], # note\n  c: 4}\nd: []\ne: {}\n',
  'a: "tab\\t \\u00e9 \\x41 \\\\"\n',
  'a:\r\n  b: 1\r\n  c: [1,\r\n    2]\r\n',
  'url: https://example.com:80/x#y\ntime: 12:30:00\nsql: "a: b"\n',
];

describe('the common reader and the library', () => {
  test.each(FORMS)('give the same tree for %j', (text) => {
    const common = readCommonYaml(text);
    expect(common).toBeDefined();
    expect(common).toEqual(readLibraryYaml(text));
  });

  test.each(['{<<}', '{<<, a: 1}', '{a: 1, <<}', '{<<: x}', '<<: x\n'])(
    'agree that a merge key needs a map: %j',
    (text) => {
      expect(readCommonYaml(text)).toBeUndefined();
      expect(readYaml(text).problems).toHaveLength(1);
    },
  );

  test('give the same tree, or the common reader gives up, on random pieces of YAML', () => {
    const piece = fc.constantFrom(
      'a', 'b c', ': ', ':', '- ', '-', '\n', '\n  ', '\n    ', '\n', ', ', '[', ']', '{', '}', '"x"', "'y'", '#', ' # c', '1', '-2', '.5', 'true', 'null', '|', '>', '|-', '"a\\n"', '?', '&x', '*x', '!t', '@', '%', '---', 'k: v', '- i', 'é', '{a: 1}', '[b]', "''", '""', ' ', '<<',
    ); // biome-ignore format: a table
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join('');
        const common = readCommonYaml(text);
        if (common !== undefined) expect(comparable(common)).toEqual(comparable(readLibraryYaml(text)));
      }),
      { numRuns: 3000 },
    );
  });

  test('give the same tree on well-formed random documents', () => {
    const scalar = fc.oneof(
      fc.constantFrom(
        'x',
        'two words',
        '12',
        '1.50',
        '"q: r"',
        "'s'",
        'true',
        '2024-01-01',
        '{a: b}',
        '[1, [2]]',
        '',
      ),
      fc.stringMatching(/^[a-z][a-z0-9 ]{0,8}[a-z]$/),
    );
    const document = fc
      .array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.boolean(), scalar), { minLength: 1, maxLength: 12 })
      .map((lines) =>
        lines
          .map(([indent, isItem, value], i) => `${'  '.repeat(indent)}${isItem ? '- ' : ''}key${i}: ${value}`)
          .join('\n'),
      );
    fc.assert(
      fc.property(document, (text) => {
        const common = readCommonYaml(text);
        if (common !== undefined) expect(comparable(common)).toEqual(comparable(readLibraryYaml(text)));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('reading', () => {
  test('types scalars by the core schema and keeps their spelling', () => {
    const { root } = readYaml('a: 7.00\nb: yes\nc: 2024-01-01\nd: True\ne:\nf: "1"');
    expect(plain(root)).toEqual({
      a: 7,
      b: 'yes',
      c: '2024-01-01',
      d: true,
      e: null,
      f: '1',
    });
    expect(root?.kind === 'map' && root.entries[0]?.value).toMatchObject({ text: '7.00' });
  });

  test('places every node, quotes included', () => {
    const { text, ranges } = marked('«a»: «"x y"»\nb: «[1, 2]»');
    const { root } = readYaml(text);
    if (root?.kind !== 'map') throw new Error('expected a map');
    const [a, b] = root.entries;
    const places = [a?.key, a?.value, b?.value].map((node) => ({ start: node?.start, end: node?.end }));
    expect(places).toEqual(ranges);
  });

  test('an empty file has no root and no problem', () => {
    for (const text of ['', '\n\n', '# only a comment\n', '---\n'])
      expect(readYaml(text)).toEqual({ problems: [] });
  });

  test('merges merge keys and lets own keys win', () => {
    const { root, problems } = readYaml('base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\n');
    expect(problems).toEqual([]);
    expect(plain(root)).toEqual({ base: { x: 1, y: 2 }, use: { y: 3, x: 1 } });
  });

  test.each([
    ['syntax', 'a: b«:» c'],
    ['syntax', 'a: «"»open\nb: 1'],
    ['syntax', 'a: 1\nb: «"»open\nc: 2\nd: 3\n'],
    ['syntax', "a: it's\nb: «'»x\nc: 1\n"],
    ['syntax', 'a: [«"»x, y]\nb: 1\n'],
    ['syntax', 'a: {b: «"»c}\n'],
    ['syntax', 'l:\n  - «"»one\n  - two\n'],
    ['syntax', 'a: "x\n  y"\nb: «"»z\n'],
    ['syntax', 'a: 1\n«\t»b: 2'],
    ['syntax', 'a: «*nowhere»'],
    ['syntax', 'a: &x [«*x»]'],
    ['duplicate-key', 'a: 1\nb: 2\n«a»: 3'],
    ['several-documents', 'a: 1\n«---»\nb: 2'],
    ['too-many-aliases', `x: &x 1\ny: [${'*x, '.repeat(100)}«*x»]`],
  ])('reports %s in %j', (kind, source) => {
    const { text, range } = marked(source);
    const problem = readYaml(text).problems[0];
    expect(problem?.kind).toBe(kind);
    if (kind !== 'syntax' || source.includes('*'))
      expect({ start: problem?.start, end: problem?.end }).toEqual(range);
    else expect(Math.abs((problem?.start ?? -99) - range.start)).toBeLessThanOrEqual(2);
  });
});

describe('hostile files', () => {
  const laughs = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(',')}]`).join('\n')}`;
  const bombs: readonly (readonly [string, string, string | undefined])[] = [
    ['brackets', '['.repeat(1_000_000), 'too-deep'],
    ['brackets on lines', '[\n'.repeat(500_000), 'too-deep'],
    ['braces', '{a: '.repeat(250_000), 'too-deep'],
    ['dashes', '- '.repeat(500_000), 'too-deep'],
    ['indentation', Array.from({ length: 1400 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), 'too-deep'],
    ['billion laughs', laughs, 'too-many-aliases'],
    ['quotes', '"'.repeat(1_000_000), 'syntax'],
    ['closing brackets', ']'.repeat(1_000_000), 'syntax'],
    ['many equal keys', 'kk: 1\n'.repeat(100_000), 'duplicate-key'],
    ['many keys', Array.from({ length: 90_000 }, (_, i) => `k${i}: 1`).join('\n'), undefined],
    ['a file over the limit', 'a'.repeat(1_048_577), 'too-large'],
    [
      'an aliased large list',
      `a: &a [${'x,'.repeat(40_000)}x]\nb: [${'*a,'.repeat(90)}*a]`,
      'too-many-aliases',
    ],
  ];
  test.each(bombs)('%s end in bounded time', (_, text, kind) => {
    const begin = process.cpuUsage();
    const { problems } = readYaml(text);
    const { user, system } = process.cpuUsage(begin);
    expect(problems[0]?.kind).toBe(kind);
    expect(problems.length).toBeLessThanOrEqual(20);
    expect((user + system) / 1000).toBeLessThan(8_000);
  });

  test('nothing throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => void readYaml(text)),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'[]{}:,-?&*!|>\'"%@` \n#ab1<'), maxLength: 30 }),
        (text) => void readYaml(text),
      ),
      { numRuns: 3000 },
    );
  });

  test('64 levels can be read and 65 cannot', () => {
    const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(readYaml(nested(64)).problems).toEqual([]);
    expect(readYaml(nested(65)).problems[0]?.kind).toBe('too-deep');
  });
});
