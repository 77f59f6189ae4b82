/**
 * Replacing the children of a node without touching what stays the same. Its twin `each-child.ts` only looks at them, and
 * is therefore free of allocation; a test holds the two together.
 */
import { unreachable } from '../unreachable.ts';
import type { SqlNode } from './each-child.ts';
import type {
  Call,
  CommonTable,
  GroupItem,
  OrderItem,
  Pivot,
  Projection,
  Query,
  Select,
  Unpivot,
  WindowSpec,
} from './tree.ts';

/** Gives each child's replacement, or the child itself. It must not change what sort of node it is (expression, query, table). */
export type ReplaceChild = <Node extends SqlNode>(child: Node) => Node;

/** The list with every item replaced; the same list when nothing changed. */
function mapList<Item>(list: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  let result: Item[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as Item;
    const changed = change(item);
    if (result !== undefined) result.push(changed);
    else if (changed !== item) {
      result = list.slice(0, i);
      result.push(changed);
    }
  }
  return result ?? list;
}

/** The object with some fields replaced; the same object when they are the same. */
function withFields<Part extends object>(part: Part, fields: Partial<Part>): Part {
  for (const key in fields) if (fields[key] !== part[key]) return { ...part, ...fields };
  return part;
}

const optional = <Node extends SqlNode>(node: Node | undefined, change: ReplaceChild): Node | undefined =>
  node === undefined ? undefined : change(node);

/** Leaves out fields that were absent and still are, so that shapes stay as the parser made them. */
function present<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
  for (const key in fields) if (fields[key] === undefined) delete fields[key];
  return fields as { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };
}

/** The node with `change` applied to each child, in the order of the text; the same node when no child changed. */
export function mapChildren<Node extends SqlNode>(node: Node, change: ReplaceChild): Node;
export function mapChildren(node: SqlNode, change: ReplaceChild): SqlNode {
  switch (node.kind) {
    case 'column':
    case 'literal':
    case 'parameter':
    case 'table':
      return node;
    case 'star':
      return node.replace.length === 0
        ? node
        : withFields(node, { replace: mapProjections(node.replace, change) });
    case 'interval':
      return withFields(node, { value: change(node.value) });
    case 'unary':
    case 'is':
    case 'collate':
    case 'field':
      return withFields(node, { operand: change(node.operand) } as Partial<typeof node>);
    case 'binary':
      return withFields(node, { left: change(node.left), right: change(node.right) });
    case 'like':
      return withFields(
        node,
        present({
          operand: change(node.operand),
          pattern: change(node.pattern),
          escape: optional(node.escape, change),
        }),
      );
    case 'between':
      return withFields(node, {
        operand: change(node.operand),
        low: change(node.low),
        high: change(node.high),
      });
    case 'in': {
      const operand = change(node.operand);
      const { set } = node;
      if (set.kind === 'list')
        return withFields(node, { operand, set: withFields(set, { items: mapList(set.items, change) }) });
      if (set.kind === 'query')
        return withFields(node, { operand, set: withFields(set, { query: change(set.query) }) });
      return withFields(node, { operand, set: withFields(set, { expression: change(set.expression) }) });
    }
    case 'case':
      return withFields(
        node,
        present({
          operand: optional(node.operand, change),
          whens: mapList(node.whens, (item) =>
            // biome-ignore lint/suspicious/noThenProperty: the tree's word for it, and trees are never awaited
            withFields(item, { when: change(item.when), then: change(item.then) }),
          ),
          otherwise: optional(node.otherwise, change),
        }),
      );
    case 'cast':
      return withFields(
        node,
        present({ operand: change(node.operand), format: optional(node.format, change) }),
      );
    case 'call':
      return mapCall(node, change);
    case 'exists':
    case 'subquery':
    case 'nested':
    case 'derived':
      return withFields(node, { query: change(node.query) } as Partial<typeof node>);
    case 'list':
    case 'tuple':
      return withFields(node, { items: mapList(node.items, change) } as Partial<typeof node>);
    case 'struct':
      return withFields(node, {
        fields: mapList(node.fields, (item) => withFields(item, { value: change(item.value) })),
      });
    case 'map':
      return withFields(node, {
        entries: mapList(node.entries, (item) =>
          withFields(item, { key: change(item.key), value: change(item.value) }),
        ),
      });
    case 'subscript':
      return withFields(
        node,
        present({
          operand: change(node.operand),
          index: optional(node.index, change),
          upper: optional(node.upper, change),
          step: optional(node.step, change),
        }),
      );
    case 'lambda':
      return withFields(node, { body: change(node.body) });
    case 'comprehension':
      return withFields(
        node,
        present({
          result: change(node.result),
          source: change(node.source),
          condition: optional(node.condition, change),
        }),
      );
    case 'at-time-zone':
      return withFields(node, { operand: change(node.operand), zone: change(node.zone) });
    case 'query':
      return mapQuery(node, change);
    case 'select':
      return mapSelect(node, change);
    case 'set-operation':
      return withFields(node, { left: change(node.left), right: change(node.right) });
    case 'values':
      return withFields(node, { rows: mapList(node.rows, (row) => mapList(row, change)) });
    case 'pivot-statement':
      return withFields(node, { pivot: change(node.pivot) });
    case 'table-function':
      return withFields(node, { call: change(node.call) });
    case 'join':
      return withFields(
        node,
        present({ left: change(node.left), right: change(node.right), on: optional(node.on, change) }),
      );
    case 'aliased':
      return withFields(node, { table: change(node.table) });
    case 'pivot':
      return mapPivot(node, change);
    case 'unpivot':
      return mapUnpivot(node, change);
    default:
      return unreachable(node);
  }
}

