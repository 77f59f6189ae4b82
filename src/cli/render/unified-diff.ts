import { lineDiff } from '../../foundation/line-diff.ts';

/** The difference of two texts in the unified form that patch tools read, three lines around each change. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const hunks = lineDiff(linesOf(before), linesOf(after));
  return [`--- ${path}`, `+++ ${path}`, ...(hunks === '' ? [] : [hunks])].join('\n');
}

const linesOf = (text: string): readonly string[] =>
  (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
