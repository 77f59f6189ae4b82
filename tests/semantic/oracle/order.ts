import type { Question } from './question.ts';
import { compareValues, type Value } from './value.ts';

export interface OrderKey {
  readonly index: number;
  readonly descending: boolean;
}

/** What finished rows (dimensions, then all measures) are ordered by, by the index of the cell. */
export function orderKeys(question: Question): readonly OrderKey[] {
  const { query, dimensions, allMeasures } = question;
  const names = [...dimensions.map(({ name }) => name), ...allMeasures.map(({ name }) => name)];
  const keys: OrderKey[] = [];
  const add = (index: number, descending: boolean): void => {
    if (index >= 0 && !keys.some((key) => key.index === index)) keys.push({ index, descending });
  };
  if (query.order !== undefined && query.order.length > 0)
    for (const { member, direction } of query.order)
      add(orderIndex(question, names, member), direction === 'desc');
  else {
    const buckets = dimensions.flatMap(({ granularity }, index) =>
      granularity === undefined ? [] : [index],
    );
    for (const index of buckets) add(index, false);
    if (buckets.length === 0 && allMeasures.length > 0) add(dimensions.length, true);
    else if (buckets.length === 0) add(0, false);
  }
  for (const index of dimensions.keys()) add(index, false);
  return keys;
}

/** 0 only where all that the rules order by is equal. */
export function compareRows(keys: readonly OrderKey[], a: readonly Value[], b: readonly Value[]): number {
  for (const { index, descending } of keys) {
    const order = compareCells(a[index] ?? null, b[index] ?? null, descending);
    if (order !== 0) return order;
  }
  return 0;
}

/** `orders.order_date` also means the bucket of it that is asked for. */
function orderIndex({ dimensions }: Question, names: readonly string[], member: string): number {
  const exact = names.indexOf(member);
  return exact >= 0
    ? exact
    : dimensions.findIndex(({ through, member: name }) => `${through}.${name}` === member);
}

/** NULLs last in both directions. */
export function compareCells(a: Value, b: Value, descending: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return descending ? -compareValues(a, b) : compareValues(a, b);
}
