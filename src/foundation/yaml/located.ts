import type { SourceRange } from '../diagnostics/diagnostic.ts';

/** A value and where it stands in its file (quotes included), so that what is found wrong later can still point at it. */
export interface Located<Value> {
  readonly value: Value;
  readonly start: number;
  readonly end: number;
}

/** Text with a language of its own inside (SQL, a rule): `pieces` are pairs of text offset and file offset, each valid until the next pair. */
export interface LocatedText extends Located<string> {
  readonly pieces: readonly number[];
}

/** The range of a located value in its file. */
export function rangeOf(
  file: string,
  located: { readonly start: number; readonly end: number },
): SourceRange {
  return { file, start: located.start, end: located.end };
}

/** The range in the file of a part of a located text. Never outside the value, whatever offsets are asked for; behind the end means its last character. */
export function rangeInText(file: string, located: LocatedText, from: number, to: number): SourceRange {
  const { length } = located.value;
  if (from >= length && length > 0) return rangeInText(file, located, length - 1, length);
  const start = fileOffset(located, from);
  const last = fileOffset(located, Math.max(from, to - 1));
  const end = to <= from ? start + 1 : last + 1;
  return { file, start: Math.min(start, located.end), end: Math.min(Math.max(end, start), located.end) };
}

function fileOffset(located: LocatedText, offset: number): number {
  const { pieces } = located;
  let at = located.start;
  for (let i = 0; i + 1 < pieces.length; i += 2) {
    const from = pieces[i] as number;
    if (from > offset) break;
    at = (pieces[i + 1] as number) + (offset - from);
  }
  return at;
}
