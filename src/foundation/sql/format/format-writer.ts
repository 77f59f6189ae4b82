import type { Comment } from '../token.ts';
import { isSpaced } from './format-keywords.ts';
import type { FormatLeaf, FormatNode } from './format-nodes.ts';
import type { FormatOptions } from './format-options.ts';

/** The text so far; new lines begin at `indent` levels. */
export interface FormatWriter {
  readonly options: FormatOptions;
  out: string;
  /** Where the current line began. */
  lineStart: number;
  indent: number;
  previous: FormatLeaf | undefined;
  beforePrevious: FormatLeaf | undefined;
  /** A comment to the end of the line was written: the next token needs a new one. */
  mustBreak: boolean;
  /** Nothing is on the current line yet. */
  isFresh: boolean;
}

export function createWriter(options: FormatOptions): FormatWriter {
  return {
    options,
    out: '',
    lineStart: 0,
    indent: 0,
    previous: undefined,
    beforePrevious: undefined,
    mustBreak: false,
    isFresh: true,
  };
}

export function newLine(w: FormatWriter): void {
  if (w.isFresh) return;
  w.out += '\n';
  w.lineStart = w.out.length;
  w.isFresh = true;
  w.mustBreak = false;
}

function put(w: FormatWriter, text: string): void {
  if (w.isFresh) w.out += ' '.repeat(w.indent * w.options.indent);
  w.isFresh = false;
  w.out += text;
  const newline = text.lastIndexOf('\n');
  if (newline >= 0) w.lineStart = w.out.length - (text.length - newline - 1);
}

export function column(w: FormatWriter): number {
  return w.isFresh ? w.indent * w.options.indent : w.out.length - w.lineStart;
}

/** Whether so many characters more still fit on the line. */
export const fits = (w: FormatWriter, width: number): boolean => column(w) + 1 + width <= w.options.width;

/** One token with its comments; a line is broken only where a comment forces it. */
export function writeLeaf(w: FormatWriter, leaf: FormatLeaf): void {
  for (const comment of leaf.leading) {
    newLine(w);
    put(w, commentText(comment));
    newLine(w);
  }
  if (w.mustBreak) newLine(w);
  if (!w.isFresh && w.previous !== undefined && hasSpace(w.previous, leaf, w.beforePrevious)) put(w, ' ');
  put(w, leaf.text);
  writeTrailing(w, leaf.trailing);
  w.beforePrevious = w.previous;
  w.previous = leaf;
}

/** Comments behind what stands on the line. */
export function writeTrailing(w: FormatWriter, comments: readonly Comment[]): void {
  for (const comment of comments) {
    put(w, ` ${commentText(comment)}`);
    if (!comment.isBlock) w.mustBreak = true;
  }
}

const commentText = (comment: Comment): string => (comment.isBlock ? comment.text : comment.text.trimEnd());

/** Everything on one line, as far as comments allow. */
export function writeInline(w: FormatWriter, nodes: readonly FormatNode[]): void {
  for (const node of nodes) {
    if (node.kind === 'leaf') writeLeaf(w, node);
    else {
      writeLeaf(w, node.open);
      writeInline(w, node.items);
      writeLeaf(w, node.close);
    }
  }
}

/** Wider than any line may be. */
const WIDTH_MAX = 1000;

/** How many characters the nodes take on one line; infinite when a comment inside needs lines of its own. */
export function widthOf(nodes: readonly FormatNode[]): number {
  const state = {
    width: 0,
    previous: undefined as FormatLeaf | undefined,
    before: undefined as FormatLeaf | undefined,
  };
  measure(nodes, state);
  return state.width;
}

function measure(
  nodes: readonly FormatNode[],
  state: { width: number; previous: FormatLeaf | undefined; before: FormatLeaf | undefined },
): void {
  for (const node of nodes) {
    // How much too wide it is does not matter, so measuring stays cheap.
    if (state.width > WIDTH_MAX) return;
    if (node.kind === 'group') {
      measure([node.open], state);
      measure(node.items, state);
      measure([node.close], state);
      continue;
    }
    const isTall =
      node.leading.length > 0 ||
      node.trailing.some((comment) => !comment.isBlock || comment.text.includes('\n'));
    if (isTall) {
      state.width = Number.POSITIVE_INFINITY;
      return;
    }
    if (state.previous !== undefined && hasSpace(state.previous, node, state.before)) state.width++;
    state.width += node.text.length;
    for (const comment of node.trailing) state.width += comment.text.length + 1;
    state.before = state.previous;
    state.previous = node;
  }
}

