/** Ranges of tokens between brackets and commas. */
import type { Token } from './token.ts';

/** Tokens from one index up to another one, without it. */
interface IndexRange {
  readonly from: number;
  readonly to: number;
}

const OPENING = new Set(['(', '[', '{']);
const CLOSING = new Set([')', ']', '}']);

/** Whether the token opens (+1) or closes (-1) a nesting; strings and quoted names never do. */
export function nesting(token: Token): -1 | 0 | 1 {
  if (token.kind !== 'symbol') return 0;
  return OPENING.has(token.text) ? 1 : CLOSING.has(token.text) ? -1 : 0;
}

/** The index in `tokens` of the bracket that closes the one at `open`, or -1. */
export function closingIndex(tokens: readonly Token[], open: number, to: number): number {
  let depth = 0;
  for (let i = open; i < to; i++) {
    depth += nesting(tokens[i] as Token);
    if (depth === 0) return i;
  }
  return -1;
}

/** The ranges between commas outside of brackets, empty ones too. `<…>` nests only where types are expected. */
export function commaRanges(
  tokens: readonly Token[],
  { from, to }: IndexRange,
  hasAngleBrackets = false,
): readonly IndexRange[] {
  const ranges: IndexRange[] = [];
  let depth = 0;
  let start = from;
  for (let i = from; i < to; i++) {
    const token = tokens[i] as Token;
    if (depth === 0 && token.kind === 'symbol' && token.text === ',') {
      ranges.push({ from: start, to: i });
      start = i + 1;
      continue;
    }
    depth += nesting(token);
    if (!hasAngleBrackets || token.kind !== 'symbol') continue;
    if (token.text === '<') depth++;
    else if (token.text === '>' || token.text === '>>') depth = Math.max(0, depth - token.text.length);
  }
  return [...ranges, { from: start, to }];
}
