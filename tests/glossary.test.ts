/** docs/glossary.md says one word per thing. Its terms are in use, and what src exports is not called by a word that it avoids. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Entry {
  readonly terms: readonly string[];
  readonly avoid: readonly string[];
}

const root = join(import.meta.dirname, '..');
const withoutRemarks = (cell: string): string => cell.replace(/\([^)]*\)/g, '');
const listed = (cell: string): readonly string[] =>
  withoutRemarks(cell)
    .split(/[,;]/)
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '' && word !== '–');

const entries: readonly Entry[] = readFileSync(join(root, 'docs/glossary.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, term = '', , avoid = ''] = line.split('|').map((cell) => cell.trim());
    return line.startsWith('| ') && term !== 'term' ? [{ terms: listed(term), avoid: listed(avoid) }] : [];
  });
const terms = entries.flatMap((entry) => entry.terms);

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?<!\.test)\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(root, 'src', file), 'utf8') }));

/** Words of SQL, of HTTP and of other things, each with what it names in src instead of the term that avoids it. */
const NAMES_ANOTHER_THING: Readonly<Record<string, string>> = {
  aggregate: 'a function of SQL that folds rows',
  assertion: 'a kind of check in files of dq packs',
  driver: 'the library that speaks to a database',
  error: 'what JavaScript throws; the severity of a diagnostic',
  function: 'a function of SQL',
  history: 'rows of the past: of SCD models, of records that are trimmed',
  key: 'a key of YAML or of a table',
  location: 'a header of HTTP',
  lock: 'views that one run audits one after the other',
  log: 'the event log and the audit log',
  mapping: 'patterns of config.yaml with the value of each',
  member: 'a measure, dimension or segment of a semantic model; a part of something',
  node: 'a node of a tree',
  notification: 'the message about an event',
  partition: 'a partition of a table',
  profile: 'statistics of the columns of a table',
  rebuild: 'state made again from the warehouse',
  rule: 'a rule of lint, of dq packs, of files that may be opened',
  server: 'plinth serve, and servers of databases',
  service: 'a level of service that a product promises',
  source: 'where something comes from: a file, a text, rows',
  step: 'a part of a write, a migration or a bucket of time',
  target: 'what a name or a message points at',
  team: 'Microsoft Teams',
  template: 'text with holes: of YAML files, of addresses',
  test: 'a model test, a semantic test',
  'unit test': 'a lint rule by the name that users bring',
  view: 'a view of SQL; what a caller is shown',
  window: 'a window of SQL',
};

const singular = (word: string): string => word.replace(/(?<=[^s])s$/, '');
const wordsOf = (name: string): string =>
  (name.match(/[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])/g) ?? [])
    .map((word) => singular(word.toLowerCase()))
    .join(' ');

const EXPORTED = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;
const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(EXPORTED)].map(([, name]) => name ?? '');

/** Exported names with a word that the glossary avoids and that is not a term itself, by that word. */
function avoidedNames(texts: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const known = new Set(terms);
  const avoided = new Set(
    entries.flatMap(({ avoid }) => avoid.map(singular)).filter((word) => !known.has(word)),
  );
  const names = [...new Set(texts.flatMap(namesIn))].map((name) => ({ name, words: ` ${wordsOf(name)} ` }));
  return new Map(
    [...avoided].flatMap((word) => {
      const found = names.filter(({ words }) => words.includes(` ${word} `)).map(({ name }) => name);
      return found.length === 0 ? [] : [[word, found] as const];
    }),
  );
}

test('terms are in the order of the alphabet, each once', () => {
  const first = entries.map((entry) => entry.terms[0] ?? '');
  expect(entries.length).toBeGreaterThan(60);
  expect(first).toEqual(first.toSorted());
  expect(new Set(terms).size).toBe(terms.length);
});

const everything = sources.map(({ text }) => text).join('\n');
const isUsed = (term: string): boolean =>
  new RegExp(term.split(' ').map(singular).join(String.raw`s?[ _\-\n*/]*`), 'i').test(everything);

test('each term is in use in src', () => {
  expect(terms.filter((term) => !isUsed(term))).toEqual([]);
  expect(isUsed('dead-letter queue')).toBe(false);
});

test('what src exports is not called by a word that the glossary avoids', () => {
  const found = avoidedNames(sources.map(({ text }) => text));
  expect([...found].filter(([word]) => !Object.hasOwn(NAMES_ANOTHER_THING, word))).toEqual([]);
  expect(Object.keys(NAMES_ANOTHER_THING).filter((word) => !found.has(word))).toEqual([]);
});

test('the rule finds a planted name', () => {
  const planted = 'export interface KeeperDaemons {}\nexport function primaryKeyOf() {}\nconst kpi = 1;\n';
  const found = avoidedNames([planted]);
  expect(found.get('daemon')).toEqual(['KeeperDaemons']);
  expect(found.get('primary key')).toEqual(['primaryKeyOf']);
  expect(found.has('kpi')).toBe(false);
});
