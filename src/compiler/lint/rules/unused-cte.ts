import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Edit } from '../../../foundation/sql/splice.ts';
import type { CommonTable, Query, Span } from '../../../foundation/sql/tree.ts';
import type { InspectedQuery } from '../inspected-query.ts';
import { queryRule } from '../query-rule.ts';

export const unusedCte = queryRule({
  name: 'unused-cte',
  byDefault: 'warning',
  why: 'A common table that nothing reads costs every reader of the query time.',
  examples: {
    bad: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL);\nWITH «paid» AS (\n  SELECT order_id FROM raw.orders\n),\n«open» AS (\n  SELECT order_id FROM paid\n)\nSELECT order_id, status FROM raw.orders\n',
    },
    good: {
      'models/orders.sql':
        "MODEL (name marts.orders, kind FULL);\nWITH paid AS (\n  SELECT order_id, status FROM raw.orders WHERE status = 'paid'\n)\nSELECT order_id, status FROM paid\n",
    },
    unless: [
      {
        because: 'a common table is read by another one that is read',
        files: {
          'models/orders.sql':
            'MODEL (name marts.orders, kind FULL);\nWITH a AS (SELECT order_id FROM raw.orders), b AS (SELECT order_id FROM a)\nSELECT order_id FROM b\n',
        },
      },
      {
        because: 'a macro decides which one is read',
        files: {
          'models/orders.sql':
            "MODEL (name marts.orders, kind FULL);\nWITH a AS (SELECT order_id FROM raw.orders), b AS (SELECT order_id FROM raw.orders)\nSELECT order_id FROM @IF(@gateway = 'other', a, b)\n",
        },
      },
    ],
  },
  fixes:
    'Removes it. Rows and columns stay the same; tables that nothing else reads are no longer dependencies.',
  *inspect(query) {
    if (query.commonTables.size === 0) return;
    const hasMacros = query.text !== writtenQuery(query);
    for (const each of query.nodes('query')) {
      const tables = each.with?.tables ?? [];
      if (tables.length === 0) continue;
      const read = readTables(each, query);
      const unused = tables.map((table) => !read.has(table));
      if (!unused.includes(true)) continue;
      const fixes = fixesOf(each, unused, query);
      for (const [i, { name }] of tables.entries()) {
        if (unused[i] !== true || (hasMacros && query.mentions(name.name) > 1)) continue;
        const fix = hasMacros ? undefined : fixes.get(i);
        yield { span: name.span, words: [name.name], ...(fix === undefined ? {} : { fix }) };
      }
    }
  },
  decide({ model, at, words, context }) {
    const name = words[0] ?? '';
    const isTested = context.project.tests.some(({ subject, outputs }) => {
      const isOfModel = subject.kind === 'model' && subject.model.value.toLowerCase() === model.name;
      return isOfModel && outputs.ctes.some((cte) => cte.name.value.toLowerCase() === name.toLowerCase());
    });
    return isTested ? undefined : diagnostic('lint.unused-cte', { model: model.name, name }, { at });
  },
});

function writtenQuery({ definition }: InspectedQuery): string {
  return definition.source.kind === 'sql' ? definition.source.query.text : '';
}

/** What the result needs, directly or through other common tables. */
function readTables({ with: list, span }: Query, { nodes }: InspectedQuery): ReadonlySet<CommonTable> {
  const tables = list?.tables ?? [];
  /** Names that the result reads, and then those that each common table does. */
  const read = new Set<string>();
  const readBy = new Map(tables.map((table) => [table, new Set<string>()]));
  for (const { parts, span: at } of nodes('table')) {
    if (parts.length !== 1 || !isWithin(at, span)) continue;
    const reader = tables.find((table) => isWithin(at, table.query.span));
    (reader === undefined ? read : readBy.get(reader))?.add(keyOf(parts[0]?.name));
  }
  const done = new Set<CommonTable>();
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false;
    for (const table of tables) {
      if (done.has(table) || !read.has(keyOf(table.name.name))) continue;
      done.add(table);
      for (const name of readBy.get(table) ?? []) read.add(name);
      isGrowing = true;
    }
  }
  return done;
}

const isWithin = (inner: Span, outer: Span): boolean => inner.start >= outer.start && inner.end <= outer.end;

const keyOf = (name: string | undefined): string => name?.toLowerCase() ?? '';

/** What is to be cut out, by the position of the common table whose finding it belongs to. */
function fixesOf(
  { with: list, span, body }: Query,
  unused: readonly boolean[],
  { text }: InspectedQuery,
): ReadonlyMap<number, Edit> {
  const fixes = new Map<number, Edit>();
  const tables = list?.tables ?? [];
  const [first, last] = [tables[0], tables.at(-1)];
  if (first === undefined || last === undefined || list?.recursive === true) return fixes;
  const isComma = (from: Span, to: Span): boolean => /^\s*,\s*$/.test(text.slice(from.end, to.start));
  const isPlain =
    /^WITH\s+$/i.test(text.slice(span.start, first.span.start)) &&
    /^\s*$/.test(text.slice(last.span.end, body.span.start)) &&
    tables.slice(1).every((table, i) => isComma(tables[i]?.span ?? span, table.span));
  if (!isPlain) return fixes;
  const cut = (start: number, end: number): Edit => ({ start, end, text: '' });
  const kept = unused.lastIndexOf(false);
  if (kept < 0) return new Map([[0, cut(span.start, body.span.start)]]);
  for (let i = 0; i < kept; i++)
    if (unused[i] === true) fixes.set(i, cut(tables[i]?.span.start ?? 0, tables[i + 1]?.span.start ?? 0));
  if (kept < tables.length - 1) fixes.set(kept + 1, cut(tables[kept]?.span.end ?? 0, last.span.end));
  return fixes;
}
