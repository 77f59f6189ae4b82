/*
 * The rows of a part as SQL.
 *
 *   no fan-out   FROM fact LEFT JOIN … WHERE …                                      one row for each row of the fact
 *   fan-out      FROM (SELECT DISTINCT row, keys, inputs                            one row for each row of the fact and group
 *                      FROM (SELECT *, row_number() OVER () AS row FROM fact) LEFT JOIN … WHERE …)
 *
 * Row numbers are right even when a declared key is wrong or NULL.
 *
 * What hangs on a node that rows may lack is joined with that node first, for engines keep LEFT JOINs as they are written:
 *
 *   FROM lines LEFT JOIN (suppliers LEFT JOIN nations ON …) ON …                    nations are looked up once for each supplier
 */
import type { Call, Expression, Query, TableExpression } from '../../foundation/sql/tree.ts';
import { walk } from '../../foundation/sql/walk.ts';
import type { IndexedModel } from './indexed-model.ts';
import { freshName } from './lift-inputs.ts';
import type { Component, JoinNode, Part } from './logical-query.ts';
import { requiredNodes, untrueWithout } from './required-nodes.ts';
import { allOf, call, column, derived, join, NOWHERE, projection, query, select } from './tree-nodes.ts';
import { withNarrowJoins } from './with-narrow-joins.ts';

