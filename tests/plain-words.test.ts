/**
 * Texts are read once, by engineers everywhere. This test walks README.md, docs and src, comments and strings alike, and names each word that has a
 * plainer one, with file and line. A hit in another meaning is reworded, too: the list has no exceptions.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Between two words of a text: blanks, or a line break with the comment mark of the next line. */
const GAP = String.raw`(?:[ \t]|\n[ \t]*(?:\*|//)?[ \t]*)+`;
const words = (text: string): string => text.replaceAll(' ', GAP);

const FORBIDDEN: readonly (readonly [string, RegExp])[] = [
  [
    'name the role: caller, client, user, process',
    pattern(words('some(?:body|one)|no(?:body| one)|any(?:body|one)|every(?:body|one)|who(?:m)?ever')),
  ],
  ['fix', pattern('mend(?:s|ed|ing)?')],
  ['no longer, at most, nor', pattern(words('no more'))],
  ['is not a', pattern(words('(?<!there )(?:is|are|was|were) no (?!longer)'), String.raw`(?=\w)`)],
  ['have no more rights, may do more', pattern(words('may(?: not)? more'))],
  ['reported, shown, gets', pattern(words('(?:is|are|was|were|be|been|not|once) told(?! apart)'))],
  ['again, rebuilt', pattern('anew')],
  ['categorized, verified, checked, decided', pattern('judge?(?:s|d|ing|ments?)?')],
  [
    'from which, so, by which, if',
    pattern(words('whence|hence|thence|thereby|whereby|hereby|thereof|lest|upon|unto|betwixt')),
  ],
];

function pattern(words: string, end = String.raw`\b`): RegExp {
  return new RegExp(String.raw`\b(?:${words})${end}`, 'gi');
}

interface Hit {
  readonly at: string;
  readonly word: string;
  readonly instead: string;
}

function hitsIn(file: string, text: string): readonly Hit[] {
  return FORBIDDEN.flatMap(([instead, forbidden]) =>
    [...text.matchAll(forbidden)].map(({ 0: word, index }) => ({
      at: `${file}:${text.slice(0, index).split('\n').length}`,
      word: word.replace(/\s+(?:\*|\/\/)?\s*/g, ' ').trim(),
      instead,
    })),
  );
}

const root = join(import.meta.dirname, '..');
const filesBelow = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));

/** Decisions are history and stay as they were written. */
const texts = [
  'README.md',
  ...filesBelow('docs').filter((file) => file.endsWith('.md') && !file.startsWith('docs/decisions/')),
  ...filesBelow('src').filter((file) => /(?<!\.test)\.ts$|\.md$/.test(file)),
];

const hits = texts.flatMap((file) => hitsIn(file, readFileSync(join(root, file), 'utf8')));

test('a thousand texts are read', () => expect(texts.length).toBeGreaterThan(1000));

test('README, docs, comments and strings use plain words', () => expect(hits).toEqual([]));

test.each([
  ['Nobody can be asked.', 'Nobody'],
  ['/**\n * This is\n * no list.\n */', 'is no'],
  ['// It counts no\n  // more.', 'no more'],
  ["hint: 'mend the query',", 'mend'],
  ['It never may more than its owner.', 'may more'],
])('finds the word that is planted in %j', (text, word) => {
  expect(hitsIn('planted.ts', text)).toMatchObject([
    { at: expect.stringMatching(/^planted\.ts:[12]$/), word },
  ]);
});

test.each(['There is no such model.', 'It is no longer read.', 'recommend a way', 'whose rows'])(
  'accepts %j',
  (text) => {
    expect(hitsIn('plain.ts', text)).toEqual([]);
  },
);
