import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type SelectionGraph, selectModels } from './select-models.ts';

/*      a ─┬─ b ─┬─ d ── e
 *         └─ c ─┘        f      */
const graph: SelectionGraph = {
  models: [
    { name: 'raw.a', tags: ['bronze'], parents: [], file: 'models/a.sql' },
    { name: 'stg.b', tags: ['silver', 'pii'], parents: ['raw.a'], file: 'models/b.sql' },
    { name: 'stg.c', tags: ['silver'], parents: ['raw.a', 'undeclared.x'], file: 'models/c.sql' },
    { name: 'marts.d', tags: ['gold'], parents: ['stg.b', 'stg.c'], file: 'models/d.sql' },
    { name: 'marts.e', tags: [], parents: ['marts.d'], file: 'models/e.sql' },
    { name: 'marts.f', tags: ['gold'], parents: [], file: 'models/f.sql' },
  ],
  changedFiles: (ref) => (ref === 'main' ? ['models/b.sql', 'README.md'] : []),
};

const short = (expression: string): string =>
  [...selectModels(expression, graph).names]
    .map((name) => name.slice(-1))
    .sort()
    .join('');

describe('selection', () => {
  test.each([
    ['marts.d', 'd'],
    ['MARTS.D', 'd'],
    ['d', 'd'],
    ['marts.*', 'def'],
    ['*.b', 'b'],
    ['*', 'abcdef'],
    ['tag:gold', 'df'],
    ['tag:*i*', 'bc'],
    ['+marts.d', 'abcd'],
    ['marts.d+', 'de'],
    ['+stg.b+', 'abde'],
    ['tag:gold & marts.d', 'd'],
    ['stg.b | stg.c', 'bc'],
    ['stg.b stg.c', 'bc'],
    ['stg.b,stg.c', 'bc'],
    ['^tag:gold', 'abce'],
    ['^^tag:gold', 'df'],
    ['marts.* & ^(d | e)', 'f'],
    ['+(stg.b | marts.f)', 'abf'],
    ['(stg.b|stg.c)+', 'bcde'],
    ['stg.b | stg.c & tag:pii', 'b'],
    ['git:main', 'b'],
    ['git:main+', 'bde'],
    ['stg.b +stg.c', 'abc'],
  ])('%s', (expression, expected) => {
    expect(short(expression)).toBe(expected);
    expect(selectModels(expression, graph).diagnostics).toEqual([]);
  });
  test('every wrong name is told at once, at its place, with the name that was probably meant', () => {
    const { diagnostics } = selectModels('marts.dd | nowhere | tag:none', graph);
    expect(diagnostics.map(({ code, at, hint }) => [code, at?.start, at?.end, hint])).toEqual([
      ['plan.unknown-model', 0, 8, 'did you mean marts.d?'],
      ['plan.unknown-model', 11, 18, 'plinth info lists the models; use * for part of a name'],
      ['plan.selects-nothing', 21, 29, undefined],
    ]);
  });
  test.each([
    ['(stg.b', 'a bracket is not closed'],
    ['stg.b &', 'it ends where a model was expected'],
    ['& stg.b', 'a model was expected before &'],
    ['stg.b)', ') has no meaning here'],
    ['', 'it ends where a model was expected'],
    ['('.repeat(1000), 'nested more than 64'],
    ['^'.repeat(1000), 'nested more than 64'],
  ])('%s is refused', (expression, problem) => {
    const { diagnostics } = selectModels(expression, graph);
    expect(diagnostics[0]?.code).toBe('plan.bad-selection');
    expect(diagnostics[0]?.message).toContain(problem);
  });
  test.each([
    'git:',
    'git:-',
    'git:--output=/tmp/x',
    'git:--end-of-options',
    'git:a\0b',
    `git:${'x'.repeat(2_000)}`,
  ])('%.20j never gets to git: it can name no commit', (expression) => {
    const asked: string[] = [];
    const changedFiles = (ref: string): readonly string[] => {
      asked.push(ref);
      return [];
    };
    const { diagnostics } = selectModels(expression, { ...graph, changedFiles });
    expect(asked).toEqual([]);
    expect(diagnostics[0]?.code).toBe('plan.bad-selection');
    expect(diagnostics[0]?.message).toContain('git: needs a branch, a tag or a commit');
    expect(diagnostics[0]?.message.length).toBeLessThan(300);
  });
  test('git without a repository is refused', () => {
    const { diagnostics } = selectModels('git:main', { models: graph.models });
    expect(diagnostics[0]?.message).toContain('git repository');
  });
  test('any text ends, and says either models or what is wrong', () =>
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab+^&|() *,:.'), maxLength: 40 }), (text) => {
        const { names, diagnostics } = selectModels(text, graph);
        return names.size > 0 || diagnostics.length > 0 || /[&^]/.test(text);
      }),
    ));
});
