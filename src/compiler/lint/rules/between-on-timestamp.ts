import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { conjunctsOf } from '../../../foundation/sql/conjuncts-of.ts';
import type { Between, Expression } from '../../../foundation/sql/tree.ts';
import type { InspectedQuery, QueryHit } from '../inspected-query.ts';
import { knownTable } from '../known-table.ts';
import { queryRule } from '../query-rule.ts';
import { originOf } from '../query-sources.ts';

export const betweenOnTimestamp = queryRule({
  name: 'between-on-timestamp',
  byDefault: 'warning',
  why: 'BETWEEN includes its end: with a date as the end, everything after the midnight that begins the last day is lost.',
  examples: {
    bad: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind INCREMENTAL_BY_TIME_RANGE (time_column ordered_at));\nSELECT order_id, ordered_at FROM raw.orders\nWHERE «ordered_at BETWEEN @start_ds AND @end_ds»\n',
    },
    good: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind INCREMENTAL_BY_TIME_RANGE (time_column ordered_at));\nSELECT order_id, ordered_at FROM raw.orders\nWHERE ordered_at >= @start_at AND ordered_at < @end_before\n',
    },
    unless: [
      {
        because: 'the column is a date',
        files: {
          'models/orders.sql':
            'MODEL (name marts.orders, kind INCREMENTAL_BY_TIME_RANGE (time_column order_date));\nSELECT order_id, order_date FROM raw.orders WHERE order_date BETWEEN @start_ds AND @end_ds\n',
        },
      },
      {
        because: '@end_ts is the last microsecond of the interval',
        files: {
          'models/orders.sql':
            'MODEL (name marts.orders, kind INCREMENTAL_BY_TIME_RANGE (time_column ordered_at));\nSELECT order_id, ordered_at FROM raw.orders WHERE ordered_at BETWEEN @start_ts AND @end_ts\n',
        },
      },
      {
        because: 'the type of the column is not known',
        files: {
          'models/orders.sql':
            'MODEL (name marts.orders, kind INCREMENTAL_BY_TIME_RANGE (time_column day));\nSELECT id, day FROM other.lines WHERE day BETWEEN @start_ds AND @end_ds\n',
        },
      },
      {
        because: 'a common table made a date of it',
        files: {
          'models/orders.sql':
            'MODEL (name marts.orders, kind INCREMENTAL_BY_TIME_RANGE (time_column day));\nWITH o AS (SELECT order_id, CAST(ordered_at AS DATE) AS day FROM raw.orders)\nSELECT order_id, day FROM o WHERE day BETWEEN @start_ds AND @end_ds\n',
        },
      },
    ],
  },
  fixes:
    'Writes `column >= @start_at AND column < @end_before` where the ends are `@start_ds` and `@end_ds` (or `@start_date` and `@end_date`). The rows of the last day that were lost are kept from then on.',
  *inspect(query) {
    if (!query.nodes('between').some(({ high }) => isMidnight(high))) return;
    for (const select of query.nodes('select')) {
      const conjuncts = new Set<unknown>(conjunctsOf(select.where));
      for (const node of query.own(select)) {
        if (node.kind !== 'between' || node.negated || !isMidnight(node.high)) continue;
        const origin = originOf(node.operand, select, query);
        if (origin === undefined) continue;
        const words = 'type' in origin ? ['', origin.type] : [origin.table, origin.column];
        yield { span: node.span, words, ...fixOf(node, query, conjuncts.has(node)) };
      }
    }
  },
  decide({ model, at, words: [table = '', column = ''], context }) {
    const type =
      table === ''
        ? column
        : knownTable(context.project, model, table)?.columns.find(({ name }) => name.toLowerCase() === column)
            ?.type;
    return type !== undefined && /^(?:TIMESTAMP|DATETIME)/i.test(type)
      ? diagnostic('lint.between-on-timestamp', { model: model.name, type }, { at })
      : undefined;
  },
});

function isMidnight(expression: Expression): boolean {
  if (expression.kind === 'cast') return isMidnight(expression.operand);
  return (
    expression.kind === 'literal' &&
    expression.type === 'string' &&
    /^\d{4}-\d{2}-\d{2}(?:[ T]00:00(?::00(?:\.0+)?)?)?$/.test(expression.text)
  );
}

/** Certain only where the macros say that the days of the interval are meant. */
function fixOf(node: Between, query: InspectedQuery, isConjunct: boolean): Pick<QueryHit, 'fix'> {
  const column = query.written(node.operand.span);
  const whole = query.source(node.span);
  const macros = /^[\s\S]*?\sBETWEEN\s+@(start_ds|start_date)\s+AND\s+@(end_ds|end_date)$/i;
  if (column === undefined || !macros.test(whole) || !whole.startsWith(column)) return {};
  if (node.operand.kind !== 'column') return {};
  const text = `${column} >= @start_at AND ${column} < @end_before`;
  return { fix: { ...node.span, text: isConjunct ? text : `(${text})`, isOfFile: true } };
}
