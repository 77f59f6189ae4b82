import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

/** What a patch tool does: takes the lines of the hunks away and puts the others there. */
function patched(before: string, diff: string): string {
  const old = before.split('\n').slice(0, -1);
  const out: string[] = [];
  let at = 0;
  for (const line of diff.split('\n').slice(2)) {
    const head = /^@@ -(\d+),(\d+) \+\d+,\d+ @@$/.exec(line);
    if (head !== null) {
      const start = Number(head[1]) - (head[2] === '0' ? 0 : 1);
      out.push(...old.slice(at, start));
      at = start;
    } else if (line[0] === '+') out.push(line.slice(1));
    else {
      if (old[at++] !== line.slice(1)) throw new Error(`the diff says ${line}`);
      if (line[0] === ' ') out.push(line.slice(1));
    }
  }
  return [...out, ...old.slice(at)].map((line) => `${line}\n`).join('');
}

describe('a unified diff', () => {
  test('shows three lines around a change', () =>
    expect(unifiedDiff('a.sql', '1\n2\n3\n4\n5\n6\n7\n8\n9\n', '1\n2\n3\n4\nfive\n6\n7\n8\n9\n')).toBe(
      '--- a.sql\n+++ a.sql\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8',
    ));
  test('turns the one text into the other', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', 'select', ''), { minLength: 1, maxLength: 30 })
      .map((lines) => lines.map((line) => `${line}\n`).join(''));
    fc.assert(
      fc.property(text, text, (before, after) => patched(before, unifiedDiff('x', before, after)) === after),
    );
  });
});
