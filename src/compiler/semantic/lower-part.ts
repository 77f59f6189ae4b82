/*
 * The rows of a part as SQL.
 *
 *   no fan-out   FROM fact LEFT JOIN … WHERE …                                      one row for each row of the fact
 *   fan-out      FROM (SELECT DISTINCT row, keys, inputs                            one row for each row of the fact and group
 *                      FROM (SELECT *, row_number() OVER () AS row FROM fact) LEFT JOIN … WHERE …)
 *
 * Row numbers are right even when a declared key is wrong or NULL.
 */
import type { Call, Expression, Query, TableExpression } from '../../foundation/sql/tree.ts';
import type { IndexedModel } from './indexed-model.ts';
import type { Component, Part } from './logical-query.ts';
import { allOf, call, column, derived, join, NOWHERE, projection, query, select } from './tree-nodes.ts';

/** Where the rows of semantic models are. */
export interface Tables {
  /** The rows the caller may see, under an alias. */
  readonly table: (model: IndexedModel, alias: string) => TableExpression;
}

/** Everything a SELECT over a part needs. */
export interface PartSource {
  readonly from: TableExpression;
  readonly where?: Expression | undefined;
  /** The values of the keys, in order. */
  readonly keys: readonly Expression[];
  readonly component: (component: Component) => Call;
  /** The further expressions that were asked for, by name. */
  readonly extra: ReadonlyMap<string, Expression>;
}

const ROW = 'row_number';

/** The rows of a part, each of its fact once for each tuple of keys and further expressions. */
export function partSource(
  part: Part,
  tables: Tables,
  extra: ReadonlyMap<string, Expression> = new Map(),
): PartSource {
  if (!part.isFannedOut)
    return {
      from: joined(part, tables.table(part.fact, factAlias(part)), tables),
      where: allOf(part.where),
      keys: part.keys.map(({ value }) => value),
      component: ({ call: bound }) => bound,
      extra,
    };
  const alias = factAlias(part);
  const inputs = new Inputs(alias);
  const calls = new Map(part.components.map((component) => [component.name, inputs.take(component)]));
  const names = part.keys.map(({ name }) => name);
  const inner = select({
    projections: [
      projection(column(alias, ROW)),
      ...part.keys.map(({ value, name }) => projection(value, name)),
      ...inputs.projections,
      ...[...extra].map(([name, value]) => projection(value, name)),
    ],
    from: joined(part, numbered(part, tables), tables),
    where: allOf(part.where),
    isDistinct: true,
  });
  return {
    from: derived(query(inner), alias),
    keys: names.map((name) => column(alias, name)),
    component: ({ name }) => calls.get(name) as Call,
    extra: new Map([...extra.keys()].map((name) => [name, column(alias, name)])),
  };
}

/** A part as a query of its own: keys, then components, by their names. */
export function plainPart(part: Part, tables: Tables): Query {
  const source = partSource(part, tables);
  return query(
    select({
      projections: [
        ...part.keys.map(({ name }, i) => projection(source.keys[i] as Expression, name)),
        ...part.components.map((component) => projection(source.component(component), component.name)),
      ],
      from: source.from,
      where: source.where,
      groupByFirst: part.keys.length,
    }),
  );
}

function factAlias({ nodes, fact }: Part): string {
  return nodes[0]?.alias ?? fact.name;
}

function joined(
  { nodes, buckets }: Pick<Part, 'nodes' | 'buckets'>,
  fact: TableExpression,
  tables: Tables,
): TableExpression {
  let from = fact;
  for (const { alias, model, join: how } of nodes)
    if (how !== undefined) from = join(from, tables.table(model, alias), { type: 'left', on: how.on });
  return buckets === undefined ? from : join(from, buckets.table, { type: 'inner', on: buckets.on });
}

/** The rows of nodes, joined, without telling apart those of the fact; for sub-queries of `time/`. */
export function joinedNodes(part: Pick<Part, 'nodes'>, tables: Tables): TableExpression {
  const [fact] = part.nodes;
  if (fact === undefined) throw new Error('a part has no nodes');
  return joined({ nodes: part.nodes }, tables.table(fact.model, fact.alias), tables);
}

/** The fact with a number for each row. */
function numbered(part: Part, tables: Tables): TableExpression {
  const alias = factAlias(part);
  const number = call('ROW_NUMBER', [], { over: { partitionBy: [], orderBy: [] } });
  return derived(
    query(
      select({
        projections: [
          projection({ kind: 'star', qualifiers: [], exclude: [], replace: [], rename: [], span: NOWHERE }),
          projection(number, ROW),
        ],
        from: tables.table(part.fact, alias),
      }),
    ),
    alias,
  );
}

/** What aggregates read, as columns of the inner query. */
class Inputs {
  readonly projections: ReturnType<typeof projection>[] = [];
  readonly #alias: string;

  constructor(alias: string) {
    this.#alias = alias;
  }

  take({ name, call: bound }: Component): Call {
    const put = (value: Expression, suffix: string): Expression => {
      if (value.kind === 'literal') return value;
      this.projections.push(projection(value, `${name}${suffix}`));
      return column(this.#alias, `${name}${suffix}`);
    };
    return {
      ...bound,
      arguments: bound.arguments.map((argument, i) => ({
        ...argument,
        value: put(argument.value, i === 0 ? '_input' : `_input_${i + 1}`),
      })),
      orderBy: bound.orderBy.map((item, i) => ({ ...item, expression: put(item.expression, `_order_${i}`) })),
      withinGroup: bound.withinGroup.map((item, i) => ({
        ...item,
        expression: put(item.expression, `_within_${i}`),
      })),
      ...(bound.filter === undefined ? {} : { filter: put(bound.filter, '_filter') }),
    };
  }
}
