/*
 * Text that remembers where it came from.
 *
 *   SELECT @x, a        user's text
 *   SELECT 1, a         pieces: "SELECT " copied, "1" made by [7, 9), ", a" copied
 *
 * A copied piece leads back character by character; a made piece leads back to the whole macro that made it.
 */
import type { OffsetMap } from './expansion.ts';

/** A run of text and the range of the user's file it stands for; when `isCopied`, both have the same length and characters. */
export interface Piece {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly isCopied: boolean;
}

/** A text with the pieces that make it up, in order. */
export interface Fragment {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

/** A half-open range of the user's file. */
export interface FilePlace {
  readonly start: number;
  readonly end: number;
}

export const EMPTY: Fragment = { text: '', pieces: [] };

/** Text as it stands in the file from `start` on. */
export function copiedFragment(text: string, start: number): Fragment {
  return text === '' ? EMPTY : { text, pieces: [{ text, start, end: start + text.length, isCopied: true }] };
}

/** Text that a macro at `place` made. */
export function madeFragment(text: string, place: FilePlace): Fragment {
  return text === ''
    ? EMPTY
    : { text, pieces: [{ text, start: place.start, end: place.end, isCopied: false }] };
}

/** Collects pieces; neighbours that continue each other in the file become one. */
export class FragmentBuilder {
  private readonly pieces: Piece[] = [];
  length = 0;

  add(fragment: Fragment): void {
    for (const piece of fragment.pieces) this.addPiece(piece);
  }

  addMade(text: string, place: FilePlace): void {
    if (text !== '') this.addPiece({ text, start: place.start, end: place.end, isCopied: false });
  }

  addPiece(piece: Piece): void {
    this.length += piece.text.length;
    const last = this.pieces.at(-1);
    if (last?.isCopied && piece.isCopied && last.end === piece.start)
      this.pieces[this.pieces.length - 1] = {
        text: last.text + piece.text,
        start: last.start,
        end: piece.end,
        isCopied: true,
      };
    else this.pieces.push(piece);
  }

  /** The last characters written, at most `count`. */
  tail(count: number): string {
    let text = '';
    for (let i = this.pieces.length - 1; i >= 0 && text.length < count; i--)
      text = (this.pieces[i] as Piece).text.slice(-(count - text.length)) + text;
    return text;
  }

  fragment(): Fragment {
    const only = this.pieces.length === 1 ? this.pieces[0] : undefined;
    return {
      text: only === undefined ? this.pieces.map(({ text }) => text).join('') : only.text,
      pieces: this.pieces,
    };
  }
}

function slicePiece(piece: Piece, from: number, to: number): Piece {
  const text = piece.text.slice(from, to);
  return piece.isCopied
    ? { text, start: piece.start + from, end: piece.start + to, isCopied: true }
    : { ...piece, text };
}

/** The part of a fragment between two offsets of its text. */
export function sliceFragment(fragment: Fragment, from: number, to: number): Fragment {
  if (from <= 0 && to >= fragment.text.length) return fragment;
  if (to <= from) return EMPTY;
  const pieces: Piece[] = [];
  let at = 0;
  for (const piece of fragment.pieces) {
    const end = at + piece.text.length;
    if (at >= to) break;
    if (end > from) pieces.push(slicePiece(piece, Math.max(0, from - at), Math.min(to, end) - at));
    at = end;
  }
  return { text: fragment.text.slice(from, to), pieces };
}

/** The fragment without blanks around it. */
export function trimmed(fragment: Fragment): Fragment {
  const { text } = fragment;
  const start = text.length - text.trimStart().length;
  return sliceFragment(fragment, start, Math.max(start, text.trimEnd().length));
}

/** Everything that does not come from within `place` is said to come from `place`: how text of a definition appears at its use. */
export function anchored(fragment: Fragment, place: FilePlace): Fragment {
  const pieces = fragment.pieces.map((piece) =>
    piece.start >= place.start && piece.end <= place.end ? piece : { ...piece, ...place, isCopied: false },
  );
  return { text: fragment.text, pieces };
}

/** Puts texts (made at `place`) and fragments together: a template of an operator's result. */
export function assemble(place: FilePlace, ...parts: readonly (string | Fragment)[]): Fragment {
  const builder = new FragmentBuilder();
  for (const part of parts) {
    if (typeof part === 'string') builder.addMade(part, place);
    else builder.add(part);
  }
  return builder.fragment();
}

/** Fragments with a text between them. */
export function joined(fragments: readonly Fragment[], separator: string, place: FilePlace): Fragment {
  const only = fragments[0];
  if (fragments.length === 1 && only !== undefined) return only;
  const builder = new FragmentBuilder();
  fragments.forEach((fragment, i) => {
    if (i > 0) builder.addMade(separator, place);
    builder.add(fragment);
  });
  return builder.fragment();
}

/** Leads ranges of the text back to the file. Searches by halving, so long texts with many macros stay cheap. */
export function offsetMap(fragment: Fragment): OffsetMap {
  const { pieces } = fragment;
  let ends: number[] | undefined;
  const pieceAt = (offset: number): { readonly piece: Piece; readonly at: number } | undefined => {
    if (ends === undefined) {
      let sum = 0;
      ends = pieces.map((piece) => (sum += piece.text.length));
    }
    let low = 0;
    let high = pieces.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] as number) > offset) high = middle;
      else low = middle + 1;
    }
    const piece = pieces[low];
    return piece === undefined ? undefined : { piece, at: (ends[low] as number) - piece.text.length };
  };
  return {
    original(start, end) {
      const first = pieceAt(start);
      if (first === undefined) return { start: 0, end: 0 };
      const last = pieceAt(Math.max(start, end - 1)) ?? first;
      const from = first.piece.isCopied
        ? Math.min(first.piece.start + (start - first.at), first.piece.end)
        : first.piece.start;
      const to = last.piece.isCopied
        ? Math.min(last.piece.start + Math.max(0, end - last.at), last.piece.end)
        : last.piece.end;
      // Arguments may come out in another order than they went in.
      return to >= from ? { start: from, end: to } : { start: last.piece.start, end: first.piece.end };
    },
  };
}
