/** Replaces the half-open range `[start, end)` of a text; an empty range inserts. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** An edited text that remembers where its characters came from. */
export interface Spliced {
  readonly text: string;
  /** The offset in the original that an offset in `text` stands for; inside a replacement it is where the replaced range begins. */
  readonly originalOffset: (offset: number) => number;
}

/** The text with all edits made at once. Edits may come in any order; two that overlap are a bug and throw. */
export function splice(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  let result = '';
  let at = 0;
  for (const edit of inOrder(text, edits)) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

/** Like `splice`, with the way back: diagnostics about the result can point into the original. */
export function spliceWithMap(text: string, edits: readonly Edit[]): Spliced {
  const ordered = inOrder(text, edits);
  // One entry per edit: where its replacement begins and ends in the result, and where the original goes on.
  const begins: number[] = [];
  const ends: number[] = [];
  let shift = 0;
  for (const edit of ordered) {
    begins.push(edit.start + shift);
    ends.push(edit.start + shift + edit.text.length);
    shift += edit.text.length - (edit.end - edit.start);
  }
  const originalOffset = (offset: number): number => {
    let low = 0;
    let high = begins.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((begins[middle] as number) <= offset) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return offset;
    const edit = ordered[low - 1] as Edit;
    const past = offset - (ends[low - 1] as number);
    return past < 0 ? edit.start : edit.end + past;
  };
  return { text: splice(text, ordered), originalOffset };
}

function inOrder(text: string, edits: readonly Edit[]): readonly Edit[] {
  let isSorted = true;
  for (let i = 1; i < edits.length; i++)
    if ((edits[i] as Edit).start < (edits[i - 1] as Edit).start) isSorted = false;
  const ordered = isSorted ? edits : edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  let at = 0;
  for (const edit of ordered) {
    if (edit.start < at || edit.end < edit.start || edit.end > text.length)
      throw new Error(
        `edit ${edit.start}–${edit.end} overlaps another or lies outside the text (${text.length} characters)`,
      );
    at = edit.end;
  }
  return ordered;
}
