/** One line of a difference: kept, taken away or added. */
interface DiffLine {
  readonly kind: ' ' | '-' | '+';
  readonly text: string;
}

const CONTEXT = 3;
/** Larger differences are shown as everything replaced: the table would not fit in memory. */
const CELLS_MAX = 4_000_000;

/** The difference of two texts in the unified form that patch tools read, three lines around each change. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const lines = diffLines(linesOf(before), linesOf(after));
  const shown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ kind }) => kind !== ' '),
  );
  const out = [`--- ${path}`, `+++ ${path}`];
  let [oldLine, newLine] = [1, 1];
  for (let at = 0; at < lines.length; ) {
    if (!shown[at]) {
      oldLine++;
      newLine++;
      at++;
      continue;
    }
    let end = at;
    while (end < lines.length && shown[end]) end++;
    const hunk = lines.slice(at, end);
    const olds = hunk.filter(({ kind }) => kind !== '+').length;
    const news = hunk.filter(({ kind }) => kind !== '-').length;
    out.push(
      `@@ -${olds === 0 ? oldLine - 1 : oldLine},${olds} +${news === 0 ? newLine - 1 : newLine},${news} @@`,
    );
    for (const { kind, text } of hunk) out.push(`${kind}${text}`);
    oldLine += olds;
    newLine += news;
    at = end;
  }
  return out.join('\n');
}

const linesOf = (text: string): readonly string[] =>
  (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');

function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before.at(-1 - tail) === after.at(-1 - tail)
  )
    tail++;
  const kept = (text: string): DiffLine => ({ kind: ' ', text });
  return [
    ...before.slice(0, head).map(kept),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(kept),
  ];
}

/** By the longest common subsequence of lines. */
function middle(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const [rows, columns] = [before.length, after.length];
  const isTooLarge = rows * columns > CELLS_MAX;
  const width = columns + 1;
  const lengths = new Uint32Array(isTooLarge ? 0 : (rows + 1) * width);
  if (!isTooLarge)
    for (let i = rows - 1; i >= 0; i--)
      for (let j = columns - 1; j >= 0; j--)
        lengths[i * width + j] =
          before[i] === after[j]
            ? (lengths[(i + 1) * width + j + 1] as number) + 1
            : Math.max(lengths[(i + 1) * width + j] as number, lengths[i * width + j + 1] as number);
  const out: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < rows || j < columns) {
    if (!isTooLarge && i < rows && j < columns && before[i] === after[j]) {
      out.push({ kind: ' ', text: before[i] as string });
      i++;
      j++;
    } else if (
      i < rows &&
      (isTooLarge ||
        j >= columns ||
        (lengths[(i + 1) * width + j] as number) >= (lengths[i * width + j + 1] as number))
    )
      out.push({ kind: '-', text: before[i++] as string });
    else out.push({ kind: '+', text: after[j++] as string });
  }
  return out;
}
