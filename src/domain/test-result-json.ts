import { linePosition } from '../foundation/diagnostics/render-diagnostic.ts';
import type { DifferentRow, TestResult } from './model-test.ts';

/** How a test ended, as every door shows it. */
export function testResultJson(
  result: TestResult,
  sources: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  const { kind, test } = result;
  const text = sources.get(test.file);
  const line = (at: number): number | null => (text === undefined ? null : linePosition(text, at).line);
  const row = ({ cells, at }: DifferentRow) => ({ cells, line: at === undefined ? null : line(at.start) });
  return {
    name: test.name,
    description: test.description ?? null,
    file: test.file,
    line: line(test.start),
    model: test.subject.kind === 'model' ? test.subject.model.value : null,
    status: kind,
    ms: 'ms' in result ? Math.round(result.ms) : null,
    ...(result.kind === 'failed'
      ? {
          differences: result.differences.map((difference) => ({
            output: difference.output,
            columns: difference.columns,
            missing: difference.missing.map(row),
            unexpected: difference.unexpected.map(row),
            changed: difference.changed.map(({ expected, came, cells }) => ({
              expected: row(expected),
              came: row(came),
              columns: cells.map((at) => difference.columns[at]),
            })),
            order: difference.isOrder,
          })),
        }
      : {}),
  };
}
