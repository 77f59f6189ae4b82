/** The relation of one table in FROM. */
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { outputName } from '../../../foundation/sql/resolve/output-name.ts';
import type {
  Join,
  Pivot,
  TableAlias,
  TableExpression,
  TableFunction,
  Unpivot,
  Values,
} from '../../../foundation/sql/tree.ts';
import { unreachable } from '../../../foundation/unreachable.ts';
import { isPlainTableFunction } from './function-facts.ts';
import { everyColumn } from './lookup.ts';
import { checkEquality } from './loose-equality.ts';
import { folded } from './query-change.ts';
import {
  type ClauseTerms,
  type CommonTables,
  newTermScope,
  type TableTerms,
  type TermScope,
  type TermSession,
} from './table-terms.ts';
import type { Term, TermPart } from './terms.ts';
import { Unsure } from './unsure.ts';

interface Found {
  readonly relation: TableTerms;
  readonly alias: string;
  readonly path: readonly string[];
}

type Leaf = Exclude<TableExpression, Join>;

const EXACT_TABLES: ReadonlySet<Dialect> = new Set(['mysql', 'bigquery', 'clickhouse']);

/** What a table expression is; `around` is the scope it may refer to, `tables` the common tables it may name. */
export function termsOfSource(
  session: TermSession,
  table: Leaf,
  outer: TermScope | undefined,
  tables: CommonTables | undefined,
): Found {
  switch (table.kind) {
    case 'table': {
      checkSuffix(table.suffix);
      const path = table.parts.map((part) => folded(part.name));
      const common = path.length === 1 && !table.isFile ? tables?.find(path[0] as string) : undefined;
      // Where the case of a table's name matters it stays as written.
      const isExact = EXACT_TABLES.has(session.dialect);
      const name = table.isFile
        ? [`'${table.parts[0]?.name}'`]
        : isExact
          ? table.parts.map((part) => part.name)
          : path;
      const found = common === undefined ? session.table(name) : common();
      const relation = table.suffix === undefined ? found : atVersion(session, found, table.suffix);
      return renamed(session, distinctNames(relation), table.alias, path);
    }
    case 'derived':
      checkSuffix(table.suffix);
      return renamed(
        session,
        distinctNames(session.termsOf(session, table.query, outer, tables)),
        table.alias,
        [],
      );
    case 'values':
      return renamed(session, termsOfValues(session, table, outer, tables), table.alias, []);
    case 'table-function':
      return renamed(session, functionRelation(session, table, outer, tables), table.alias, [
        folded(table.call.name.name),
      ]);
    case 'aliased':
    case 'pivot':
    case 'unpivot':
      return renamed(session, opened(session, table, outer, tables), table.alias, []);
    default:
      return unreachable(table);
  }
}

/** A sample is other rows each time. */
function checkSuffix(suffix: string | undefined): void {
  if (suffix !== undefined && /sample/i.test(suffix))
    throw new Unsure('TABLESAMPLE takes other rows each time');
}

function atVersion(session: TermSession, relation: TableTerms, suffix: string): TableTerms {
  return { ...relation, rows: session.terms.make('version', relation.rows, suffix) };
}

/** A table has each name once: the second `id` of a query is its `id_1`. */
export function distinctNames(relation: TableTerms): TableTerms {
  const names = relation.columns.map((column) => column.name);
  if (new Set(names).size === names.length) return relation;
  if (names.includes(undefined))
    throw new Unsure('a subquery has the same column twice, among others that are not known');
  const used = new Map<string, number>();
  const columns = relation.columns.map((column) => {
    const name = column.name as string;
    const count = used.get(name);
    if (count === undefined) {
      used.set(name, 0);
      return column;
    }
    let next = count + 1;
    while (used.has(`${name}_${next}`)) next++;
    used.set(name, next);
    used.set(`${name}_${next}`, 0);
    return { name: `${name}_${next}`, value: column.value };
  });
  return { ...relation, columns };
}

function renamed(
  session: TermSession,
  relation: TableTerms,
  alias: TableAlias | undefined,
  path: readonly string[],
): Found {
  if (alias === undefined) return { relation, alias: path.at(-1) ?? '', path };
  return {
    relation: {
      ...relation,
      columns: renamedColumns(
        session,
        relation,
        alias.columns.map((name) => name.name),
      ),
    },
    alias: folded(alias.name.name),
    path: [],
  };
}

/** `AS t(a, b)` renames the first columns. */
export function renamedColumns(
  session: TermSession,
  relation: TableTerms,
  names: readonly string[],
): TableTerms['columns'] {
  if (names.length === 0) return relation.columns;
  const { columns } = relation;
  const open = columns.findIndex((column) => column.name === undefined);
  if (open < 0 || open >= names.length)
    return columns.map((column, at) => ({
      name: names[at] === undefined ? column.name : folded(names[at]),
      value: column.value,
    }));
  if (open > 0 || columns.length > 1) throw new Unsure('columns that are not known get new names');
  const { value } = columns[0] as TableTerms['columns'][number];
  return names.map((name, at) => ({
    name: folded(name),
    value: session.terms.make('nth', value, String(at)),
  }));
}