function mapProjections(items: readonly Projection[], change: ReplaceChild): readonly Projection[] {
  return mapList(items, (item) => withFields(item, { expression: change(item.expression) }));
}

function mapOrder(items: readonly OrderItem[], change: ReplaceChild): readonly OrderItem[] {
  return mapList(items, (item) => withFields(item, { expression: change(item.expression) }));
}

function mapCall(node: Call, change: ReplaceChild): Call {
  const { over } = node;
  return withFields(
    node,
    present({
      arguments: mapList(node.arguments, (item) => withFields(item, { value: change(item.value) })),
      orderBy: mapOrder(node.orderBy, change),
      withinGroup: mapOrder(node.withinGroup, change),
      filter: optional(node.filter, change),
      over: over === undefined || 'quoted' in over ? over : mapWindow(over, change),
    }),
  );
}

function mapWindow(spec: WindowSpec, change: ReplaceChild): WindowSpec {
  const { frame } = spec;
  return withFields(
    spec,
    present({
      partitionBy: mapList(spec.partitionBy, change),
      orderBy: mapOrder(spec.orderBy, change),
      frame:
        frame === undefined
          ? undefined
          : withFields(
              frame,
              present({
                start: withFields(frame.start, present({ offset: optional(frame.start.offset, change) })),
                end:
                  frame.end === undefined
                    ? undefined
                    : withFields(frame.end, present({ offset: optional(frame.end.offset, change) })),
              }),
            ),
    }),
  );
}

function mapQuery(node: Query, change: ReplaceChild): Query {
  const tables = node.with;
  return withFields(
    node,
    present({
      with:
        tables === undefined
          ? undefined
          : withFields(tables, {
              tables: mapList(
                tables.tables,
                (table): CommonTable => withFields(table, { query: change(table.query) }),
              ),
            }),
      body: change(node.body),
      orderBy: node.orderBy === 'ALL' ? node.orderBy : mapOrder(node.orderBy, change),
      limit: optional(node.limit, change),
      offset: optional(node.offset, change),
    }),
  );
}

function mapSelect(node: Select, change: ReplaceChild): Select {
  const { groupBy } = node;
  return withFields(
    node,
    present({
      distinct: typeof node.distinct === 'string' ? node.distinct : mapList(node.distinct, change),
      projections: mapProjections(node.projections, change),
      from: mapList(node.from, change),
      where: optional(node.where, change),
      groupBy:
        groupBy === undefined
          ? undefined
          : withFields(groupBy, { items: mapList(groupBy.items, (item) => mapGroupItem(item, change)) }),
      having: optional(node.having, change),
      qualify: optional(node.qualify, change),
      windows: mapList(node.windows, (item) => withFields(item, { spec: mapWindow(item.spec, change) })),
    }),
  );
}

function mapGroupItem(item: GroupItem, change: ReplaceChild): GroupItem {
  if (item.kind === 'expression') return withFields(item, { expression: change(item.expression) });
  return withFields(item, { items: mapList(item.items, (inner) => mapGroupItem(inner, change)) });
}

function mapPivot(node: Pivot, change: ReplaceChild): Pivot {
  return withFields(node, {
    source: change(node.source),
    aggregates: mapProjections(node.aggregates, change),
    on: mapList(node.on, (item) =>
      withFields(
        item,
        present({
          expression: change(item.expression),
          values: item.values === undefined ? undefined : mapProjections(item.values, change),
        }),
      ),
    ),
    groupBy: mapList(node.groupBy, change),
  });
}

function mapUnpivot(node: Unpivot, change: ReplaceChild): Unpivot {
  return withFields(node, {
    source: change(node.source),
    columns: mapList(node.columns, (item) =>
      withFields(item, { expressions: mapList(item.expressions, change) }),
    ),
  });
}
