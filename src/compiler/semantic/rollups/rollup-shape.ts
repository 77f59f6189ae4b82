/*
 * A rollup as a table: what it groups by, what it keeps of each measure, and the query that fills it.
 *
 *   {measures, dimensions, time, segments} ── the same steps as any question ──▶ Part ──▶ SELECT keys, pieces … GROUP BY keys
 *
 * A piece can be aggregated again (sum, count, min, max; an average is a sum and a count), or it is right only where a
 * question has exactly the rollup's groups (different values, medians).
 */

import { SOURCE_COLUMN } from '../../../domain/environment.ts';
import { splitModelName } from '../../../domain/model-name.ts';
import type { Rollup } from '../../../domain/semantic-model.ts';
import { hash128 } from '../../../foundation/hash128.ts';
import { printQuery } from '../../../foundation/sql/print/print-query.ts';
import type { Call, Expression } from '../../../foundation/sql/tree.ts';
import { buildLogical } from '../build-logical.ts';
import type { IndexedModel } from '../indexed-model.ts';
import type { Component, Part, PartKey } from '../logical-query.ts';
import { partSource, type Tables } from '../lower-part.ts';
import { MemberReader } from '../member-reader.ts';
import type { SemanticIndex } from '../semantic-index.ts';
import { call, projection, query as queryOf, select, table, textLiteral } from '../tree-nodes.ts';
import { aliasPaths, canonicalExpression } from './canonical-expression.ts';

/** A group key of the rollup, as a column of its table. */
export interface RollupKey {
  readonly column: string;
  /** See `canonicalExpression`. */
  readonly canonical: string;
  readonly type: string;
  readonly bucket?: NonNullable<PartKey['bucket']> & { readonly canonicalTime: string };
}

/** What the table keeps of one aggregate. */
export type RollupPiece =
  | {
      readonly kind: 'additive';
      readonly how: 'SUM' | 'MIN' | 'MAX';
      readonly column: string;
      readonly isCount: boolean;
    }
  | { readonly kind: 'average'; readonly sum: string; readonly count: string }
  /** Right only in exactly these groups. */
  | { readonly kind: 'exact'; readonly column: string };

export interface RollupShape {
  /** `semantic_model.rollup`. */
  readonly name: string;
  /** The generated model. */
  readonly model: string;
  readonly fact: IndexedModel;
  readonly keys: readonly RollupKey[];
  /** By the canonical text of the aggregate. */
  readonly pieces: ReadonlyMap<string, RollupPiece>;
  /** Models whose rows it is made of. */
  readonly reads: readonly string[];
  /** DuckDB SQL over the models' own names; its last column is `SOURCE_COLUMN` with `hash`. */
  readonly sql: string;
  /** Of the query: another definition is another table. */
  readonly hash: string;
  readonly description?: string;
  /** Measures of its definition that it cannot keep, or not all of: windows, shifts and stocks, and those of other facts. */
  readonly leftOut: readonly LeftOutMeasure[];
}

export interface LeftOutMeasure {
  /** As the definition names it. */
  readonly measure: string;
  readonly reason: string;
}

/** Why a rollup cannot be built. */
export interface RollupProblem {
  readonly reason: string;
}

/** All rollups of a project, by lower-case `semantic_model.rollup`; worked out once per index. */
export function rollupShapes(index: SemanticIndex): ReadonlyMap<string, RollupShape | RollupProblem> {
  const known = index.memory.get(MEMORY);
  if (known !== undefined) return known as ReadonlyMap<string, RollupShape | RollupProblem>;
  const shapes = new Map<string, RollupShape | RollupProblem>();
  for (const fact of index.models.values())
    for (const rollup of fact.semantic.rollups)
      shapes.set(`${fact.name}.${rollup.name.value}`.toLowerCase(), shapeOf(index, fact, rollup));
  index.memory.set(MEMORY, shapes);
  return shapes;
}

const MEMORY = '\0rollups';

/** Where the models of rollups are. */
export const ROLLUP_SCHEMA = 'rollups';

/** The name of the model that holds a rollup's rows: beside its base's catalog, in a schema of its own. */
function rollupModelName({ name, model }: IndexedModel, rollup: Rollup): string {
  const { catalog } = splitModelName(model);
  const own = `${ROLLUP_SCHEMA}.${name.toLowerCase()}__${rollup.name.value.toLowerCase()}`;
  return catalog === undefined ? own : `${catalog}.${own}`;
}

function shapeOf(index: SemanticIndex, fact: IndexedModel, rollup: Rollup): RollupShape | RollupProblem {
  const names = rollup.measures.map(({ value }) => value);
  const built = partsOf(index, fact, { rollup, names });
  if ('reason' in built) return built;
  const part = built.find((each) => each.fact === fact && each.variant.kind === 'plain');
  if (part === undefined || part.components.length === 0)
    return { reason: 'none of its measures is an aggregate of rows that can be kept' };
  if (part.isFannedOut)
    return { reason: 'a dimension lies where one row meets many, so its groups cannot be added up' };
  const leftOut =
    built.length === 1
      ? []
      : names.flatMap((measure): readonly LeftOutMeasure[] => {
          const own = partsOf(index, fact, { rollup, names: [measure] });
          const other = 'reason' in own ? undefined : own.find((each) => notKept(each, fact) !== undefined);
          return other === undefined ? [] : [{ measure, reason: notKept(other, fact) as string }];
        });
  const { description } = rollup;
  return { ...tableOf(fact, rollup, part, leftOut), ...(description === undefined ? {} : { description }) };
}

