import type { SourceRange } from '../../../foundation/diagnostics/diagnostic.ts';
import type { Token } from '../../../foundation/sql/token.ts';
import { closingIndex, commaRanges } from '../../../foundation/sql/token-ranges.ts';

/**
 * A run of tokens of one text: how values of a block are handed around.
 *
 *   cron '@daily', tags (a, b)      the file itself
 *        └──┬───┘       └─┬─┘
 *         slice         slice       offsets into `source.text`; `rangeOf` gives the place in the file
 *
 * When variables were replaced in a value, `source` is the new text and its `offset` leads back to the file.
 */
export interface Slice {
  readonly source: SliceSource;
  readonly tokens: readonly Token[];
  readonly from: number;
  readonly to: number;
}

/** A text and, when it is not the file as read, where its characters came from. */
export interface SliceSource {
  readonly file: string;
  readonly text: string;
  /** Offset in the file of an offset in `text`; an end inside replaced text is the end of what it replaced. */
  readonly offset?: (at: number, isEnd: boolean) => number;
}

export function sizeOf(slice: Slice): number {
  return slice.to - slice.from;
}

/** The nth token from the front; the closing `end` token when there are fewer. */
export function tokenAt(slice: Slice, index: number): Token {
  const at = slice.from + index;
  return (at < slice.to ? slice.tokens[at] : slice.tokens.at(-1)) as Token;
}

/** The source text from the first to the last token, comments in between included. */
export function textOf(slice: Slice): string {
  if (slice.to <= slice.from) return '';
  return slice.source.text.slice(
    (slice.tokens[slice.from] as Token).start,
    (slice.tokens[slice.to - 1] as Token).end,
  );
}

export function rangeOf(slice: Slice): SourceRange {
  const first = slice.tokens[Math.min(slice.from, slice.tokens.length - 1)] as Token;
  const last = slice.to > slice.from ? (slice.tokens[slice.to - 1] as Token) : undefined;
  return rangeIn(slice.source, first.start, last === undefined ? first.start : last.end);
}

function rangeIn(source: SliceSource, start: number, end: number): SourceRange {
  const offset = source.offset;
  return {
    file: source.file,
    start: offset === undefined ? start : offset(start, false),
    end: offset === undefined ? end : offset(end, true),
  };
}

export function part(slice: Slice, from: number, to: number): Slice {
  return { source: slice.source, tokens: slice.tokens, from: slice.from + from, to: slice.from + to };
}

/** What is inside when the whole slice is one pair of brackets (`(…)`, `[…]`, `ARRAY(…)`, `ARRAY[…]`); undefined otherwise. */
export function unwrap(slice: Slice): Slice | undefined {
  let from = slice.from;
  const first = slice.tokens[from];
  if (slice.to - from > 2 && first?.kind === 'word' && first.text.toUpperCase() === 'ARRAY') from++;
  const open = slice.tokens[from];
  if (open === undefined || open.kind !== 'symbol' || (open.text !== '(' && open.text !== '['))
    return undefined;
  if (closingIndex(slice.tokens, from, slice.to) !== slice.to - 1) return undefined;
  return { source: slice.source, tokens: slice.tokens, from: from + 1, to: slice.to - 1 };
}

/** No real file has deeper brackets around one value; the limit keeps hostile nesting linear. */
const WRAPS_MAX = 32;

/** The slice without the brackets around all of it, as long as what they hold `isWhole`. */
export function unwrapAll(slice: Slice, isWhole: (inner: Slice) => boolean): Slice {
  let value = slice;
  for (let i = 0; i < WRAPS_MAX; i++) {
    const inner = unwrap(value);
    if (inner === undefined || inner.to <= inner.from || !isWhole(inner)) break;
    value = inner;
  }
  return value;
}

/** Cuts at commas outside brackets; empty pieces (a trailing comma) are left out. `<…>` nests only where types are expected. */
export function splitAtCommas(slice: Slice, hasAngleBrackets = false): readonly Slice[] {
  const { source, tokens } = slice;
  return commaRanges(tokens, slice, hasAngleBrackets)
    .filter(({ from, to }) => from < to)
    .map((range) => ({ source, tokens, ...range }));
}

/** The items of a list value: what brackets hold, or the value itself as the only item. */
export function itemsOf(slice: Slice): readonly Slice[] {
  const inner = unwrap(slice);
  return inner === undefined ? [slice] : splitAtCommas(inner);
}

/** Whether the token is this word, in any case, and not quoted. */
export function isWord(token: Token | undefined, word: string): boolean {
  return token !== undefined && token.kind === 'word' && token.text.toUpperCase() === word;
}

export function isSymbol(token: Token | undefined, symbol: string): boolean {
  return token !== undefined && token.kind === 'symbol' && token.text === symbol;
}
