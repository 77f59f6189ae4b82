import type { QueryFilter, SemanticQuery } from '../../domain/semantic-query.ts';

type Json = Readonly<Record<string, unknown>>;

/** A query as clients send it: `readSemanticQuery` makes the same query of it. */
export function writtenQuery({ filters, order, ...query }: SemanticQuery): Json {
  return {
    ...query,
    ...(filters === undefined ? {} : { filters: filters.map(writtenFilter) }),
    ...(order === undefined ? {} : { order: order.map(({ member, direction }) => [member, direction]) }),
  };
}

const writtenFilter = (filter: QueryFilter): Json =>
  filter.kind === 'member'
    ? { member: filter.member, operator: filter.operator, values: filter.values }
    : { [filter.kind]: filter.filters.map(writtenFilter) };
