import type { Variant } from '../logical-query.ts';
import { typeOfTree } from '../measure-calls.ts';
import { call, column } from '../tree-nodes.ts';

/** The type of a component as its variant answers it: an average over time is none of the sums or counts it was taken of. */
export function stockType(type: string, variant: Variant): string {
  if (variant.kind === 'shift') return stockType(type, variant.of);
  if (variant.kind !== 'stock' || variant.treatment !== 'avg' || type === 'UNKNOWN') return type;
  const average = typeOfTree(call('AVG', [column(undefined, VALUE)]), new Map([[VALUE, { type }]]));
  if (variant.per.length === 0) return average;
  return typeOfTree(call('SUM', [column(undefined, VALUE)]), new Map([[VALUE, { type: average }]]));
}

const VALUE = 'value';
