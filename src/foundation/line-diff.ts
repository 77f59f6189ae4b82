/** One line of a difference: kept, taken away or added. */
interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

const CONTEXT_LINES = 3;
/** Cells of the comparison's table; beyond, the whole middle is shown as replaced: the table would not fit in memory. */
const CELLS_MAX = 4_000_000;

/** The hunks of a unified diff, three lines around each change, as patch tools read them; empty when nothing differs. */
export function lineDiff(before: readonly string[], after: readonly string[]): string {
  const lines = comparedLines(before, after);
  const isShown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).some(({ sign }) => sign !== ' '),
  );
  const out: string[] = [];
  let [oldLine, newLine] = [1, 1];
  for (let at = 0; at < lines.length; ) {
    if (!isShown[at]) {
      oldLine++;
      newLine++;
      at++;
      continue;
    }
    let end = at;
    while (end < lines.length && isShown[end]) end++;
    const hunk = lines.slice(at, end);
    const olds = hunk.filter(({ sign }) => sign !== '+').length;
    const news = hunk.filter(({ sign }) => sign !== '-').length;
    // Of no lines the head names the line before.
    out.push(`@@ -${oldLine - (olds === 0 ? 1 : 0)},${olds} +${newLine - (news === 0 ? 1 : 0)},${news} @@`);
    out.push(...hunk.map(({ sign, text }) => `${sign}${text}`));
    oldLine += olds;
    newLine += news;
    at = end;
  }
  return out.join('\n');
}

function comparedLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before.at(-1 - tail) === after.at(-1 - tail)
  )
    tail++;
  const kept = (text: string): DiffLine => ({ sign: ' ', text });
  return [
    ...before.slice(0, head).map(kept),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(kept),
  ];
}

/** By the longest common subsequence of lines. */
function middle(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const removed = (text: string): DiffLine => ({ sign: '-', text });
  const added = (text: string): DiffLine => ({ sign: '+', text });
  const width = after.length + 1;
  if ((before.length + 1) * width > CELLS_MAX) return [...before.map(removed), ...after.map(added)];
  const longest = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      longest[i * width + j] =
        before[i] === after[j]
          ? (longest[(i + 1) * width + j + 1] as number) + 1
          : Math.max(longest[(i + 1) * width + j] as number, longest[i * width + j + 1] as number);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ sign: ' ', text: before[i] as string });
      i++;
      j++;
    } else if (
      j >= after.length ||
      (i < before.length &&
        (longest[(i + 1) * width + j] as number) >= (longest[i * width + j + 1] as number))
    )
      lines.push(removed(before[i++] as string));
    else lines.push(added(after[j++] as string));
  }
  return lines;
}
