/** Expressions that order and partition. */
import type { Identifier, OrderItem, WindowSpec } from '../tree.ts';
import type { SqlType } from '../types/sql-type.ts';
import type { Flow } from './columns.ts';
import type { NameScope, ResolveSession } from './name-scope.ts';

/** Expressions of a window: what it is partitioned and ordered by, and its frame's bounds. */
export function typeWindow(session: ResolveSession, scope: NameScope, spec: WindowSpec, flow: Flow): void {
  if (spec.base !== undefined) typeNamedWindow(session, scope, spec.base, flow);
  for (const expression of spec.partitionBy) session.typeExpression(session, scope, expression, flow);
  typeOrder(session, scope, spec.orderBy, flow);
  for (const bound of [spec.frame?.start, spec.frame?.end])
    if (bound?.offset !== undefined) session.typeExpression(session, scope, bound.offset, flow);
}

/** A named window flows into whatever is computed over it. A window that names itself is left alone. */
export function typeNamedWindow(
  session: ResolveSession,
  scope: NameScope,
  name: Identifier,
  flow: Flow,
): void {
  const key = name.name.toLowerCase();
  for (let at: NameScope | undefined = scope; at !== undefined; at = at.parent) {
    const position = at.windows.findIndex((window) => window.name.name.toLowerCase() === key);
    if (position < 0) continue;
    const { spec } = at.windows[position] as NameScope['windows'][number];
    typeWindow(session, { ...at, windows: at.windows.slice(0, position) }, spec, flow);
    return;
  }
}

export function typeOrder(
  session: ResolveSession,
  scope: NameScope,
  items: readonly OrderItem[],
  flow: Flow,
): SqlType[] {
  return items.map((item) => session.typeExpression(session, scope, item.expression, flow));
}
