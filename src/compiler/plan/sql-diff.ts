import type { SnapshotContent } from '../../domain/snapshot.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { formatSql } from '../../foundation/sql/format/format-sql.ts';

const CONTEXT_LINES = 3;
/** Cells of the comparison's table; beyond, the whole middle is shown as replaced. */
const CELLS_MAX = 4_000_000;

/**
 * How the query of a model changed: as it is written, so that macros (those of time among them) stand as their author knows
 * them. Where the same text means something else now (a macro or a variable changed) it is shown with its macros filled.
 */
export function contentDiff(before: SnapshotContent, after: SnapshotContent): string {
  const dialects = { before: before.model.dialect, after: after.model.dialect };
  const written = diffOf([writtenQuery(before), writtenQuery(after)], dialects);
  return written === '' ? diffOf([before.expandedQuery, after.expandedQuery], dialects) : written;
}

const writtenQuery = ({ model: { source } }: SnapshotContent): string | undefined =>
  source.kind === 'sql' ? source.query.text : undefined;

function diffOf(
  [before, after]: readonly [before: string | undefined, after: string | undefined],
  dialects: { readonly before: Dialect; readonly after: Dialect },
): string {
  if (before === undefined || after === undefined) return '';
  return sqlDiff({ text: before, dialect: dialects.before }, { text: after, dialect: dialects.after });
}

/** A unified diff of two queries, both laid out the same way first, so that only what differs in meaning or words is shown. */
export function sqlDiff(
  before: { readonly text: string; readonly dialect: Dialect },
  after: { readonly text: string; readonly dialect: Dialect },
): string {
  return lineDiff(layOut(before).split('\n'), layOut(after).split('\n'));
}

function layOut({ text, dialect }: { readonly text: string; readonly dialect: Dialect }): string {
  const formatted = formatSql(text, dialect);
  return (formatted.ok ? formatted.value : text).trim();
}

interface Line {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Unified diff with three lines around each change; empty when nothing differs. */
export function lineDiff(before: readonly string[], after: readonly string[]): string {
  const lines = compareLines(before, after);
  const isShown = lines.map(() => false);
  lines.forEach(({ sign }, i) => {
    if (sign === ' ') return;
    const until = Math.min(lines.length - 1, i + CONTEXT_LINES);
    for (let k = Math.max(0, i - CONTEXT_LINES); k <= until; k++) isShown[k] = true;
  });
  const out: string[] = [];
  let [oldLine, newLine] = [1, 1];
  for (let i = 0; i < lines.length; i++) {
    if (isShown[i] && !isShown[i - 1]) out.push(hunkHead(lines, isShown, { i, oldLine, newLine }));
    const { sign, text } = lines[i] as Line;
    if (isShown[i]) out.push(`${sign}${text}`);
    if (sign !== '+') oldLine++;
    if (sign !== '-') newLine++;
  }
  return out.join('\n');
}

function hunkHead(
  lines: readonly Line[],
  isShown: readonly boolean[],
  { i, oldLine, newLine }: { readonly i: number; readonly oldLine: number; readonly newLine: number },
): string {
  let [oldCount, newCount] = [0, 0];
  for (let k = i; k < lines.length && isShown[k]; k++) {
    const { sign } = lines[k] as Line;
    if (sign !== '+') oldCount++;
    if (sign !== '-') newCount++;
  }
  return `@@ -${oldLine},${oldCount} +${newLine},${newCount} @@`;
}

/** The longest common subsequence by a table over the part between common beginning and common end. */
function compareLines(before: readonly string[], after: readonly string[]): readonly Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail++;
  const a = before.slice(head, before.length - tail);
  const b = after.slice(head, after.length - tail);
  const same = (text: string): Line => ({ sign: ' ', text });
  return [
    ...before.slice(0, head).map(same),
    ...middle(a, b),
    ...before.slice(before.length - tail).map(same),
  ];
}

function middle(a: readonly string[], b: readonly string[]): readonly Line[] {
  const removed = (text: string): Line => ({ sign: '-', text });
  const added = (text: string): Line => ({ sign: '+', text });
  const width = b.length + 1;
  if ((a.length + 1) * width > CELLS_MAX) return [...a.map(removed), ...b.map(added)];
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] =
        a[i] === b[j]
          ? (longest[(i + 1) * width + j + 1] as number) + 1
          : Math.max(longest[(i + 1) * width + j] as number, longest[i * width + j + 1] as number);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: ' ', text: a[i] as string });
      i++;
      j++;
    } else if (
      j >= b.length ||
      (i < a.length && (longest[(i + 1) * width + j] as number) >= (longest[i * width + j + 1] as number))
    )
      lines.push(removed(a[i++] as string));
    else lines.push(added(b[j++] as string));
  }
  return lines;
}
