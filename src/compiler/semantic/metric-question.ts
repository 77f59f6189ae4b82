import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Semantics } from '../../domain/semantics.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';

type Json = Readonly<Record<string, unknown>>;

const KEYS = [
  'granularity',
  'dimensions',
  'filters',
  'dateRange',
  'segments',
  'order',
  'limit',
  'offset',
  'total',
  'timezone',
];

/** A question about one metric as the JSON of a semantic query, in which names without a dot are columns of the metric. */
export function metricQuestion(
  { metrics }: Pick<Semantics, 'metrics'>,
  metric: string,
  request: unknown,
):
  | { readonly ok: true; readonly query: Json }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] } {
  const refused = (...diagnostics: readonly Diagnostic[]) => ({ ok: false, diagnostics }) as const;
  if (typeof request !== 'object' || request === null || Array.isArray(request))
    return refused(
      diagnostic('query.bad-shape', { path: 'the question', found: String(request), expected: 'an object' }),
    );
  const { granularity, dimensions = [], filters, dateRange, order, ...rest } = request as Json;
  const unknown = Object.keys(request).filter((key) => !KEYS.includes(key));
  if (unknown.length > 0)
    return refused(
      ...unknown.map((key) => diagnostic('query.unknown-key', { key }, { hint: didYouMean(key, KEYS) })),
    );
  if (granularity !== undefined && typeof granularity !== 'string')
    return refused(
      diagnostic('query.bad-shape', { path: 'granularity', found: String(granularity), expected: 'text' }),
    );
  const known = metrics.find(({ name }) => name.value.toLowerCase() === metric.toLowerCase());
  if (known === undefined) return refused(diagnostic('metric.unknown', { name: metric }));
  const named = (name: unknown): unknown =>
    typeof name !== 'string' || name.includes('.') || name === metric ? name : `${metric}.${name}`;
  const ts = `${metric}.ts`;
  // A derived metric takes its time from its inputs.
  const isTimeless = known.ts === undefined && known.calculation.kind !== 'derived';
  const time =
    granularity === 'none' || (granularity === undefined && isTimeless)
      ? []
      : [granularity === undefined ? ts : `${ts}.${granularity}`];
  return {
    ok: true,
    query: {
      ...rest,
      measures: [metric],
      dimensions: Array.isArray(dimensions) ? [...time, ...dimensions.map(named)] : dimensions,
      ...(filters === undefined ? {} : { filters: namedFilters(filters, named) }),
      ...(dateRange === undefined ? {} : { timeDimensions: [{ dimension: ts, dateRange }] }),
      ...(order === undefined ? {} : { order: namedOrder(order, named) }),
    },
  };
}

/** The reader of queries reports whatever has another shape. */
function namedFilters(filters: unknown, named: (name: unknown) => unknown, depth = 0): unknown {
  if (!Array.isArray(filters) || depth > 100) return filters;
  return filters.map((filter: unknown) => {
    if (typeof filter !== 'object' || filter === null) return filter;
    return Object.fromEntries(
      Object.entries(filter).map(([key, value]) => {
        if (key === 'member' || key === 'dimension') return [key, named(value)];
        return key === 'and' || key === 'or' ? [key, namedFilters(value, named, depth + 1)] : [key, value];
      }),
    );
  });
}

function namedOrder(order: unknown, named: (name: unknown) => unknown): unknown {
  if (Array.isArray(order))
    return order.map((each: unknown) => {
      if (Array.isArray(each)) return [named(each[0]), ...each.slice(1)];
      return typeof each === 'object' && each !== null && 'member' in each
        ? { ...each, member: named(each.member) }
        : each;
    });
  if (typeof order !== 'object' || order === null) return order;
  return Object.fromEntries(Object.entries(order).map(([key, value]) => [String(named(key)), value]));
}