/** Where the rows of semantic models are. */
export interface Tables {
  /** The rows the caller may see, under an alias. */
  readonly table: (model: IndexedModel, alias: string) => TableExpression;
  /** Numbering all rows is costly there, so that a declared key identifies them. */
  readonly hasCostlyNumbers?: boolean;
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
  const inputs = new Inputs(alias, [...part.keys.map(({ name }) => name), ...extra.keys()]);
  const calls = new Map(part.components.map((component) => [component.name, inputs.take(component)]));
  const names = part.keys.map(({ name }) => name);
  const identity = identityOf(part, tables);
  const [own, others] = identity.isNumbered ? split(part) : [[], part.where];
  const from = identity.isNumbered
    ? numbered(part, own, identity.columns[0] as string, tables)
    : tables.table(part.fact, alias);
  const inner = select({
    projections: [
      ...identity.columns.map((name) => projection(column(alias, name), inputs.name(name))),
      ...part.keys.map(({ value, name }) => projection(value, name)),
      ...inputs.projections,
      ...[...extra].map(([name, value]) => projection(value, name)),
    ],
    from: joined(part, from, tables),
    where: allOf(others),
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
export function plainPart(whole: Part, tables: Tables): Query {
  const part = withNarrowJoins(whole);
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
  { nodes, where, buckets }: Pick<Part, 'nodes' | 'where' | 'buckets'>,
  fact: TableExpression,
  tables: Tables,
): TableExpression {
  let from = fact;
  const required = requiredNodes(nodes, where);
  const [first] = nodes;
  // What leaves rows out comes first, so that the other joins have less to do; no node comes before its parent.
  const early = new Set([first?.alias]);
  for (const { alias, join: how } of nodes)
    if (how !== undefined && required.has(alias) && early.has(how.parent)) early.add(alias);
  const inner = nestedNodes(nodes, required);
  const withNested = ({ alias, model }: JoinNode): TableExpression =>
    (inner.get(alias) ?? []).reduce<TableExpression>(
      (left, node) => join(left, withNested(node), { type: 'left', on: node.join.on }),
      tables.table(model, alias),
    );
  const nested = new Set([...inner.values()].flat().map(({ alias }) => alias));
  for (const isEarly of [true, false])
    for (const node of nodes) {
      const { alias, join: how } = node;
      if (how === undefined || early.has(alias) !== isEarly || nested.has(alias)) continue;
      from = join(from, withNested(node), { type: required.has(alias) ? 'inner' : 'left', on: how.on });
    }
  return buckets === undefined ? from : join(from, buckets.table, { type: 'inner', on: buckets.on });
}

type JoinedNode = JoinNode & Required<Pick<JoinNode, 'join'>>;

/**
 * Nodes that are joined with their parent before it is joined itself, by the alias of the parent. Both ways are the same when a
 * parent without a match has no match either; and the parent has at most the rows it had, so that little is lost if they are many.
 */
function nestedNodes(
  nodes: readonly JoinNode[],
  required: ReadonlySet<string>,
): ReadonlyMap<string, readonly JoinedNode[]> {
  const nested = new Map<string, JoinedNode[]>();
  const optional = new Set<string>();
  for (const { alias, model, join: how } of nodes) {
    if (how === undefined || required.has(alias) || !how.edge.isToOne) continue;
    optional.add(alias);
    if (!optional.has(how.parent) || !untrueWithout(how.on).has(how.parent)) continue;
    const siblings = nested.get(how.parent) ?? [];
    siblings.push({ alias, model, join: how });
    nested.set(how.parent, siblings);
  }
  return nested;
}

/** The rows of nodes, joined, without telling apart those of the fact; for sub-queries of `time/`. */
export function joinedNodes(part: Pick<Part, 'nodes'>, tables: Tables): TableExpression {
  const [fact] = part.nodes;
  if (fact === undefined) throw new Error('a part has no nodes');
  return joined({ nodes: part.nodes, where: [] }, tables.table(fact.model, fact.alias), tables);
}

/** What identifies rows of the fact. */
function identityOf(
  { fact }: Part,
  { hasCostlyNumbers }: Tables,
): { readonly isNumbered: boolean; readonly columns: readonly string[] } {
  if (hasCostlyNumbers === true && fact.key.length > 0) return { isNumbered: false, columns: fact.key };
  let name = 'row_number';
  for (let n = 2; fact.columns.has(name); n++) name = `row_number_${n}`;
  return { isNumbered: true, columns: [name] };
}

/** Conditions on the fact alone, and the others: the former choose rows before they are numbered. */
function split(part: Part): readonly [own: readonly Expression[], others: readonly Expression[]] {
  const alias = factAlias(part);
  const own: Expression[] = [];
  const others: Expression[] = [];
  for (const condition of part.where) {
    let isOwn = true;
    walk(condition, (node) => {
      if (node.kind === 'query') isOwn = false;
      if (node.kind === 'column' && node.qualifiers[0]?.name !== alias) isOwn = false;
      return isOwn;
    });
    (isOwn ? own : others).push(condition);
  }
  return [own, others];
}

/** The rows of the fact that pass, with a number for each. */
function numbered(part: Part, where: readonly Expression[], name: string, tables: Tables): TableExpression {
  const alias = factAlias(part);
  const number = call('ROW_NUMBER', [], { over: { partitionBy: [], orderBy: [] } });
  return derived(
    query(
      select({
        projections: [
          projection({ kind: 'star', qualifiers: [], exclude: [], replace: [], rename: [], span: NOWHERE }),
          projection(number, name),
        ],
        from: tables.table(part.fact, alias),
        where: allOf(where),
      }),
    ),
    alias,
  );
}

/** What aggregates read, as columns of the inner query. */
class Inputs {
  readonly projections: ReturnType<typeof projection>[] = [];
  readonly #alias: string;
  readonly #taken: Set<string>;

  constructor(alias: string, taken: Iterable<string>) {
    this.#alias = alias;
    this.#taken = new Set(taken);
  }

  /** A name that no other column of the inner query has. */
  name(wanted: string): string {
    return freshName(wanted, this.#taken);
  }

  take({ name, call: bound }: Component): Call {
    const put = (value: Expression, suffix: string): Expression => {
      if (value.kind === 'literal') return value;
      const input = this.name(`${name}${suffix}`);
      this.projections.push(projection(value, input));
      return column(this.#alias, input);
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
