import type { Comment, Token } from '../token.ts';
import { isKeyword } from './format-keywords.ts';

/** A token with the comments that belong to it: those on lines of their own before it, and those after it on its line. */
export interface FormatLeaf {
  readonly kind: 'leaf';
  readonly token: Token;
  /** As it is written: keywords in capitals. */
  readonly text: string;
  /** The word in capitals when it is a keyword here, else empty. */
  readonly keyword: string;
  /** In capitals for words, else as it is. */
  readonly key: string;
  readonly leading: readonly Comment[];
  readonly trailing: readonly Comment[];
  /** Nothing stood between this token and the one before it. */
  readonly touches: boolean;
  /** `<` and `>` of a type, which are not comparisons. */
  readonly isAngle: boolean;
  /** A blank stands before the parenthesis that follows, though the word is not a keyword. */
  readonly isSpaced?: boolean;
}

/** Something enclosed: parentheses, brackets, braces, or CASE … END. */
export interface FormatGroup {
  readonly kind: 'group';
  readonly open: FormatLeaf;
  readonly items: readonly FormatNode[];
  readonly close: FormatLeaf;
}

export type FormatNode = FormatLeaf | FormatGroup;

/** Tokens with their comments; the last leaf is the end. */
export function leavesOf(
  text: string,
  tokens: readonly Token[],
  comments: readonly Comment[],
): readonly FormatLeaf[] {
  const leaves: FormatLeaf[] = [];
  let next = 0;
  let leading: Comment[] = [];
  let angles = 0;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    while (next < comments.length && (comments[next] as Comment).start < token.start)
      leading.push(comments[next++] as Comment);
    const trailing: Comment[] = [];
    let end = token.end;
    while (token.kind !== 'end' && next < comments.length) {
      const comment = comments[next] as Comment;
      const following = tokens[i + 1]?.start ?? text.length;
      if (comment.start > following || text.slice(end, comment.start).includes('\n')) break;
      trailing.push(comment);
      end = comment.end;
      next++;
    }
    const before = tokens[i - 1];
    const key = keyOf(token);
    const isWord =
      token.kind === 'word' && isKeyword(key, { before: keyOf(before), after: keyOf(tokens[i + 1]) });
    const isAngle =
      (key === '<' && ANGLED.has(keyOf(before))) ||
      (angles > 0 && (key === '<' || key === '>' || key === '>>'));
    if (isAngle) angles = Math.max(0, angles + (key === '<' ? 1 : -key.length));
    else if (key === ';') angles = 0;
    leaves.push({
      kind: 'leaf',
      token,
      key,
      text: isWord ? key : token.text,
      keyword: isWord ? key : '',
      leading,
      trailing,
      touches: before?.end === token.start,
      isAngle,
    });
    leading = [];
  }
  return withCommasFirst(leaves);
}

/** Types whose elements stand between `<` and `>`. */
const ANGLED = new Set(['ARRAY', 'STRUCT', 'MAP', 'NULLABLE', 'LIST']);

function keyOf(token: Token | undefined): string {
  if (token === undefined || token.kind === 'end') return '';
  return token.kind === 'word' ? token.text.toUpperCase() : token.text;
}

/** `a -- x` followed by a comma or semicolon: the sign goes before the comment, which stays on its line. */
function withCommasFirst(leaves: readonly FormatLeaf[]): readonly FormatLeaf[] {
  const moved = [...leaves];
  for (let i = 0; i + 1 < moved.length; i++) {
    const leaf = moved[i] as FormatLeaf;
    const sign = moved[i + 1] as FormatLeaf;
    if ((sign.key !== ',' && sign.key !== ';') || sign.leading.length > 0 || sign.trailing.length > 0)
      continue;
    if (!leaf.trailing.some((comment) => !comment.isBlock)) continue;
    moved[i] = { ...leaf, trailing: [] };
    moved[i + 1] = { ...sign, trailing: leaf.trailing };
  }
  return moved;
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', CASE: 'END' };

/** The leaves as nested groups; undefined when they do not close. */
export function nodesOf(leaves: readonly FormatLeaf[]): readonly FormatNode[] | undefined {
  interface Open {
    readonly open: FormatLeaf | undefined;
    readonly items: FormatNode[];
  }
  const stack: Open[] = [{ open: undefined, items: [] }];
  for (const leaf of leaves) {
    const top = stack.at(-1) as Open;
    const opens = leaf.token.kind === 'symbol' || leaf.keyword === 'CASE' ? CLOSING[leaf.key] : undefined;
    if (opens !== undefined) {
      stack.push({ open: leaf, items: [] });
      if (stack.length > DEPTH_MAX) return undefined;
      continue;
    }
    const isClosing =
      leaf.key === ')' ||
      leaf.key === ']' ||
      leaf.key === '}' ||
      (leaf.keyword === 'END' && top.open?.key === 'CASE');
    if (!isClosing || leaf.token.kind === 'string' || leaf.token.kind === 'name') {
      top.items.push(leaf);
      continue;
    }
    if (top.open === undefined || CLOSING[top.open.key] !== leaf.key) return undefined;
    stack.pop();
    (stack.at(-1) as Open).items.push({ kind: 'group', open: top.open, items: top.items, close: leaf });
  }
  return stack.length === 1 ? (stack[0] as Open).items : undefined;
}

const DEPTH_MAX = 400;

export function firstLeaf(node: FormatNode): FormatLeaf {
  return node.kind === 'leaf' ? node : node.open;
}

/** The key of a leaf, the opening sign of a group; empty past an end. */
export function keyAt(nodes: readonly FormatNode[], index: number): string {
  const node = nodes[index];
  return node === undefined ? '' : firstLeaf(node).key;
}