/** VALUES: a row is its number, a column what stands at each number. */
export function termsOfValues(
  session: TermSession,
  values: Values,
  outer: TermScope | undefined,
  tables: CommonTables | undefined,
): TableTerms {
  const { terms } = session;
  const clause: ClauseTerms = { scope: newTermScope(outer, tables) };
  const cells = values.rows.map((row) => row.map((cell) => session.value(session, clause, cell)));
  const width = cells[0]?.length ?? 0;
  return {
    rows: terms.make('values', String(cells.length)),
    columns: Array.from({ length: width }, (_, at) => ({
      name: `col${at}`,
      value: terms.make('cells', ...cells.map((row) => row[at] as Term)),
    })),
  };
}

function functionRelation(
  session: TermSession,
  table: TableFunction,
  outer: TermScope | undefined,
  tables: CommonTables | undefined,
): TableTerms {
  const { terms } = session;
  checkSuffix(table.suffix);
  const name = folded(table.call.name.name);
  if (table.call.qualifiers.length > 0 || !isPlainTableFunction(name, session.dialect))
    throw new Unsure(`${name}() in FROM is not a function Plinth knows`);
  const clause: ClauseTerms = { scope: newTermScope(outer, tables) };
  const parts = table.call.arguments.flatMap((argument) => [
    argument.name?.name ?? '',
    session.value(session, clause, argument.value),
  ]);
  const rows = terms.make('function', name, table.withOrdinality ? 'ordinality' : '', ...parts);
  return { rows, columns: [{ name: undefined, value: terms.make('of', rows) }] };
}

/** Things whose columns follow from their whole source: every column of it counts, and none of theirs is known by name. */
function opened(
  session: TermSession,
  table: Extract<TableExpression, { kind: 'aliased' | 'pivot' | 'unpivot' }>,
  outer: TermScope | undefined,
  tables: CommonTables | undefined,
): TableTerms {
  if (table.kind === 'aliased') return starOf(session, table.table, outer, tables);
  return pivoted(session, table, outer, tables);
}

/** `SELECT * FROM table`. */
function starOf(
  session: TermSession,
  table: TableExpression,
  outer: TermScope | undefined,
  tables: CommonTables | undefined,
): TableTerms {
  const span = table.span;
  const star = { kind: 'star', qualifiers: [], exclude: [], replace: [], rename: [], span } as const;
  const body = {
    kind: 'select', distinct: 'none', projections: [{ expression: star, span }], from: [table], windows: [], span,
  } as const; // biome-ignore format: one select
  return distinctNames(session.termsOf(session, { kind: 'query', body, orderBy: [], span }, outer, tables));
}

/** PIVOT groups by all columns it does not name, so a new column of its source is a change of its rows. */
export function pivoted(
  session: TermSession,
  table: Pivot | Unpivot,
  outer: TermScope | undefined,
  tables: CommonTables | undefined,
): TableTerms {
  const { terms } = session;
  const source = starOf(session, table.source, outer, tables);
  const scope = newTermScope(outer, tables);
  scope.sources.push({ alias: nameOf(table.source), path: [], columns: source.columns, hidden: new Set() });
  if (source.arrival !== undefined) scope.arrivals.push(source.arrival);
  // It groups by all of them.
  if (table.kind === 'pivot')
    checkEquality(
      session,
      source.columns.map((column) => column.value),
    );
  const clause: ClauseTerms = { scope, aggregateOver: source.rows };
  const value = (expression: Parameters<TermSession['value']>[2]): Term =>
    session.value(session, clause, expression);
  const parts: TermPart[] =
    table.kind === 'pivot'
      ? [
          ...table.aggregates.flatMap((item) => [
            item.alias?.name ?? outputName(item.expression),
            value(item.expression),
          ]),
          'on',
          ...table.on.flatMap((item) => [
            value(item.expression),
            item.values === undefined ? 'found' : 'listed',
            ...(item.values ?? []).flatMap((each) => [
              each.alias?.name ?? '',
              label(session, each.expression),
            ]),
          ]),
          'group',
          ...table.groupBy.map(value),
        ]
      : [
          table.includeNulls ? 'nulls' : '',
          table.nameColumn.name,
          ...table.valueColumns.map((column) => column.name),
          // The names of the columns become data.
          ...table.columns.flatMap((column) => [
            column.alias?.name ?? '',
            ...column.expressions.flatMap((each) => [outputName(each), value(each)]),
          ]),
        ];
  const rows = terms.make(table.kind, source.rows, 'of', ...everyColumn(source.columns), 'as', ...parts);
  return { rows, columns: [{ name: undefined, value: terms.make('of', rows) }] };
}

/** A pivoted value is a constant, or a word that stands for one. */
function label(session: TermSession, expression: Parameters<TermSession['value']>[2]): TermPart {
  if (expression.kind === 'column') return `${expression.name.name}`;
  return session.value(session, { scope: newTermScope(undefined, undefined) }, expression);
}

function nameOf(table: TableExpression): string {
  if (table.kind === 'join') return '';
  if ('alias' in table && table.alias !== undefined) return folded(table.alias.name.name);
  return table.kind === 'table' ? folded(table.parts.at(-1)?.name ?? '') : '';
}
