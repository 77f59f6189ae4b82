/*
 * Whether a rollup can answer, and the question put to its table instead.
 *
 *   keys        a key of the rollup, a longer calendar unit of its bucket, or an expression over its keys
 *   conditions  over its keys; ranges of time that begin and end where its buckets do
 *   aggregates  kept pieces, added up again; what cannot be added up only in exactly the rollup's groups
 *
 * The SQL asks in the same statement whether the table was made from the rows there are now. If it was not, there are no
 * rows in the answer: an answer without rows is never an answer, and is asked for again without rollups.
 */
import { SOURCE_COLUMN } from '../../../domain/environment.ts';
import type { Relation } from '../../../domain/relation.ts';
import type { Caller } from '../../../domain/semantic-query.ts';
import { parseExpression } from '../../../foundation/sql/parse/parse-query.ts';
import type { Call, Expression } from '../../../foundation/sql/tree.ts';
import { rewrite } from '../../../foundation/sql/walk.ts';
import type { IndexedModel } from '../indexed-model.ts';
import {
  answerColumn,
  answerName,
  type Component,
  type LogicalQuery,
  type Part,
  type PartKey,
} from '../logical-query.ts';
import { accessOf } from '../policies.ts';
import type { SemanticIndex } from '../semantic-index.ts';
import {
  binary,
  call,
  cast,
  column,
  NOWHERE,
  numberLiteral,
  projection,
  query as queryOf,
  select,
  table,
  textLiteral,
} from '../tree-nodes.ts';
import { isWhole } from '../visible-tables.ts';
import { aliasPaths, canonicalExpression } from './canonical-expression.ts';
import { OverRollup } from './over-rollup.ts';
import { type PolicyConditions, policyConditions } from './policy-conditions.ts';
import { type RollupKey, type RollupPiece, type RollupShape, rollupShapes } from './rollup-shape.ts';

/** A rollup as an environment shows it. */
export interface RollupTable {
  readonly relation: Relation;
  /** SQL of DuckDB: the data versions, now, of the tables it is made from, as the column `plinth__source` ends. */
  readonly versionSql: string;
}

/** By name of the rollup. */
export type RollupTables = ReadonlyMap<string, RollupTable>;

/** A query over rollups in place of facts. */
export interface ChosenRollup {
  /** `semantic_model.rollup`; of several facts with commas between them. */
  readonly name: string;
  readonly logical: LogicalQuery;
}

/** The caller and the query for which a rollup is looked for. */
export interface RollupChoice {
  readonly caller: Caller;
  readonly now: number;
  readonly rollups: ReadonlyMap<string, RollupTable>;
}

/** For each part of the question the rollup with the fewest keys that can answer it; undefined when none can answer any. */
export function chooseRollup(
  index: SemanticIndex,
  logical: LogicalQuery,
  choice: RollupChoice,
): ChosenRollup | undefined {
  if (logical.isUngrouped || choice.rollups.size === 0) return undefined;
  const found = logical.parts.map((part) => rollupFor(index, part, logical.zone, choice));
  const used = found.filter((each) => each !== undefined);
  if (used.length === 0) return undefined;
  const answer = answersIn(new Map(used.flatMap(({ answers }) => [...answers])));
  const guards = new Map(used.map(({ shape, guard }) => [shape, guard]));
  return {
    name: [...guards.keys()].map(({ name }) => name).join(', '),
    logical: {
      ...logical,
      parts: logical.parts.map((part, i) => found[i]?.part ?? part),
      outputs: logical.outputs.map((output) => ({ ...output, value: answer(output.value) })),
      having: [...logical.having.map(answer), ...guards.values()],
      order: logical.order.map((item) => ({ ...item, value: answer(item.value) })),
    },
  };
}

/** A part over the table of a rollup. */
interface RolledPart {
  readonly shape: RollupShape;
  readonly part: Part;
  /** What its components are now, by name. */
  readonly answers: ReadonlyMap<string, Expression>;
  readonly guard: Expression;
}

