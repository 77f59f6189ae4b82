import type { Expression, OrderItem, Query, Select } from '../../../foundation/sql/tree.ts';
import { rewrite, type SqlNode, walk } from '../../../foundation/sql/walk.ts';
import type { LogicalQuery } from '../logical-query.ts';
import { column, derived, projection } from '../tree-nodes.ts';
import type { CompiledBlock } from './compiled-block.ts';

/** The pieces of a compiled SELECT; in their trees `placeholders` stand for the outputs of the logical query. */
export interface BlockPieces {
  /** DISTINCT, QUALIFY and windows. */
  readonly written: Select;
  /** How the rows of the core are called. */
  readonly alias: string;
  readonly list: readonly { readonly name: string; readonly expression: Expression }[];
  readonly having: readonly Expression[];
  readonly orderBy: readonly OrderItem[] | 'ALL';
  readonly logical: LogicalQuery;
  readonly placeholders: readonly string[];
  readonly lower: (logical: LogicalQuery, aliases: readonly string[]) => Query;
}

/** A SELECT of the core itself where it says everything, else one around it. */
export function blockTree(pieces: BlockPieces): CompiledBlock {
  const { logical, placeholders, having } = pieces;
  const places = new Map(placeholders.map((name, i) => [name, i]));
  const outputAt = (i: number) => logical.outputs[i] as LogicalQuery['outputs'][number];
  const asked: LogicalQuery = {
    ...logical,
    order: [],
    having: having.map((tree) => replaced(tree, places, (i) => outputAt(i).value)),
  };
  const outputs = pieces.list.map(({ name, expression }) => {
    const at = placeIn(expression, places);
    return { name, ...(at === undefined ? {} : { of: outputAt(at).column }) };
  });
  return flat(pieces, asked, places, outputs) ?? wrapped(pieces, asked, places, outputs);
}

type Places = ReadonlyMap<string, number>;

function placeIn(node: SqlNode, places: Places): number | undefined {
  return node.kind === 'column' && node.qualifiers.length === 0 ? places.get(node.name.name) : undefined;
}

function replaced<Tree extends SqlNode>(tree: Tree, places: Places, value: (i: number) => Expression): Tree {
  return rewrite(tree, (node) => {
    const at = placeIn(node, places);
    return at === undefined ? node : value(at);
  });
}

/** When the list is the keys and then measures, and nothing else is asked of them. */
function flat(
  { written, list, orderBy, lower }: BlockPieces,
  logical: LogicalQuery,
  places: Places,
  outputs: CompiledBlock['outputs'],
): CompiledBlock | undefined {
  if (written.distinct !== 'none' || written.qualify !== undefined || written.windows.length > 0)
    return undefined;
  const shown = list.map(({ expression }) => placeIn(expression, places));
  const { keys } = logical;
  if (shown.includes(undefined) || new Set(shown).size < shown.length || shown.length < keys.length)
    return undefined;
  if (!keys.every((_, i) => shown[i] === i)) return undefined;
  const names = list.map(({ name }) => name);
  const items = orderBy === 'ALL' ? [] : orderBy;
  const ordered = items.map((item): OrderItem | undefined => {
    const at = placeIn(item.expression, places);
    if (at === undefined) return isOutput(item.expression, places) ? item : undefined;
    const name = names[shown.indexOf(at)];
    return name === undefined ? undefined : { ...item, expression: column(undefined, name) };
  });
  if (ordered.includes(undefined)) return undefined;
  const trimmed = {
    ...logical,
    outputs: shown.map((i) => logical.outputs[i as number] as LogicalQuery['outputs'][number]),
  };
  const { body, with: common } = lower(trimmed, names);
  if (body.kind !== 'select' || common !== undefined) return undefined;
  return {
    select: { ...body, span: written.span },
    orderBy: orderBy === 'ALL' ? orderBy : (ordered as readonly OrderItem[]),
    outputs,
  };
}

/** A number or a name of the list: nothing of the core. */
function isOutput(tree: Expression, places: Places): boolean {
  let isPlain = tree.kind === 'literal' || tree.kind === 'column';
  walk(tree, (node) => {
    isPlain &&= placeIn(node, places) === undefined;
  });
  return isPlain;
}

function wrapped(
  { written, alias, list, orderBy, lower }: BlockPieces,
  logical: LogicalQuery,
  places: Places,
  outputs: CompiledBlock['outputs'],
): CompiledBlock {
  const taken = new Set<string>();
  const names = logical.outputs.map(({ column: { name } }, i) => {
    const base = logical.keys[i]?.name ?? (name.split('.').at(-1) as string).toLowerCase();
    let own = base;
    for (let n = 2; taken.has(own); n++) own = `${base}_${n}`;
    taken.add(own);
    return own;
  });
  const inner = lower(logical, names);
  const table = alias.toLowerCase();
  const put = <Tree extends SqlNode>(tree: Tree): Tree =>
    replaced(tree, places, (i) => column(table, names[i] as string));
  const select: Select = {
    ...put(written),
    projections: list.map(({ name, expression }) => projection(put(expression), name)),
    from: [derived(inner, table)],
  };
  return {
    select,
    orderBy:
      orderBy === 'ALL' ? orderBy : orderBy.map((item) => ({ ...item, expression: put(item.expression) })),
    outputs,
  };
}
