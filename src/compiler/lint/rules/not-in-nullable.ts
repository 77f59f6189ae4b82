import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Model } from '../../../domain/model.ts';
import { conjunctsOf } from '../../../foundation/sql/conjuncts-of.ts';
import type { Select } from '../../../foundation/sql/tree.ts';
import { knownTable } from '../known-table.ts';
import { queryRule } from '../query-rule.ts';
import { onlySelect, originOf } from '../query-sources.ts';

export const notInNullable = queryRule({
  name: 'not-in-nullable',
  byDefault: 'warning',
  why: 'One NULL in the list of a NOT IN, and no row passes.',
  examples: {
    bad: {
      'models/customers.sql':
        'MODEL (name marts.customers, kind FULL);\nSELECT customer_id FROM raw.customers\nWHERE «customer_id NOT IN (SELECT customer_id FROM raw.orders)»\n',
    },
    good: {
      'models/customers.sql':
        'MODEL (name marts.customers, kind FULL);\nSELECT customer_id FROM raw.customers\nWHERE customer_id NOT IN (SELECT customer_id FROM raw.orders WHERE customer_id IS NOT NULL)\n',
    },
    unless: [
      {
        because: 'an audit says that there is no NULL',
        files: {
          'models/orders.sql':
            'MODEL (name marts.orders, kind FULL, audits (not_null(columns := (customer_id))));\nSELECT customer_id FROM raw.orders\n',
          'models/customers.sql':
            'MODEL (name marts.customers, kind FULL);\nSELECT customer_id FROM raw.customers WHERE customer_id NOT IN (SELECT customer_id FROM marts.orders)\n',
        },
      },
      {
        because: 'a grain identifies rows, so it has no NULL',
        files: {
          'models/orders.sql':
            'MODEL (name marts.orders, kind FULL, grain order_id);\nSELECT order_id FROM raw.orders\n',
          'models/a.sql':
            'MODEL (name marts.a, kind FULL);\nSELECT order_id FROM raw.orders WHERE order_id NOT IN (SELECT order_id FROM marts.orders)\n',
        },
      },
    ],
  },
  *inspect(query) {
    for (const node of query.nodes('in')) {
      if (!node.negated || node.set.kind !== 'query') continue;
      const select = onlySelect(node.set.query.body);
      const [column, ...more] = select?.projections ?? [];
      if (select === undefined || column === undefined || more.length > 0) continue;
      if (column.expression.kind !== 'column' || excludesNull(select)) continue;
      const origin = originOf(column.expression, select, query);
      if (origin !== undefined && 'table' in origin)
        yield { span: node.span, words: [origin.table, origin.column] };
    }
  },
  decide({ model, at, words: [table = '', column = ''], context }) {
    const source = knownTable(context.project, model, table);
    return source !== undefined && isNeverNull(source, column)
      ? undefined
      : diagnostic('lint.not-in-nullable', { model: model.name, column: `${table}.${column}` }, { at });
  },
});

/** Any condition on the column leaves NULL out, and so do groups that are counted: what is not understood is not reported. */
function excludesNull(select: Select): boolean {
  const [column] = select.projections;
  const name = column?.expression.kind === 'column' ? column.expression.name.name.toLowerCase() : '';
  return conjunctsOf(select.where).some((condition) => {
    const parts =
      condition.kind === 'is'
        ? condition.negated && condition.test === 'NULL'
          ? [condition.operand]
          : []
        : condition.kind === 'binary' && ['=', '<', '>', '<=', '>=', '<>'].includes(condition.operator)
          ? [condition.left, condition.right]
          : condition.kind === 'between' || condition.kind === 'in' || condition.kind === 'like'
            ? [condition.operand]
            : [];
    return parts.some((part) => part.kind === 'column' && part.name.name.toLowerCase() === name);
  });
}

function isNeverNull({ grains, audits, kind }: Model, column: string): boolean {
  const isColumn = (name: string): boolean => name.replace(/^"|"$/g, '').toLowerCase() === column;
  const keys = 'uniqueKey' in kind ? kind.uniqueKey : [];
  return (
    [...grains.flat(), ...keys].some(isColumn) ||
    audits.some(
      ({ name, arguments: given }) =>
        name.startsWith('not_null') && (given['columns'] ?? '').split(/[(),[\]\s]+/).some(isColumn),
    )
  );
}
