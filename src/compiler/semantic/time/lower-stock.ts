/*
 * Semi-additive measures: amounts that may be added up over everything but time.
 *
 *   last, first      rows ── those at the latest time of their `per` ──▶ the aggregate
 *   avg, min, max    rows ── the aggregate per (`per`, time) ── the treatment over time ──▶ the sum over `per`
 */
import type { Expression, Query } from '../../../foundation/sql/tree.ts';
import { isWholeType } from '../../../foundation/sql/types/type-names.ts';
import { freshName, type LiftedValue, liftInputs } from '../lift-inputs.ts';
import type { Part, Variant } from '../logical-query.ts';
import { type PartSource, partSource, type Tables } from '../lower-part.ts';
import {
  allOf,
  binary,
  call,
  cast,
  column,
  derived,
  isNull,
  projection,
  query,
  select,
} from '../tree-nodes.ts';

type StockPart = Part & { readonly variant: Extract<Variant, { readonly kind: 'stock' }> };

/** The SELECT of a part with semi-additive components. */
export function lowerStock(part: StockPart, tables: Tables): Query {
  const { variant } = part;
  const names = new Set([...part.keys, ...part.components].map(({ name }) => name.toLowerCase()));
  const time = freshName('occurred_at', names);
  const per = variant.per.map((value): LiftedValue => ({ name: freshName('per', names), value }));
  const extra = new Map([
    [time, variant.time.value],
    ...per.map(({ name, value }) => [name, value] as const),
  ]);
  const stock: Stock = {
    part,
    source: partSource(part, tables, extra),
    keys: part.keys.map(({ name }) => name),
    time,
    per: per.map(({ name }) => name),
    names,
  };
  return variant.treatment === 'last' || variant.treatment === 'first'
    ? atTheEdge(stock, variant.treatment)
    : overTime(stock, variant.treatment);
}

interface Stock {
  readonly part: StockPart;
  readonly source: PartSource;
  /** Names of columns, like the next ones. */
  readonly keys: readonly string[];
  readonly time: string;
  readonly per: readonly string[];
  /** All that are taken, in lower case. */
  readonly names: Set<string>;
}

const named = (name: string): Expression => column(undefined, name);

function projected({ source, keys, time, per }: Stock): readonly ReturnType<typeof projection>[] {
  return [
    ...keys.map((name, i) => projection(source.keys[i] as Expression, name)),
    ...[...per, time].map((name) => projection(source.extra.get(name) as Expression, name)),
  ];
}

function atTheEdge(stock: Stock, treatment: 'first' | 'last'): Query {
  const { part, source, keys, time, per, names } = stock;
  const edge = freshName('edge', names);
  const calls = part.components.map((component) => ({ ...component, call: source.component(component) }));
  const { components, inputs } = liftInputs(calls, names);
  const rows = select({
    projections: [...projected(stock), ...inputs.map(({ name, value }) => projection(value, name))],
    from: source.from,
    where: source.where,
  });
  const over = { partitionBy: [...keys, ...per].map(named), orderBy: [] };
  const marked = select({
    projections: [
      ...[...keys, time, ...inputs.map(({ name }) => name)].map((name) => projection(named(name))),
      projection(call(treatment === 'last' ? 'MAX' : 'MIN', [named(time)], { over }), edge),
    ],
    from: derived(query(rows), 'facts'),
  });
  const isAtEdge = binary('=', named(time), named(edge));
  return query(
    select({
      projections: [
        ...keys.map((name) => projection(named(name), name)),
        // A filter, not a WHERE: a group of rows without time exists all the same.
        ...components.map(({ name, call: { filter, ...aggregate } }) => {
          const both = filter === undefined ? isAtEdge : (allOf([filter, isAtEdge]) as Expression);
          return projection({ ...aggregate, filter: both }, name);
        }),
      ],
      from: derived(query(marked), 'facts'),
      groupByFirst: keys.length,
    }),
  );
}

function overTime(stock: Stock, treatment: 'avg' | 'min' | 'max'): Query {
  const { part, source, keys, per, time } = stock;
  const atTimes = query(
    select({
      projections: [
        ...projected(stock),
        ...part.components.map((component) => projection(source.component(component), component.name)),
      ],
      from: source.from,
      where: source.where,
      groupByFirst: keys.length + per.length + 1,
    }),
  );
  const folded = (from: Query, by: readonly string[], aggregate: string, filter?: Expression): Query =>
    query(
      select({
        projections: [
          ...by.map((name) => projection(named(name), name)),
          ...part.components.map(({ name, type, isCount }) => {
            const value = call(aggregate, [named(name)], filter === undefined ? {} : { filter });
            // Sums of counts are wider than counts.
            const isWider = isCount && aggregate === 'SUM' && isWholeType(type);
            return projection(isWider ? cast(value, type) : value, name);
          }),
        ],
        from: derived(from, 'facts'),
        groupByFirst: by.length,
      }),
    );
  // Without `per` and keys there is one line, and the sum of one. Rows without time are in no period, but make their group exist.
  const hasTime = isNull(named(time), true);
  const perEach = folded(atTimes, [...keys, ...per], treatment.toUpperCase(), hasTime);
  return per.length === 0 ? perEach : folded(perEach, keys, 'SUM');
}
