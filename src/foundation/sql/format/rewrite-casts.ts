import type { Dialect } from '../dialect.ts';
import { tokenize } from '../tokenize.ts';
import {
  type FormatGroup,
  type FormatLeaf,
  type FormatNode,
  firstLeaf,
  keyAt,
  leavesOf,
  nodesOf,
} from './format-nodes.ts';

/** Dialects in which `x::t` is a cast. */
const WITH_COLONS: ReadonlySet<Dialect> = new Set([
  'duckdb',
  'postgres',
  'redshift',
  'snowflake',
  'databricks',
]);
/** Casts inside casts, each rewritten in a round of its own. */
const ROUNDS_MAX = 50;

/** `CAST(x AS t)` as `x::t`. What holds a comment, or is followed by something that would belong to the type, stays. */
export function rewriteCasts(text: string, dialect: Dialect): string {
  if (!WITH_COLONS.has(dialect)) return text;
  let result = text;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const cut = tokenize(result, dialect);
    const nodes = cut.error === undefined ? nodesOf(leavesOf(result, cut.tokens, cut.comments)) : undefined;
    const edits = nodes === undefined ? [] : innermostCasts(nodes, result);
    if (edits.length === 0) return result;
    for (const { start, end, text: put } of edits.toReversed())
      result = result.slice(0, start) + put + result.slice(end);
  }
  return result;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function innermostCasts(nodes: readonly FormatNode[], text: string): readonly Edit[] {
  return nodes.flatMap((node, i): readonly Edit[] => {
    if (node.kind === 'group') return innermostCasts(node.items, text);
    const group = nodes[i + 1];
    if (node.keyword !== 'CAST' || group?.kind !== 'group' || group.open.key !== '(') return [];
    if (keyAt(nodes, i + 2) === '[' || keyAt(nodes, i + 2) === '.' || holdsComment([node, group])) return [];
    if (holdsCast(group.items)) return [];
    const put = castText(group, text);
    return put === undefined ? [] : [{ start: node.token.start, end: group.close.token.end, text: put }];
  });
}

function castText({ items }: FormatGroup, text: string): string | undefined {
  const at = items.findLastIndex((node) => node.kind === 'leaf' && node.keyword === 'AS');
  const [operand, type] = [items.slice(0, at), items.slice(at + 1)];
  if (at < 1 || type.length === 0) return undefined;
  const written = textOf(operand, text);
  return `${isPrimary(operand) ? written : `(${written})`}::${textOf(type, text)}`;
}

/** A dotted name, a number or text, a call, something in parentheses, or one of these cast already: what `::` binds to as a whole. */
function isPrimary(nodes: readonly FormatNode[]): boolean {
  const cast = nodes.findIndex((node) => node.kind === 'leaf' && node.key === '::');
  const before = cast < 0 ? nodes : nodes.slice(0, cast);
  const [last] = before.slice(-1);
  const names = last?.kind === 'group' ? before.slice(0, -1) : before;
  if (last?.kind === 'group' && last.open.key !== '(') return false;
  return (
    before.length > 0 &&
    names.every((node, i) => {
      if (node.kind === 'group' || node.keyword !== '') return false;
      const { kind } = node.token;
      return i % 2 === 1
        ? node.key === '.'
        : kind === 'word' || kind === 'name' || kind === 'number' || kind === 'string';
    })
  );
}

function textOf(nodes: readonly FormatNode[], text: string): string {
  const last = nodes.at(-1) as FormatNode;
  const end = last.kind === 'leaf' ? last : last.close;
  return text.slice(firstLeaf(nodes[0] as FormatNode).token.start, end.token.end);
}

const leavesIn = (nodes: readonly FormatNode[]): readonly FormatLeaf[] =>
  nodes.flatMap((node) => (node.kind === 'leaf' ? [node] : [node.open, ...leavesIn(node.items), node.close]));

const holdsCast = (nodes: readonly FormatNode[]): boolean =>
  leavesIn(nodes).some(({ keyword }) => keyword === 'CAST');

/** Comments before the word and behind the last sign stay where they are. */
function holdsComment(nodes: readonly FormatNode[]): boolean {
  const leaves = leavesIn(nodes);
  return (
    leaves.slice(1).some(({ leading }) => leading.length > 0) ||
    leaves.slice(0, -1).some(({ trailing }) => trailing.length > 0)
  );
}
