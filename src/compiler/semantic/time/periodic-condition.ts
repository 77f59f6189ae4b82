/*
 * A filter about the time of a window and other things: what it says of the time is asked of the period, the rest of each row.
 *
 *   (order_date in January) or (status = 'done')   ──▶   [the period has some of January] OR status = 'done'
 */
import type { QueryFilter } from '../../../domain/semantic-query.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import type { Expression } from '../../../foundation/sql/tree.ts';
import { conjuncts, leavesOf } from '../filter-leaves.ts';
import { allOf, anyOf, booleanLiteral } from '../tree-nodes.ts';

/** How the parts of a filter become conditions. */
export interface PeriodicPlace {
  readonly isOfPeriod: (leaf: Extract<QueryFilter, { readonly kind: 'member' }>) => boolean;
  readonly ofPeriod: (filter: QueryFilter) => Expression | Diagnostic;
  readonly ofRow: (filter: QueryFilter) => Expression | Diagnostic;
}

export function periodicCondition(filter: QueryFilter, place: PeriodicPlace): Expression | Diagnostic {
  const isOfPeriod = (each: QueryFilter): boolean => leavesOf(each).every(place.isOfPeriod);
  if (isOfPeriod(filter)) return place.ofPeriod(filter);
  if (!leavesOf(filter).some(place.isOfPeriod)) return place.ofRow(filter);
  if (filter.kind === 'member') throw new Error('a single filter is about one thing');
  // Parts of an AND leave the times that all of them leave.
  const parts = filter.kind === 'and' ? gathered(conjuncts([filter]), isOfPeriod) : filter.filters;
  const conditions: Expression[] = [];
  for (const part of parts) {
    const condition = periodicCondition(part, place);
    if ('code' in condition) return condition;
    conditions.push(condition);
  }
  return filter.kind === 'and' ? (allOf(conditions) ?? booleanLiteral(true)) : anyOf(conditions);
}

function gathered(
  filters: readonly QueryFilter[],
  isOfPeriod: (filter: QueryFilter) => boolean,
): readonly QueryFilter[] {
  const times = filters.filter(isOfPeriod);
  const others = filters.filter((each) => !isOfPeriod(each));
  return times.length === 0 ? others : [{ kind: 'and', filters: times }, ...others];
}