function rollupFor(
  index: SemanticIndex,
  part: Part,
  zone: string,
  choice: RollupChoice,
): RolledPart | undefined {
  if (part.variant.kind !== 'plain' || part.isFannedOut || part.buckets !== undefined) return undefined;
  if (part.fact.semantic.rollups.length === 0) return undefined;
  // A match that a caller may not see does not count as a match, which the groups of a rollup do not know.
  const [, ...joined] = part.nodes;
  if (joined.some(({ model }) => !isWhole(accessOf(model, choice.caller)))) return undefined;
  const policies = policyConditions(index, part.fact, choice);
  if (policies === undefined) return undefined;
  let best: RolledPart | undefined;
  for (const [name, shape] of rollupShapes(index)) {
    const source = choice.rollups.get(name);
    if (source === undefined || 'reason' in shape || shape.fact !== part.fact) continue;
    if (best !== undefined && best.shape.keys.length <= shape.keys.length) continue;
    best = rolledPart(shape, part, { source, zone, policies }) ?? best;
  }
  return best;
}

const ALIAS = 'kept';

function rolledPart(
  shape: RollupShape,
  part: Part,
  given: { readonly source: RollupTable; readonly zone: string; readonly policies: PolicyConditions },
): RolledPart | undefined {
  const { zone, policies, source } = given;
  const paths = aliasPaths(part.nodes);
  const over = new OverRollup(shape, { alias: ALIAS, paths, zone });
  const restricted = new OverRollup(shape, { alias: ALIAS, paths: policies.paths, zone });
  const conditions = [
    ...part.where.map((condition) => over.expression(condition)),
    ...policies.conditions.map((condition) => restricted.expression(condition)),
  ];
  const keys = part.keys.map((key) => over.key(key));
  if (conditions.includes(undefined) || keys.includes(undefined)) return undefined;
  const [where, values] = [conditions as readonly Expression[], keys as readonly Expression[]];
  const isSameGrain = shape.keys.every(
    (key) => values.some((value) => isColumn(value, key)) || where.some((each) => isPinned(each, key)),
  );
  const components: Component[] = [];
  const answers = new Map<string, Expression>();
  for (const component of part.components) {
    const kept = again(component, { shape, over, paths, isSameGrain });
    if (kept === undefined) return undefined;
    components.push(...kept.components);
    answers.set(component.name, kept.value);
  }
  const guard = isCurrent(shape, source);
  if (guard === undefined) return undefined;
  const model = rollupModel(shape);
  return {
    shape,
    part: {
      ...part,
      fact: model,
      nodes: [{ alias: ALIAS, model }],
      keys: part.keys.map(({ name, type }, i): PartKey => ({ name, type, value: values[i] as Expression })),
      where,
      components,
    },
    answers,
    guard,
  };
}

const isColumn = (value: Expression, key: RollupKey): boolean =>
  value.kind === 'column' && value.name.name === key.column;

/** Whether a condition leaves one value of a key: a segment that must be true, or one value that must be equal. */
function isPinned(condition: Expression, key: RollupKey): boolean {
  if (isColumn(condition, key)) return true;
  return (
    condition.kind === 'binary' &&
    condition.operator === '=' &&
    isColumn(condition.left, key) &&
    condition.right.kind === 'literal'
  );
}

/** Equal expressions stay the same object, so that an order by a column of the answer is still seen to be one. */
function answersIn(answers: ReadonlyMap<string, Expression>): (value: Expression) => Expression {
  const known = new Map<Expression, Expression>();
  return (value) => {
    const own = answerName(value);
    if (own !== undefined) return answers.get(own) ?? value;
    let made = known.get(value);
    if (made === undefined) {
      made = rewrite(value, (node) => {
        const name = answerName(node);
        return name === undefined ? node : (answers.get(name) ?? node);
      });
      known.set(value, made);
    }
    return made;
  };
}

