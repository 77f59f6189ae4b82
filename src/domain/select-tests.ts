/** Which tests the words of a command mean. */

import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../foundation/diagnostics/nearest.ts';
import { wildcard } from '../foundation/wildcard.ts';
import { diagnostic } from './diagnostics/catalog.ts';
import type { ModelTest } from './model-test.ts';
import type { Project } from './project.ts';

export type SelectedTests =
  | { readonly ok: true; readonly tests: readonly ModelTest[] }
  | { readonly ok: false; readonly problem: Diagnostic };

export interface TestSelection {
  /** A name or a pattern of names, a test file, `file::name`, a model or the file of a model; none: all tests. */
  readonly words: readonly string[];
  /** Parts or patterns of `file::name`, joined with `and`, `or`, `not`. */
  readonly expressions: readonly string[];
}

/** Tests in the order of the project. A word that means nothing is refused. */
export function selectTests(
  { tests, models }: Pick<Project, 'tests' | 'models'>,
  { words, expressions }: TestSelection,
): SelectedTests {
  const files = new Map(models.map((model) => [model.file, model.name]));
  const names = new Set(models.map(({ name }) => name));
  const chosen = new Set<ModelTest>();
  for (const word of words) {
    const model = files.get(path(word)) ?? (names.has(word.toLowerCase()) ? word.toLowerCase() : undefined);
    const matches = byWord(word);
    const found = tests.filter((test) => matches(test) || (model !== undefined && isOf(test, model)));
    if (found.length === 0 && model === undefined) {
      const hint = didYouMean(word, [...tests.map(({ name }) => name), ...tests.map(({ file }) => file)]);
      return { ok: false, problem: diagnostic('cli.unknown-test', { name: word }, { hint }) };
    }
    for (const test of found) chosen.add(test);
  }
  const named = words.length === 0 ? tests : tests.filter((test) => chosen.has(test));
  if (expressions.length === 0) return { ok: true, tests: named };
  const matching = named.filter((test) => expressions.some((each) => matchesExpression(test, each)));
  const expression = expressions.join(' or ');
  return matching.length === 0 && named.length > 0
    ? { ok: false, problem: diagnostic('test.no-match', { expression }) }
    : { ok: true, tests: matching };
}

/** `tests/test_orders.yaml::test_revenue`, as SQLMesh calls a test. */
export const fullTestName = ({ file, name }: Pick<ModelTest, 'file' | 'name'>): string => `${file}::${name}`;

const path = (word: string): string => word.replace(/^\.\//, '').replaceAll('\\', '/');

function isOf({ subject }: ModelTest, model: string): boolean {
  return subject.kind === 'model' && subject.model.value.toLowerCase() === model;
}

function byWord(word: string): (test: ModelTest) => boolean {
  const at = word.lastIndexOf('::');
  if (at < 0) {
    const fits = wildcard(word);
    return (test) => fits(test.name) || test.file === path(word);
  }
  const [file, fits] = [path(word.slice(0, at)), wildcard(word.slice(at + 2))];
  return (test) => test.file === file && fits(test.name);
}

function matchesExpression(test: ModelTest, expression: string): boolean {
  const full = fullTestName(test);
  const isMatch = (term: string): boolean =>
    term.includes('*') ? wildcard(term)(full) : full.toLowerCase().includes(term.toLowerCase());
  return expression.split(/\s+or\s+/i).some((some) =>
    some.split(/\s+and\s+/i).every((written) => {
      const term = written.trim();
      const negated = /^not\s+(.*)$/i.exec(term);
      return negated === null ? isMatch(term) : !isMatch(negated[1] as string);
    }),
  );
}