/** Why rows of a part are not in the table of a rollup. */
function notKept({ fact, variant: { kind }, components }: Part, own: IndexedModel): string | undefined {
  if (components.length === 0) return undefined;
  if (kind === 'rolling') return 'a window needs rows of other periods';
  if (kind === 'shift') return 'it is shifted in time';
  if (kind === 'stock') return 'a stock is not added up over time';
  if (fact !== own) return `it is computed from rows of ${fact.name}`;
  return kind === 'plain' ? undefined : 'it is not an aggregate of groups';
}

/** What a rollup of these measures would compute, fact by fact. */
function partsOf(
  index: SemanticIndex,
  fact: IndexedModel,
  { rollup, names }: { readonly rollup: Rollup; readonly names: readonly string[] },
): readonly Part[] | RollupProblem {
  const word = (name: string): string => (name.includes('.') ? name : `${fact.name}.${name}`);
  const problems: string[] = [];
  const { timeDimension, granularity, dimensions, segments } = rollup;
  const built = buildLogical(
    {
      measures: names.map(word),
      dimensions: dimensions.map(({ value }) => word(value)),
      segments: segments.map(({ value }) => word(value)),
      ...(timeDimension === undefined
        ? {}
        : {
            timeDimensions: [
              { dimension: word(timeDimension.value), granularity: granularity?.value ?? 'day' },
            ],
          }),
    },
    {
      index,
      reader: new MemberReader(index, new Map()),
      hints: [],
      zone: 'UTC',
      now: 0,
      report: (problem) => problems.push(problem.message),
    },
    { isUnlimited: true },
  );
  return built === undefined ? { reason: problems.join(' ') } : built.logical.parts;
}

function tableOf(
  fact: IndexedModel,
  rollup: Rollup,
  part: Part,
  leftOut: readonly LeftOutMeasure[],
): RollupShape {
  const paths = aliasPaths(part.nodes);
  const canonical = (expression: Expression): string => canonicalExpression(expression, paths);
  const reads = new Set<string>();
  const tables: Tables = {
    table(model, alias) {
      reads.add(model.model);
      const { catalog, schema = 'main', table: name } = splitModelName(model.model);
      return table(catalog === undefined ? [schema, name] : [catalog, schema, name], alias);
    },
  };
  // The conditions are the segments, one each: what a question may ask for is a key here.
  const segments = part.where;
  const source = partSource({ ...part, where: [] }, tables);
  const keys: RollupKey[] = part.keys.map(({ name, value, type, bucket }) => ({
    column: name,
    canonical: canonical(value),
    type,
    ...(bucket === undefined ? {} : { bucket: { ...bucket, canonicalTime: canonical(bucket.time.value) } }),
  }));
  segments.forEach((condition, i) => {
    const name = `segment_${rollup.segments[i]?.value.replace(/.*\./, '').toLowerCase() ?? i}`;
    keys.push({ column: name, canonical: canonical(condition), type: 'BOOLEAN' });
  });
  const pieces = new Map<string, RollupPiece>();
  const projections = [
    ...source.keys.map((value, i) => projection(value, keys[i]?.column)),
    ...segments.map((condition, i) => projection(condition, keys[part.keys.length + i]?.column)),
  ];
  for (const component of part.components) {
    const text = canonical(component.call);
    if (pieces.has(text)) continue;
    const { piece, columns } = pieceOf(component);
    pieces.set(text, piece);
    for (const [name, value] of columns) projections.push(projection(value, name));
  }
  const rows = (hash: string): string =>
    printQuery(
      queryOf(
        select({
          projections: [...projections, projection(textLiteral(hash), SOURCE_COLUMN)],
          from: source.from,
          groupByFirst: keys.length,
        }),
      ),
      'duckdb',
      { pretty: true },
    );
  const hash = hash128(rows(''));
  return {
    name: `${fact.name}.${rollup.name.value}`,
    model: rollupModelName(fact, rollup),
    fact,
    keys,
    pieces,
    reads: [...reads],
    sql: rows(hash),
    hash,
    leftOut,
  };
}

const ADDITIVE: Readonly<Record<string, 'SUM' | 'MIN' | 'MAX'>> = {
  sum: 'SUM',
  count: 'SUM',
  min: 'MIN',
  max: 'MAX',
};

function pieceOf({ name, call: bound, isCount, type }: Component): {
  readonly piece: RollupPiece;
  readonly columns: readonly (readonly [name: string, value: Call])[];
} {
  const word = bound.name.name.toLowerCase();
  const isPlain =
    bound.arguments.length <= 1 &&
    !bound.isDistinct &&
    bound.orderBy.length === 0 &&
    bound.withinGroup.length === 0 &&
    bound.over === undefined;
  const how = isPlain ? ADDITIVE[word] : undefined;
  if (how !== undefined)
    return {
      piece: { kind: 'additive', how, column: name, isCount: isCount && word === 'count' },
      columns: [[name, bound]],
    };
  if (isPlain && word === 'avg' && type === 'DOUBLE') {
    const [sum, count] = [`${name}__sum`, `${name}__count`];
    const again = (aggregate: string): Call =>
      call(
        aggregate,
        bound.arguments.map(({ value }) => value),
        bound.filter === undefined ? {} : { filter: bound.filter },
      );
    return {
      piece: { kind: 'average', sum, count },
      columns: [
        [sum, again('SUM')],
        [count, again('COUNT')],
      ],
    };
  }
  return { piece: { kind: 'exact', column: name }, columns: [[name, bound]] };
}
