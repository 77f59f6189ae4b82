/*
 * Conditions that are date ranges, in the words of filters: only they choose periods and leave the rows of windows alone.
 *
 *   t >= DATE '2024-01-01'   ──▶ afterOrOnDate      t < '2024-02-01'   ──▶ beforeDate      of a DATE also > <= = and BETWEEN
 *
 * Only where the filter means exactly what SQL does: a `<=` of timestamps ends at an instant, the filter at a day or millisecond.
 */
import type { FilterOperator } from '../../../domain/semantic-model.ts';
import type { QueryFilter } from '../../../domain/semantic-query.ts';
import type { Expression } from '../../../foundation/sql/tree.ts';
import { type BlockNames, isRowName } from './block-names.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)?$/;
const TURNED: Readonly<Record<string, string>> = { '>=': '<=', '<=': '>=', '>': '<', '<': '>', '=': '=' };
const ANY_TIME: Readonly<Record<string, FilterOperator>> = { '>=': 'afterOrOnDate', '<': 'beforeDate' };
const ONLY_DATE: Readonly<Record<string, FilterOperator>> = {
  ...ANY_TIME,
  '>': 'afterDate',
  '<=': 'beforeOrOnDate',
  '=': 'onTheDate',
};

/** The filters that a bound condition is; undefined when it is no date range. */
export function dateFilters(condition: Expression, names: BlockNames): readonly QueryFilter[] | undefined {
  if (condition.kind === 'between') {
    const { operand, low, high, negated, symmetric } = condition;
    if (negated || symmetric) return undefined;
    const from = filterOf('>=', operand, low, names);
    const to = filterOf('<=', operand, high, names);
    return from === undefined || to === undefined ? undefined : [from, to];
  }
  if (condition.kind !== 'binary') return undefined;
  const { operator, left, right } = condition;
  const filter =
    filterOf(operator, left, right, names) ?? filterOf(TURNED[operator] ?? '', right, left, names);
  return filter && [filter];
}

function filterOf(
  operator: string,
  side: Expression,
  other: Expression,
  names: BlockNames,
): QueryFilter | undefined {
  if (!isRowName(side)) return undefined;
  const bound = names.of(side);
  if (bound.kind !== 'row' || bound.asked.grain !== undefined) return undefined;
  const isDate = bound.type === 'DATE';
  if (!isDate && bound.type !== 'TIMESTAMP') return undefined;
  const written = writtenTime(other);
  if (written === undefined || !(isDate ? DATE : TIMESTAMP).test(written)) return undefined;
  const found = (isDate ? ONLY_DATE : ANY_TIME)[operator];
  return found && { kind: 'member', member: bound.asked.word, operator: found, values: [written] };
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
