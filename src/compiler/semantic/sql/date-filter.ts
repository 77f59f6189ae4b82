/*
 * Conditions on times, in the words of filters: only they choose periods and leave the rows of windows alone.
 *
 *   t >= DATE '2024-01-01'   ──▶ afterOrOnDate      t < '2024-02-01'   ──▶ beforeDate      of a DATE also > <= = IN and BETWEEN
 *   date_trunc('month', t) = '2024-01-01'   ──▶ equals, of the bucket                     AND, OR and NOT around them
 *
 * Only where the filter means exactly what SQL does: a `<=` of timestamps ends at an instant, the filter at a day or millisecond.
 */
import type { FilterOperator } from '../../../domain/semantic-model.ts';
import type { QueryFilter } from '../../../domain/semantic-query.ts';
import { operandsOf } from '../../../foundation/sql/operands-of.ts';
import type { Expression } from '../../../foundation/sql/tree.ts';
import { bucketType } from '../time/bucket-of.ts';
import { granularityOf, timeTypeOf } from '../time/granularity.ts';
import { type BlockNames, isRowName } from './block-names.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)?$/;
const TURNED: Readonly<Record<string, string>> = {
  '>=': '<=',
  '<=': '>=',
  '>': '<',
  '<': '>',
  '=': '=',
};
const NEGATED: Readonly<Record<string, string>> = {
  '>=': '<',
  '<': '>=',
  '>': '<=',
  '<=': '>',
};
const OF_TIMESTAMP: Readonly<Record<string, FilterOperator>> = { '>=': 'afterOrOnDate', '<': 'beforeDate' };
const OF_DATE: Readonly<Record<string, FilterOperator>> = {
  ...OF_TIMESTAMP,
  '>': 'afterDate',
  '<=': 'beforeOrOnDate',
  '=': 'onTheDate',
};
const OF_BUCKET: Readonly<Record<string, FilterOperator>> = {
  '>=': 'gte',
  '<': 'lt',
  '>': 'gt',
  '<=': 'lte',
  '=': 'equals',
};

/** The filter that a bound condition is; undefined when it is about more than times. */
export function dateFilter(
  condition: Expression,
  names: BlockNames,
  isNegated = false,
): QueryFilter | undefined {
  switch (condition.kind) {
    case 'unary':
      return condition.operator === 'NOT' ? dateFilter(condition.operand, names, !isNegated) : undefined;
    case 'between': {
      const { operand, low, high, negated, symmetric } = condition;
      if (symmetric) return undefined;
      const isOutside = negated !== isNegated;
      const from = compared(isOutside ? '<' : '>=', operand, low, names);
      const to = compared(isOutside ? '>' : '<=', operand, high, names);
      return grouped(isOutside ? 'or' : 'and', [from, to]);
    }
    case 'in': {
      const { operand, set, negated } = condition;
      if (set.kind !== 'list' || set.items.length === 0 || negated !== isNegated) return undefined;
      return grouped(
        'or',
        each(set.items, (item) => compared('=', operand, item, names)),
      );
    }
    case 'binary': {
      const { operator } = condition;
      if (operator === 'AND' || operator === 'OR')
        return grouped(
          (operator === 'AND') !== isNegated ? 'and' : 'or',
          each(operandsOf(condition, operator), (side) => dateFilter(side, names, isNegated)),
        );
      const own = isNegated ? (NEGATED[operator] ?? '') : operator;
      return compared(own, condition.left, condition.right, names);
    }
    default:
      return undefined;
  }
}

/** Up to the first that is none: there may be very many. */
function each<Item>(
  items: readonly Item[],
  read: (item: Item) => QueryFilter | undefined,
): readonly (QueryFilter | undefined)[] {
  const found: (QueryFilter | undefined)[] = [];
  for (const item of items) {
    found.push(read(item));
    if (found.at(-1) === undefined) break;
  }
  return found;
}

function grouped(kind: 'and' | 'or', filters: readonly (QueryFilter | undefined)[]): QueryFilter | undefined {
  return filters.includes(undefined) ? undefined : { kind, filters: filters as readonly QueryFilter[] };
}

function compared(
  operator: string,
  left: Expression,
  right: Expression,
  names: BlockNames,
): QueryFilter | undefined {
  return filterOf(operator, left, right, names) ?? filterOf(TURNED[operator] ?? '', right, left, names);
}

function filterOf(
  operator: string,
  side: Expression,
  other: Expression,
  names: BlockNames,
): QueryFilter | undefined {
  if (!isRowName(side)) return undefined;
  const bound = names.of(side);
  if (bound.kind !== 'row' || (bound.type !== 'DATE' && bound.type !== 'TIMESTAMP')) return undefined;
  const { grain, word: member } = bound.member;
  const granularity = grain && granularityOf(grain);
  if (grain !== undefined && granularity === undefined) return undefined;
  const type = granularity === undefined ? bound.type : bucketType(timeTypeOf(bound.type), granularity);
  const written = writtenTime(other);
  if (written === undefined || !(type === 'DATE' ? DATE : TIMESTAMP).test(written)) return undefined;
  const operators = granularity !== undefined ? OF_BUCKET : type === 'DATE' ? OF_DATE : OF_TIMESTAMP;
  const found = operators[operator];
  return found && { kind: 'member', member, operator: found, values: [written] };
}

/** A constant: text, or text cast to a date or timestamp that keeps all of it. */
function writtenTime(node: Expression): string | undefined {
  if (node.kind === 'literal') return node.type === 'string' ? node.text : undefined;
  if (node.kind !== 'cast' || node.isTry || node.operand.kind !== 'literal') return undefined;
  const { text, type } = node.operand;
  if (type !== 'string') return undefined;
  if (node.type.name === 'DATE') return DATE.test(text) ? text : undefined;
  return ['TIMESTAMP', 'DATETIME', 'TIMESTAMP WITHOUT TIME ZONE'].includes(node.type.name) ? text : undefined;
}
