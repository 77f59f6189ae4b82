import type { QueryFilter } from '../../domain/semantic-query.ts';

export type MemberFilterLeaf = Extract<QueryFilter, { readonly kind: 'member' }>;

/** The conjuncts of filters that must all hold: nested ANDs are taken apart. */
export function conjuncts(filters: readonly QueryFilter[]): readonly QueryFilter[] {
  const found: QueryFilter[] = [];
  const pending: QueryFilter[] = filters.toReversed();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const isGroup = next.kind === 'and' || (next.kind === 'or' && next.filters.length === 1);
    if (isGroup && next.kind !== 'member') pending.push(...next.filters.toReversed());
    else found.push(next);
  }
  return found;
}

/** The leaves of a filter tree. */
export function leavesOf(filter: QueryFilter): readonly MemberFilterLeaf[] {
  const found: MemberFilterLeaf[] = [];
  const pending: QueryFilter[] = [filter];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.kind === 'member') found.push(next);
    else pending.push(...next.filters.toReversed());
  }
  return found;
}
