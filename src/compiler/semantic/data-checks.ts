/*
 * What semantic models take for granted of their rows, as queries that count where it is not so.
 *
 *   keys      no part is NULL (one query for a model, with its times), no key stands twice
 *   to-one    crossing a join the to-one way meets at most one row
 *   times     what metrics, rollups and stocks count by is not NULL
 */
import type { Relation } from '../../domain/relation.ts';
import type { SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { translateQuery } from '../../foundation/sql/print/print-query.ts';
import type { Expression, Query, TableExpression } from '../../foundation/sql/tree.ts';
import { rangeOf } from '../../foundation/yaml/located.ts';
import { edgeKey } from '../load/yaml/join-graph.ts';
import type { Edge, IndexedModel } from './indexed-model.ts';
import { JoinTree } from './join-tree.ts';
import { MemberReader } from './member-reader.ts';
import type { SemanticIndex } from './semantic-index.ts';
import {
  binary,
  call,
  caseWhen,
  column,
  isNull,
  NOWHERE,
  numberLiteral,
  projection,
  query,
  select,
  table,
} from './tree-nodes.ts';

/** One thing that is taken for granted, and where that is said. */
export type DataClaim =
  | {
      readonly kind: 'key-not-null';
      readonly model: string;
      readonly column: string;
      readonly at: SourceRange;
    }
  | {
      readonly kind: 'key-unique';
      readonly model: string;
      readonly columns: readonly string[];
      readonly at: SourceRange;
    }
  | {
      readonly kind: 'to-one';
      readonly model: string;
      readonly to: string;
      readonly join: string;
      readonly at: SourceRange;
    }
  | {
      readonly kind: 'time-not-null';
      readonly model: string;
      readonly dimension: string;
      readonly usedBy: string;
      readonly at: SourceRange;
    };

/** A query of one row whose cells are, for each claim, the number of rows against it. */
export interface DataCheck {
  readonly claims: readonly DataClaim[];
  /** Models whose rows are read. */
  readonly reads: readonly string[];
  readonly sql: string;
}

export interface CheckOptions {
  readonly dialect: Dialect;
  readonly relationOf: (model: string) => Relation;
}

/** Every check of a project, packed: keys and times of a semantic model are one query, joins one each. What cannot be said in the dialect is left out and named. */
export function dataChecks(
  index: SemanticIndex,
  options: CheckOptions,
): {
  readonly checks: readonly DataCheck[];
  readonly left: readonly { readonly claim: DataClaim; readonly why: string }[];
} {
  const builder = new CheckBuilder(index, options);
  for (const model of index.models.values()) {
    builder.nulls(model);
    builder.duplicates(model);
    for (const edge of model.edges) if (edge.isToOne) builder.toOne(model, edge);
  }
  return { checks: builder.checks, left: builder.left };
}

const sumOf = (condition: Expression): Expression =>
  call('COALESCE', [
    call('SUM', [caseWhen(condition, numberLiteral(1), numberLiteral(0))]),
    numberLiteral(0),
  ]);
const COUNT = call('COUNT', [], { isStar: true });
const scalar = (inner: Query): Expression => ({ kind: 'subquery', query: inner, span: NOWHERE });

class CheckBuilder {
  readonly checks: DataCheck[] = [];
  readonly left: { claim: DataClaim; why: string }[] = [];
  readonly #index: SemanticIndex;
  readonly #options: CheckOptions;
  readonly #reader: MemberReader;

  constructor(index: SemanticIndex, options: CheckOptions) {
    this.#index = index;
    this.#options = options;
    this.#reader = new MemberReader(index, new Map());
  }

  nulls(model: IndexedModel): void {
    const claims: DataClaim[] = model.key.map((name) => ({
      kind: 'key-not-null',
      model: model.name,
      column: name,
      at: keyPlace(model),
    }));
    const tree = new JoinTree(this.#index, this.#reader, model);
    const alias = tree.nodes[0]?.alias ?? model.name;
    const values: Expression[] = model.key.map((name) => isNull(column(alias, columnName(model, name))));
    for (const use of timesOf(this.#index, model)) {
      const row = this.#reader.dimension(model, use.dimension);
      // A time that is computed from other models may be NULL where nothing matches; that is not an error in the rows.
      if (row.problem !== undefined || [...row.slots.values()].some(({ path }) => path.length > 0)) continue;
      claims.push({ kind: 'time-not-null', model: model.name, ...use });
      values.push(isNull(tree.bind(row)));
    }
    if (claims.length === 0) return;
    const projections = values.map((value, i) => projection(sumOf(value), `c${i}`));
    this.#add(claims, [model], query(select({ projections, from: this.#table(model, alias) })));
  }

  duplicates(model: IndexedModel): void {
    if (model.key.length === 0) return;
    const names = model.key.map((name) => columnName(model, name));
    const isWhole = names
      .map((name) => isNull(column(undefined, name), true))
      .reduce((a, b) => binary('AND', a, b));
    const groups = query(
      select({
        projections: [...names.map((name) => projection(column(undefined, name))), projection(COUNT, 'n')],
        from: this.#table(model),
        where: isWhole,
        groupByFirst: names.length,
        having: binary('>', COUNT, numberLiteral(1)),
      }),
    );
    const outer = query(
      select({
        projections: [
          projection(call('COALESCE', [call('SUM', [column('keys', 'n')]), numberLiteral(0)]), 'c0'),
        ],
        from: {
          kind: 'derived',
          query: groups,
          lateral: false,
          alias: { name: { name: 'keys', quoted: false, span: NOWHERE }, columns: [] },
          span: NOWHERE,
        },
      }),
    );
    this.#add(
      [{ kind: 'key-unique', model: model.name, columns: model.key, at: keyPlace(model) }],
      [model],
      outer,
    );
  }

  /** Rows of the model that meet more than one row of the other. */
  toOne(model: IndexedModel, edge: Edge): void {
    const target = this.#index.models.get(edge.to);
    const owner = this.#index.models.get(edge.owner);
    if (target === undefined || owner === undefined || this.#reader.on(owner, edge).problem !== undefined)
      return;
    const tree = new JoinTree(this.#index, this.#reader, model);
    const node = tree.node([edge]);
    const alias = tree.nodes[0]?.alias ?? model.name;
    if (node.join === undefined) return;
    const matches = query(
      select({
        projections: [projection(COUNT)],
        from: this.#table(target, node.alias),
        where: node.join.on,
      }),
    );
    const against = query(
      select({
        projections: [projection(COUNT, 'c0')],
        from: this.#table(model, alias),
        where: binary('>', scalar(matches), numberLiteral(1)),
      }),
    );
    const claim: DataClaim = {
      kind: 'to-one',
      model: model.name,
      to: target.name,
      join: edgeKey(edge).slice(0, -1),
      at: rangeOf(owner.semantic.file, edge.join.name),
    };
    this.#add([claim], [model, target], against);
  }

  #table({ model }: IndexedModel, alias?: string): TableExpression {
    const { catalog, schema, name } = this.#options.relationOf(model);
    return table(catalog === undefined ? [schema, name] : [catalog, schema, name], alias);
  }

  #add(claims: readonly DataClaim[], models: readonly IndexedModel[], tree: Query): void {
    const { dialect } = this.#options;
    const printed = translateQuery(tree, { from: 'duckdb', to: dialect });
    if (printed.ok) this.checks.push({ claims, reads: models.map(({ model }) => model), sql: printed.value });
    else for (const claim of claims) this.left.push({ claim, why: printed.error.message });
  }
}

/** As the model spells it. */
function columnName({ columns }: IndexedModel, name: string): string {
  return columns.get(name.toLowerCase())?.name ?? name;
}

/** The declared key, or the name of the semantic model that takes its model's grain. */
function keyPlace({ semantic }: IndexedModel): SourceRange {
  return rangeOf(semantic.file, semantic.primaryKey[0] ?? semantic.name);
}

/** Time dimensions of a semantic model that something counts by, each once, with what does. */
function timesOf(
  { metrics }: SemanticIndex,
  model: IndexedModel,
): readonly { readonly dimension: string; readonly usedBy: string; readonly at: SourceRange }[] {
  const { semantic } = model;
  const found = new Map<
    string,
    { readonly dimension: string; readonly usedBy: string; readonly at: SourceRange }
  >();
  const add = (dimension: string, usedBy: string, at: SourceRange): void => {
    const key = dimension.toLowerCase();
    if (!found.has(key)) found.set(key, { dimension, usedBy, at });
  };
  for (const metric of metrics.values()) {
    const [owner = '', dimension = ''] = metric.ts?.value.split('.') ?? [];
    if (metric.ts !== undefined && owner.toLowerCase() === semantic.name.value.toLowerCase())
      add(dimension, `the metric ${metric.name.value}`, rangeOf(metric.file, metric.ts));
  }
  for (const { name, timeDimension } of semantic.rollups)
    if (timeDimension !== undefined)
      add(timeDimension.value, `the rollup ${name.value}`, rangeOf(semantic.file, timeDimension));
  for (const { name, behavior } of semantic.measures)
    if (behavior?.type === 'stock' && behavior.timeDimension !== undefined)
      add(
        behavior.timeDimension.value,
        `the measure ${name.value}`,
        rangeOf(semantic.file, behavior.timeDimension),
      );
  return [...found.values()];
}