const OPERATOR_BEFORE_SIGN = /^[-+*/%<>=|&^~!:]+$/;

/** Whether a sign stands before its operand and not between two. */
function isPrefix(before: FormatLeaf | undefined): boolean {
  if (before === undefined) return true;
  if (before.token.kind === 'symbol') return before.key !== ')' && before.key !== ']' && before.key !== '}';
  return isKeywordLeaf(before);
}

/** A word after which an operand begins. */
function isKeywordLeaf(leaf: FormatLeaf): boolean {
  return leaf.token.kind === 'word' && BEFORE_OPERAND.has(leaf.key);
}

const BEFORE_OPERAND = new Set(
  'ALL AND AS BETWEEN BY CASE DISTINCT ELSE FROM HAVING IN INTERVAL IS LIKE LIMIT NOT OFFSET ON OR QUALIFY SELECT THEN WHEN WHERE ILIKE ESCAPE'.split(
    ' ',
  ),
);

/** Whether a blank stands between two tokens. */
export function hasSpace(previous: FormatLeaf, next: FormatLeaf, before: FormatLeaf | undefined): boolean {
  const left = previous.token;
  const right = next.token;
  // Macros are glued by hand: @x, @{x}_y, x@{y}.
  if (left.kind === 'at') return !next.touches;
  if (next.touches && right.kind === 'at' && isGlue(previous)) return false;
  if (next.touches && left.text === '}' && right.kind !== 'symbol') return false;
  if (previous.isAngle || next.isAngle) return !next.touches;
  if (right.kind === 'symbol') {
    switch (right.text) {
      case ',':
      case ';':
      case ')':
      case ']':
      case '.':
      case '::':
      case '}':
        return false;
      case '(':
        return spaceBeforeParenthesis(previous, before);
      case '[':
        if (left.kind === 'word') return isKeywordLeaf(previous);
        return !(
          left.kind === 'name' ||
          left.text === ')' ||
          left.text === ']' ||
          left.text === '(' ||
          left.text === '[' ||
          left.text === '{' ||
          left.text === '.'
        );
      case ':':
        return !next.touches;
      default:
    }
  }
  if (left.kind === 'symbol') {
    switch (left.text) {
      case '(':
      case '[':
      case '{':
      case '.':
      case '::':
        return false;
      case ':':
        return !next.touches || before?.token.kind === 'string';
      case '-':
      case '+':
      case '~':
      case '!':
        if (isPrefix(before)) return OPERATOR_BEFORE_SIGN.test(right.text) || !isOperand(next);
        return true;
      case '#':
      case '@':
        return !next.touches;
      default:
    }
  }
  if (left.kind === 'number' && right.kind === 'word') return !next.touches;
  if (right.text === '%' && left.kind === 'number') return !next.touches;
  return true;
}

const isOperand = (leaf: FormatLeaf): boolean =>
  leaf.token.kind !== 'symbol' || leaf.key === '(' || leaf.key === '[';

/** What a macro may be glued to: the rest of a name. */
const isGlue = ({ token }: FormatLeaf): boolean =>
  token.kind === 'word' || token.kind === 'name' || token.text === '}';

function spaceBeforeParenthesis(previous: FormatLeaf, before: FormatLeaf | undefined): boolean {
  const { token, key } = previous;
  if (previous.isSpaced === true) return true;
  if (before?.token.kind === 'at') return false;
  if (token.kind === 'word') return isSpaced(key, before?.key ?? '');
  if (token.kind === 'name' || token.kind === 'parameter') return false;
  return !(
    key === '(' ||
    key === '[' ||
    key === '{' ||
    key === '.' ||
    key === ']' ||
    key === '@' ||
    key === '::'
  );
}
