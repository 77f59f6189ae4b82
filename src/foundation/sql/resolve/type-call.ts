/** Function calls: lambdas, ordered-set aggregates, windows, and DuckDB's COLUMNS(…). */

import { foldsRows } from '../functions/folds-rows.ts';
import type { Call, Expression, Lambda, Literal } from '../tree.ts';
import { callResult } from '../types/functions.ts';
import { elementOf } from '../types/list-functions.ts';
import { BIGINT, listType, type SqlType, settle, UNKNOWN } from '../types/sql-type.ts';
import { unify } from '../types/unify.ts';
import { Deciders, Flow, use } from './columns.ts';
import { matchingColumns } from './matching-columns.ts';
import { type NameScope, type ResolveSession, withVariables } from './name-scope.ts';
import { typeNamedWindow, typeOrder, typeWindow } from './windows.ts';

/** The type of a call; what it is called on, ordered, filtered and windowed by flows into its value. */
export function typeCall(session: ResolveSession, scope: NameScope, e: Call, flow: Flow): SqlType {
  const name = e.name.name.toLowerCase();
  if (name === 'columns' && e.arguments.length === 1 && session.dialect === 'duckdb')
    return typeColumns(session, scope, e, flow);
  const types: SqlType[] = [];
  const names: (string | undefined)[] = [];
  for (const argument of e.arguments) {
    const { value } = argument;
    types.push(
      value.kind === 'lambda'
        ? typeLambda(session, scope, value, name, types, e, flow)
        : session.typeExpression(session, scope, value, flow),
    );
    names.push(argument.name?.name);
  }
  typeOrder(session, scope, e.orderBy, flow);
  const within = typeOrder(session, scope, e.withinGroup, flow);
  if (e.filter !== undefined) session.typeExpression(session, scope, e.filter, flow);
  if (e.over !== undefined) {
    const window = new Flow();
    if ('partitionBy' in e.over) typeWindow(session, scope, e.over, window);
    else typeNamedWindow(session, scope, e.over, window);
    flow.addSources(window.sources);
    flow.isAggregated ||= window.isAggregated;
    session.deciders.addSources(window.sources);
  }
  if (e.isStar) {
    flow.isAggregated ||= name === 'count';
    return BIGINT;
  }
  if (foldsRows(name)) flow.isAggregated = true;
  if (LAMBDA_RESULT.has(name)) return lambdaResult(name, types, e);
  return callResult({
    name: e.syntax === 'extract' ? 'date_part' : name,
    types: within.length > 0 ? [...within, ...types] : types,
    names,
    constantAt: (at) => constantText(e.arguments[at]?.value),
  });
}

function constantText(e: Expression | undefined): string | undefined {
  return e?.kind === 'literal' ? (e as Literal).text : undefined;
}

const LAMBDA_RESULT = new Set(['list_transform', 'array_transform', 'list_apply', 'array_apply', 'apply', 'transform', 'list_reduce', 'array_reduce', 'reduce']); // biome-ignore format: a list

function isReduction(name: string): boolean {
  return name.endsWith('reduce');
}

function typeLambda(
  session: ResolveSession,
  scope: NameScope,
  lambda: Lambda,
  name: string,
  before: readonly SqlType[],
  call: Call,
  flow: Flow,
): SqlType {
  const element = elementOf(before[0] ?? UNKNOWN);
  let parameters: SqlType[] = [element, BIGINT];
  if (isReduction(name)) {
    const initial = call.arguments[2]?.value;
    const start =
      initial === undefined ? element : settle(session.typeExpression(session, scope, initial, flow));
    parameters = [unify(start, element) ?? start, element, BIGINT];
  }
  return session.typeExpression(
    session,
    withVariables(scope, lambda.parameters, parameters),
    lambda.body,
    flow,
  );
}

function lambdaResult(name: string, types: readonly SqlType[], call: Call): SqlType {
  const body = types[1] ?? UNKNOWN;
  if (call.arguments[1]?.value.kind !== 'lambda') return UNKNOWN;
  return isReduction(name) ? settle(body) : listType(settle(body));
}

/**
 * `COLUMNS(…)` stands for one column at a time: the first time it is met it says how many there are (`columnsFound`),
 * and the caller that asked for the projection then asks again for each of the others (`columnsTarget`).
 */
function typeColumns(session: ResolveSession, scope: NameScope, e: Call, flow: Flow): SqlType {
  const found = matchingColumns(session, scope, (e.arguments[0] as { value: Expression }).value);
  session.columnsFound ??= found;
  // Each of them is asked for in its turn; in a condition all of them are meant at once.
  const isCondition = flow instanceof Deciders;
  for (const each of found.columns)
    if (isCondition) use(each, flow);
    else if (each.leaf !== undefined) each.leaf.isRead = true;
  const column = found.columns[session.columnsTarget];
  return column === undefined ? UNKNOWN : use(column, flow);
}
