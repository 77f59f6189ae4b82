import { type AggregateType, isAggregateType } from '../../domain/measure-type.ts';
import type { Measure } from '../../domain/semantic-model.ts';
import { resolveQuery } from '../../foundation/sql/resolve/resolve-query.ts';
import type { Call, Expression } from '../../foundation/sql/tree.ts';
import { selectOf } from '../load/yaml/check-expression.ts';
import type { IndexedModel, RowExpression, Slot } from './indexed-model.ts';
import type { MemberReader } from './member-reader.ts';
import { allOf, call, cast, numberLiteral } from './tree-nodes.ts';

/** An aggregate over rows of one semantic model; the tree is a call. */
export interface MeasureCall extends RowExpression {
  readonly tree: Call;
  readonly isCount: boolean;
}

const AGGREGATES: Readonly<Record<AggregateType, string>> = {
  count: 'COUNT',
  count_distinct: 'COUNT',
  count_distinct_approx: 'APPROX_COUNT_DISTINCT',
  sum: 'SUM',
  avg: 'AVG',
  min: 'MIN',
  max: 'MAX',
  median: 'MEDIAN',
  percentile: 'QUANTILE_CONT',
};
const COUNTS: ReadonlySet<string> = new Set(['count', 'approx_count_distinct']);

/** Whether a measure aggregates rows by itself; otherwise it is computed from measures. */
export function isAggregated(measure: Measure | undefined): boolean {
  return measure === undefined || isAggregateType(measure.type);
}

const COUNT_ROWS: MeasureCall = {
  tree: call('COUNT', [], { isStar: true }),
  slots: new Map(),
  type: 'BIGINT',
  isCount: true,
};
const known = new WeakMap<MemberReader, Map<Measure, MeasureCall>>();

/** The call of a measure that aggregates rows; `undefined` is the implied count. Kept for the reader's next queries. */
export function measureCall(
  reader: MemberReader,
  model: IndexedModel,
  measure: Measure | undefined,
): MeasureCall {
  if (measure === undefined) return COUNT_ROWS;
  let calls = known.get(reader);
  if (calls === undefined) {
    calls = new Map();
    known.set(reader, calls);
  }
  let found = calls.get(measure);
  if (found === undefined) {
    found = readCall(reader, model, measure);
    calls.set(measure, found);
  }
  return found;
}

function readCall(reader: MemberReader, model: IndexedModel, measure: Measure): MeasureCall {
  const input = measure.expression && reader.row(model, measure.expression);
  const filters = measure.filters.map((filter) => reader.row(model, filter));
  const problem = [input, ...filters].find((row) => row?.problem !== undefined)?.problem;
  const name = isAggregateType(measure.type) ? AGGREGATES[measure.type] : 'COUNT';
  const values: Expression[] = input === undefined ? [] : [aggregated(measure, input)];
  if (measure.type === 'percentile') values.push(numberLiteral(measure.p ?? 0.5));
  const filter = allOf(filters.map(({ tree }) => tree));
  const tree = call(name, values, {
    isStar: input === undefined,
    isDistinct: measure.type === 'count_distinct',
    ...(filter === undefined ? {} : { filter }),
  });
  const slots = new Map<string, Slot>();
  for (const row of [input, ...filters]) for (const [key, slot] of row?.slots ?? []) slots.set(key, slot);
  return {
    tree,
    slots,
    type: typeOfTree(tree, slots),
    isCount: COUNTS.has(name.toLowerCase()),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** Medians of decimals are not rounded to their scale. */
function aggregated({ type }: Measure, { tree, type: found }: RowExpression): Expression {
  const isContinuous = type === 'median' || type === 'percentile';
  return isContinuous && found.startsWith('DECIMAL') ? cast(tree, 'DOUBLE') : tree;
}

/** An aggregate written in the SQL of a derived measure, whose filters hold for it. */
export function writtenCall(row: RowExpression, filters: readonly RowExpression[]): MeasureCall {
  const written = row.tree as Call;
  const slots = new Map(row.slots);
  for (const each of filters) for (const [key, slot] of each.slots) slots.set(key, slot);
  const conditions = [
    ...(written.filter === undefined ? [] : [written.filter]),
    ...filters.map(({ tree }) => tree),
  ];
  const filter = allOf(conditions);
  const problem = [row, ...filters].find((each) => each.problem !== undefined)?.problem;
  return {
    ...row,
    tree: filter === undefined ? written : { ...written, filter },
    slots,
    isCount: COUNTS.has(written.name.name.toLowerCase()),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** The type of a tree whose columns have these types by name. */
export function typeOfTree(
  tree: Expression,
  columns: ReadonlyMap<string, { readonly type: string }>,
): string {
  const listed = [...columns].map(([name, { type }]) => ({ name, type }));
  return resolveQuery(selectOf(tree), () => ({ columns: listed })).columns[0]?.type ?? 'UNKNOWN';
}
