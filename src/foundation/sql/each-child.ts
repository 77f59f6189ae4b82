import { unreachable } from '../unreachable.ts';
import type {
  Call,
  Expression,
  GroupItem,
  OrderItem,
  Pivot,
  Projection,
  Query,
  QueryBody,
  Select,
  TableExpression,
  WindowSpec,
} from './tree.ts';

/** Anything with a `kind` that a pass stops at. */
export type SqlNode = Expression | Query | QueryBody | TableExpression;

type Visit = (child: SqlNode) => void;

/** Calls `visit` with each direct child of a node, in the order of the text (a FROM comes after its SELECT's projections). */
export function eachChild(node: SqlNode, visit: Visit): void {
  switch (node.kind) {
    case 'column':
    case 'literal':
    case 'parameter':
    case 'table':
      return;
    case 'star':
      eachProjection(node.replace, visit);
      return;
    case 'interval':
      visit(node.value);
      return;
    case 'unary':
    case 'is':
    case 'collate':
    case 'field':
      visit(node.operand);
      return;
    case 'binary':
    case 'set-operation':
      visit(node.left);
      visit(node.right);
      return;
    case 'like':
      visit(node.operand);
      visit(node.pattern);
      if (node.escape !== undefined) visit(node.escape);
      return;
    case 'between':
      visit(node.operand);
      visit(node.low);
      visit(node.high);
      return;
    case 'in':
      visit(node.operand);
      if (node.set.kind === 'list') each(node.set.items, visit);
      else visit(node.set.kind === 'query' ? node.set.query : node.set.expression);
      return;
    case 'case':
      if (node.operand !== undefined) visit(node.operand);
      for (const item of node.whens) {
        visit(item.when);
        visit(item.then);
      }
      if (node.otherwise !== undefined) visit(node.otherwise);
      return;
    case 'cast':
      visit(node.operand);
      if (node.format !== undefined) visit(node.format);
      return;
    case 'call':
      eachInCall(node, visit);
      return;
    case 'exists':
    case 'subquery':
    case 'nested':
    case 'derived':
      visit(node.query);
      return;
    case 'list':
    case 'tuple':
      each(node.items, visit);
      return;
    case 'struct':
      for (const field of node.fields) visit(field.value);
      return;
    case 'map':
      for (const entry of node.entries) {
        visit(entry.key);
        visit(entry.value);
      }
      return;
    case 'subscript':
      visit(node.operand);
      if (node.index !== undefined) visit(node.index);
      if (node.upper !== undefined) visit(node.upper);
      if (node.step !== undefined) visit(node.step);
      return;
    case 'lambda':
      visit(node.body);
      return;
    case 'comprehension':
      visit(node.result);
      visit(node.source);
      if (node.condition !== undefined) visit(node.condition);
      return;
    case 'at-time-zone':
      visit(node.operand);
      visit(node.zone);
      return;
    case 'query':
      eachInQuery(node, visit);
      return;
    case 'select':
      eachInSelect(node, visit);
      return;
    case 'values':
      for (const row of node.rows) each(row, visit);
      return;
    case 'pivot-statement':
      visit(node.pivot);
      return;
    case 'table-function':
      visit(node.call);
      return;
    case 'join':
      visit(node.left);
      visit(node.right);
      if (node.on !== undefined) visit(node.on);
      return;
    case 'aliased':
      visit(node.table);
      return;
    case 'pivot':
      eachInPivot(node, visit);
      return;
    case 'unpivot':
      visit(node.source);
      for (const column of node.columns) each(column.expressions, visit);
      return;
    default:
      unreachable(node);
  }
}

function each(nodes: readonly SqlNode[], visit: Visit): void {
  for (let i = 0; i < nodes.length; i++) visit(nodes[i] as SqlNode);
}

function eachProjection(items: readonly Projection[], visit: Visit): void {
  for (let i = 0; i < items.length; i++) visit((items[i] as Projection).expression);
}

function eachOrder(items: readonly OrderItem[], visit: Visit): void {
  for (let i = 0; i < items.length; i++) visit((items[i] as OrderItem).expression);
}

function eachInCall(node: Call, visit: Visit): void {
  for (const argument of node.arguments) visit(argument.value);
  eachOrder(node.orderBy, visit);
  eachOrder(node.withinGroup, visit);
  if (node.filter !== undefined) visit(node.filter);
  if (node.over !== undefined && !('quoted' in node.over)) eachInWindow(node.over, visit);
}

function eachInWindow(spec: WindowSpec, visit: Visit): void {
  each(spec.partitionBy, visit);
  eachOrder(spec.orderBy, visit);
  if (spec.frame?.start.offset !== undefined) visit(spec.frame.start.offset);
  if (spec.frame?.end?.offset !== undefined) visit(spec.frame.end.offset);
}

function eachInQuery(node: Query, visit: Visit): void {
  if (node.with !== undefined) for (const table of node.with.tables) visit(table.query);
  visit(node.body);
  if (node.orderBy !== 'ALL') eachOrder(node.orderBy, visit);
  if (node.limit !== undefined) visit(node.limit);
  if (node.offset !== undefined) visit(node.offset);
}

function eachInSelect(node: Select, visit: Visit): void {
  if (typeof node.distinct !== 'string') each(node.distinct, visit);
  eachProjection(node.projections, visit);
  each(node.from, visit);
  if (node.where !== undefined) visit(node.where);
  if (node.groupBy !== undefined) for (const item of node.groupBy.items) eachInGroupItem(item, visit);
  if (node.having !== undefined) visit(node.having);
  if (node.qualify !== undefined) visit(node.qualify);
  for (const window of node.windows) eachInWindow(window.spec, visit);
}

function eachInGroupItem(item: GroupItem, visit: Visit): void {
  if (item.kind === 'expression') visit(item.expression);
  else for (const inner of item.items) eachInGroupItem(inner, visit);
}

function eachInPivot(node: Pivot, visit: Visit): void {
  visit(node.source);
  eachProjection(node.aggregates, visit);
  for (const item of node.on) {
    visit(item.expression);
    if (item.values !== undefined) eachProjection(item.values, visit);
  }
  each(node.groupBy, visit);
}
