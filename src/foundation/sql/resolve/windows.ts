/** Expressions that order and partition. */
import type { OrderItem, WindowSpec } from '../tree.ts';
import type { SqlType } from '../types/sql-type.ts';
import { type Flow, NOWHERE } from './columns.ts';
import type { Scope, Session } from './scope.ts';

/** Expressions of a window: what it is partitioned and ordered by, and its frame's bounds. */
export function typeWindow(session: Session, scope: Scope, spec: WindowSpec, flow: Flow = NOWHERE): void {
  for (const expression of spec.partitionBy) session.typeExpression(session, scope, expression, flow);
  typeOrder(session, scope, spec.orderBy, flow);
  for (const bound of [spec.frame?.start, spec.frame?.end])
    if (bound?.offset !== undefined) session.typeExpression(session, scope, bound.offset, flow);
}

export function typeOrder(
  session: Session,
  scope: Scope,
  items: readonly OrderItem[],
  flow: Flow,
): SqlType[] {
  return items.map((item) => session.typeExpression(session, scope, item.expression, flow));
}
