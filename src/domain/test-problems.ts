import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { diagnostic } from './diagnostics/catalog.ts';
import type { TestDifference, TestResult } from './model-test.ts';

/** What is wrong with a test, at the first row that is different; nothing when it passed. */
export function testProblems(result: TestResult): readonly Diagnostic[] {
  if (result.kind === 'broken') return result.diagnostics;
  if (result.kind !== 'failed') return [];
  const { test, differences } = result;
  const rows = differences.flatMap(({ changed, missing, isOrder }) =>
    isOrder ? [] : [...changed.map(({ expected }) => expected), ...missing],
  );
  const { start, end } = rows.find(({ at }) => at !== undefined)?.at ?? test;
  const detail = differenceInWords(differences);
  return [diagnostic('test.failed', { name: test.name, detail }, { at: { file: test.file, start, end } })];
}

/** What is different, in one line. */
export function differenceInWords(differences: readonly TestDifference[]): string {
  return differences
    .map(({ output, missing, unexpected, changed, isOrder }) => {
      const where = output === 'query' ? '' : `in the common table expression ${output} `;
      if (isOrder) return `${where}the rows come in another order`;
      const parts = [
        ...(changed.length === 0 ? [] : [`${rows(changed.length)} came with other values`]),
        ...(missing.length === 0 ? [] : [`${rows(missing.length, 'expected ')} did not come`]),
        ...(unexpected.length === 0 ? [] : [`${rows(unexpected.length)} came that nothing expects`]),
      ];
      return where + parts.join(', ');
    })
    .join('; ');
}

const rows = (count: number, what = ''): string => `${count} ${what}row${count === 1 ? '' : 's'}`;
