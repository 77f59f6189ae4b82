import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../tests/support/cpu-time.ts';
import { compileText, modelFile } from '../../../tests/support/plan/compile-text.ts';
import { lineDiff } from '../../foundation/line-diff.ts';
import { snapshotContent } from '../render/snapshot-content.ts';
import { contentDiff, sqlDiff } from './sql-diff.ts';

/** Applies a unified diff whose context is the whole text. */
function patched(diff: string, sign: '-' | '+'): string[] {
  return diff
    .split('\n')
    .filter((line) => line.startsWith(' ') || (line.startsWith(sign) && line !== ''))
    .map((line) => line.slice(1));
}

describe('a diff of lines', () => {
  test('shows three lines around a change and where it is', () => {
    const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
    expect(lineDiff(before, before.with(4, 'E'))).toBe(
      ['@@ -2,7 +2,7 @@', ' b', ' c', ' d', '-e', '+E', ' f', ' g', ' h'].join('\n'),
    );
  });
  test('two far changes are two parts', () => {
    const before = Array.from({ length: 20 }, (_, i) => `line ${i}`);
    const after = before.with(1, 'x').with(18, 'y');
    expect(lineDiff(before, after).match(/@@ /g)?.length).toBe(2);
  });
  test('equal texts have none', () => expect(lineDiff(['a'], ['a'])).toBe(''));
  test('huge texts are shown as replaced instead of compared for ever', () => {
    const many = (word: string) => Array.from({ length: 5_000 }, (_, i) => `${word}${i}`);
    const from = cpuMs();
    expect(lineDiff(many('a'), many('b')).length).toBeGreaterThan(50_000);
    expect(cpuMs() - from).toBeLessThan(2_000);
  });
  const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 });
  test('both texts can be read out of it', () =>
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = lineDiff(before, after);
        if (diff === '') {
          expect(after).toEqual(before);
          return;
        }
        expect(patched(diff, '-')).toEqual(before);
        expect(patched(diff, '+')).toEqual(after);
      }),
    ));
});

test('queries are laid out before they are compared, so white space does not show', () => {
  const query = (text: string) => ({ text, dialect: 'duckdb' as const });
  expect(sqlDiff(query('SELECT a,b FROM t'), query('select a, b\nfrom t'))).toBe('');
  expect(sqlDiff(query('SELECT a FROM t'), query('SELECT a FROM t WHERE a > 1'))).toContain('+WHERE');
});

describe('the query of a model', () => {
  const contentOf = async (query: string, limit = 1) => {
    const compiled = await compileText({
      'config.yaml': `variables: {limit: ${limit}}\n`,
      'models/m.sql': modelFile('s.m', 'FULL', query),
    });
    return snapshotContent(compiled.project.models[0]!, compiled, {});
  };
  const text = (column: string) =>
    `SELECT ${column} AS x FROM raw.t WHERE d BETWEEN @start_ds AND @end_ds AND n < @limit`;

  test('is compared as it is written: macros of time are no dates of 1970', async () => {
    const diff = contentDiff(await contentOf(text('a')), await contentOf(text('b')));
    expect(diff).toContain('@start_ds');
    expect(diff).not.toContain('1970');
    expect(diff).toMatch(/^-.*a AS x/m);
    expect(diff).toMatch(/^\+.*b AS x/m);
  });
  test('that only means something else now is shown with its macros filled', async () => {
    const diff = contentDiff(await contentOf(text('a'), 1), await contentOf(text('a'), 2));
    expect(diff).toMatch(/^-.*n < 1/m);
    expect(diff).toMatch(/^\+.*n < 2/m);
  });
});