interface Kept {
  readonly components: readonly Component[];
  readonly value: Expression;
}

/** An aggregate over the kept pieces. A filter of the aggregate's own may be over keys of the rollup. */
function again(
  component: Component,
  context: {
    readonly shape: RollupShape;
    readonly over: OverRollup;
    readonly paths: ReadonlyMap<string, string>;
    readonly isSameGrain: boolean;
  },
): Kept | undefined {
  const { shape, over, paths, isSameGrain } = context;
  const piece = shape.pieces.get(canonicalExpression(component.call, paths));
  if (piece !== undefined && (piece.kind !== 'exact' || isSameGrain))
    return keptOf(component, piece, undefined);
  const { filter, ...unfiltered } = component.call;
  if (filter === undefined) return undefined;
  const whole = shape.pieces.get(canonicalExpression(unfiltered as Call, paths));
  const condition = over.expression(filter);
  if (whole === undefined || whole.kind === 'exact' || condition === undefined) return undefined;
  return keptOf(component, whole, condition);
}

function keptOf(component: Component, piece: RollupPiece, filter: Expression | undefined): Kept {
  const { name, type } = component;
  const aggregate = (how: string, of: string): Call =>
    call(how, [column(ALIAS, of)], filter === undefined ? {} : { filter });
  switch (piece.kind) {
    case 'average': {
      const [sum, count] = [`${name}__sum`, `${name}__count`];
      return {
        components: [
          { name: sum, call: aggregate('SUM', piece.sum), type: 'UNKNOWN', isCount: false },
          { name: count, call: aggregate('SUM', piece.count), type: 'HUGEINT', isCount: false },
        ],
        value: binary('/', cast(answerColumn(sum), 'DOUBLE'), nullIfZero(answerColumn(count))),
      };
    }
    case 'additive': {
      const own: Component = { name, call: aggregate(piece.how, piece.column), type, isCount: false };
      if (!piece.isCount) return { components: [own], value: answerColumn(name) };
      const counted = cast(call('COALESCE', [answerColumn(name), numberLiteral(0)]), 'BIGINT');
      return { components: [own], value: counted };
    }
    case 'exact': {
      // One row of the rollup for each group: there is nothing to choose.
      const own: Component = { ...component, call: aggregate('ANY_VALUE', piece.column), isCount: false };
      if (!component.isCount) return { components: [own], value: answerColumn(name) };
      return { components: [own], value: call('COALESCE', [answerColumn(name), numberLiteral(0)]) };
    }
  }
}

const nullIfZero = (value: Expression): Expression => call('NULLIF', [value, numberLiteral(0)]);

/** True when the table was made by this query from the rows there are now; NULL for a table without rows. */
function isCurrent(shape: RollupShape, { relation, versionSql }: RollupTable): Expression | undefined {
  const now = parseExpression(versionSql, 'duckdb');
  if (!now.ok) return undefined;
  const { catalog, schema, name } = relation;
  const made = queryOf(
    select({
      projections: [projection(call('MAX', [column(undefined, SOURCE_COLUMN)]))],
      from: table(catalog === undefined ? [schema, name] : [catalog, schema, name]),
    }),
  );
  return binary(
    '=',
    { kind: 'subquery', query: made, span: NOWHERE },
    binary('||', textLiteral(`${shape.hash} `), now.value),
  );
}

const models = new WeakMap<RollupShape, IndexedModel>();

/** The rollup's table as a semantic model without members: no query can name it. */
function rollupModel(shape: RollupShape): IndexedModel {
  let model = models.get(shape);
  if (model === undefined) {
    const { fact, name } = shape;
    const { isClosedTo: _, ...own } = fact;
    model = {
      ...own,
      name,
      model: shape.model,
      semantic: { ...fact.semantic, policies: [], rollups: [] },
      columns: new Map(),
      key: [],
      members: new Map(),
      edges: [],
      policySets: [],
    };
    models.set(shape, model);
  }
  return model;
}
