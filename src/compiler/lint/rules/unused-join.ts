import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { joinsOf } from '../../../foundation/sql/from-tables.ts';
import type { Join, Select, Span } from '../../../foundation/sql/tree.ts';
import type { InspectedQuery } from '../inspected-query.ts';
import { queryRule } from '../query-rule.ts';
import { nameOf } from '../query-sources.ts';

export const unusedJoin = queryRule({
  name: 'unused-join',
  byDefault: 'warning',
  why: 'A LEFT JOIN whose table gives no column either does nothing or repeats rows.',
  examples: {
    bad: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL);\nSELECT o.order_id, o.status\nFROM raw.orders AS o\nLEFT JOIN «raw.customers AS c» ON c.customer_id = o.customer_id\n',
    },
    good: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL);\nSELECT o.order_id, o.status\nFROM raw.orders AS o\n',
    },
    unless: [
      {
        because: 'a condition asks for rows without a partner',
        files: {
          'models/a.sql':
            'MODEL (name marts.a, kind FULL);\nSELECT o.order_id FROM raw.orders AS o LEFT JOIN raw.customers AS c ON c.customer_id = o.customer_id WHERE c.customer_id IS NULL\n',
        },
      },
      {
        because: 'an inner join filters',
        files: {
          'models/a.sql':
            'MODEL (name marts.a, kind FULL);\nSELECT o.order_id FROM raw.orders AS o JOIN raw.customers AS c ON c.customer_id = o.customer_id\n',
        },
      },
      {
        because: 'a column without a table may be its',
        files: {
          'models/a.sql':
            'MODEL (name marts.a, kind FULL);\nSELECT o.order_id, country FROM raw.orders AS o LEFT JOIN raw.customers AS c ON c.customer_id = o.customer_id\n',
        },
      },
    ],
  },
  *inspect(query) {
    for (const select of query.nodes('select'))
      for (const join of joinsOf(select.from)) {
        const name = unusedName(join, select, query);
        if (name !== undefined) yield { span: join.right.span, words: [name] };
      }
  },
  decide: ({ model, at, words }) =>
    diagnostic('lint.unused-join', { model: model.name, table: words[0] ?? '' }, { at }),
});

/** Names are counted in the text, so that an ORDER BY, a query inside and a macro count too. */
function unusedName(join: Join, select: Select, query: InspectedQuery): string | undefined {
  const { type, right, on, natural, asof } = join;
  if (type !== 'left' || natural || asof || on === undefined) return undefined;
  if (right.kind !== 'table' && right.kind !== 'derived') return undefined;
  if (right.kind === 'derived' && right.lateral) return undefined;
  const name = nameOf(right);
  // Most joins end here: the text says the same more slowly.
  if (name === undefined || isColumnRead(name, on.span, query) || !isAllQualified(select, query))
    return undefined;
  const isMacroFree =
    query.definition.source.kind === 'sql' && query.definition.source.query.text === query.text;
  const around = query.text.slice(0, on.span.start) + query.text.slice(on.span.end);
  const isNamed = new RegExp(`(?<![\\w"\`\\]])["\`[]?${escaped(name)}["\`\\]]?\\s*\\.`, 'i').test(around);
  const isWritten = !isMacroFree && query.mentions(name) > wordsIn(query.text, name);
  return isNamed || isWritten ? undefined : name;
}

/** Whether a column anywhere but in the condition says that it is of the table. */
function isColumnRead(name: string, { start, end }: Span, { nodes }: InspectedQuery): boolean {
  return nodes('column').some(
    ({ span, qualifiers }) =>
      (span.start < start || span.start >= end) && qualifiers.at(-1)?.name.toLowerCase() === name,
  );
}

/** No star and no bare column: every column says whose it is. */
function isAllQualified(select: Select, query: InspectedQuery): boolean {
  return query
    .own(select)
    .every((node) => (node.kind === 'column' || node.kind === 'star' ? node.qualifiers.length > 0 : true));
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const wordsIn = (text: string, name: string): number =>
  [...text.matchAll(new RegExp(`(?<!\\w)${escaped(name)}(?!\\w)`, 'gi'))].length;
