/** One random edit of a random query, of a kind that is counted by name. */
import {
  aggregateOf,
  columnOf,
  conditionOf,
  type Expr,
  exprOf,
  hasAggregate,
  type Item,
  type QueryNode,
  type SelectNode,
  type Source,
  sourceColumns,
  TABLES,
  type Tape,
} from './random-query.ts';

const around = { depth: 2, common: [], outer: [], counter: { value: 90 }, tables: TABLES };

type Edit = (query: QueryNode, tape: Tape) => boolean;

/** Everything of a sort inside a query, found by its shape. */
function collect<Found>(root: unknown, isIt: (value: object) => boolean): Found[] {
  const seen = new Set<unknown>();
  const found: Found[] = [];
  const waiting: unknown[] = [root];
  for (let value = waiting.shift(); value !== undefined; value = waiting.shift()) {
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (isIt(value)) found.push(value as Found);
    waiting.push(...Object.values(value).filter((each) => each !== undefined));
  }
  return found;
}

const selects = (query: QueryNode): SelectNode[] =>
  collect(query, (value) => 'items' in value && 'sources' in value);
const sourcesIn = (query: QueryNode): Source[] =>
  collect(query, (value) => 'from' in value && 'join' in value);
const queriesIn = (query: QueryNode): QueryNode[] =>
  collect(query, (value) => 'first' in value && 'rest' in value);
const columnsIn = (query: QueryNode): Extract<Expr, { kind: 'column' }>[] =>
  collect(query, (value) => 'kind' in value && value.kind === 'column');
const visible = (select: SelectNode): Source[] =>
  select.sources.filter((source) => !['SEMI JOIN', 'ANTI JOIN'].includes(source.join));

/** The outermost select more often than those inside. */
function someSelect(query: QueryNode, tape: Tape): SelectNode {
  return tape.below(3) < 2 ? query.first : tape.pick(selects(query));
}

function newItem(select: SelectNode, tape: Tape): Item {
  const isGrouped = select.group !== 'no' || select.items.some((item) => hasAggregate(item.expr));
  const used = new Set(select.items.map((item) => item.alias));
  const names = ['extra', 'a', 'b', 'x', 'k', 'y', 'n'].filter((name) => !used.has(name));
  const alias = names.length === 0 ? 'extra2' : names[tape.below(names.length)];
  return {
    expr: isGrouped ? aggregateOf(tape, visible(select)) : exprOf(tape, around, visible(select), select),
    alias,
  };
}

/** Whether a join may make NULLs of all columns of the source. */
function isNullable(query: QueryNode, source: Source): boolean {
  const around = selects(query).find((select) => select.sources.includes(source));
  const after = around?.sources.slice(around.sources.indexOf(source) + 1) ?? [];
  return /^(LEFT|FULL)/.test(source.join) || after.some((each) => /^(RIGHT|FULL)/.test(each.join));
}

/** A select without clauses, as often as it is asked for: edits change the lists of a clause in place. */
const plain = (items: Item[], source: Source): SelectNode => ({
  ...{ distinct: 'no', items, sources: [source] },
  ...{ where: [], group: 'no', having: [], qualify: [] },
});

const EDITS: Readonly<Record<string, Edit>> = {
  'add projection': (query, tape) => {
    const select = someSelect(query, tape);
    select.items.splice(
      tape.rarely(3) ? tape.below(select.items.length + 1) : select.items.length,
      0,
      newItem(select, tape),
    );
    return true;
  },
  'widen inner select': (query, tape) => {
    const inner = selects(query).slice(1);
    if (inner.length === 0) return false;
    const select = tape.pick(inner);
    select.items.push(newItem(select, tape));
    return true;
  },
  'capture alias': (query, tape) => {
    const isBare = (value: object): boolean =>
      ('kind' in value && value.kind === 'name') || ('isQualified' in value && value.isQualified === false);
    const barest = selects(query).filter(
      (each) => collect([each.having, each.qualify], isBare).length > 0 && Array.isArray(each.sources),
    );
    const select = barest.length > 0 && !tape.rarely(4) ? tape.pick(barest) : someSelect(query, tape);
    const late = collect<Expr>([select.having, select.qualify], isBare);
    const named =
      late.length > 0
        ? late
        : collect<Expr>([select.where, select === query.first ? query.order : []], isBare);
    const used = new Set(select.items.map((item) => item.alias));
    const names = named.map((expr) => (expr as { name: string }).name).filter((name) => !used.has(name));
    const alias = tape.pick(
      names.length > 0 && !tape.rarely(4) ? names : ['a', 'b', 'k', 'x', 'n', 'm', 'o0'],
    );
    const isGrouped = select.items.some((item) => hasAggregate(item.expr));
    const expr: Expr = isGrouped
      ? aggregateOf(tape, visible(select))
      : {
          kind: 'binary',
          operator: '-',
          left: { kind: 'number', value: 1 },
          right: columnOf(tape, visible(select)),
        };
    select.items.push({ expr, alias });
    return true;
  },
  'widen set operation': (query, tape) => {
    const some = queriesIn(query).filter((each) => each.rest.length > 0);
    if (some.length === 0) return false;
    const { first, rest } = tape.pick(some);
    for (const select of [first, ...rest.map((each) => each.select)])
      select.items.push({ ...newItem(select, tape), alias: 'wide' });
    return true;
  },
  'change key': (query, tape) => {
    const grouped = selects(query).filter((select) => select.group !== 'no');
    const joined = selects(query).flatMap((select) =>
      select.sources.some((source) => /USING|NATURAL/.test(source.join)) ? select.sources : [],
    );
    const inner = joined.flatMap(({ from }) =>
      from.kind === 'derived' ? [from.query.first] : from.kind === 'common' ? [from.table.query.first] : [],
    );
    const keys = [
      ...grouped.flatMap((select) =>
        select.items.filter((item) => item.expr.kind === 'column').map((item) => ({ select, item })),
      ),
      ...inner.flatMap((select) =>
        select.items.filter((item) => item.alias === 'k').map((item) => ({ select, item })),
      ),
    ];
    if (keys.length === 0) return false;
    const { select, item } = tape.pick(keys);
    item.expr = columnOf(tape, visible(select));
    return true;
  },
  'meet in NATURAL JOIN': (query, tape) => {
    const some = selects(query).filter((select) =>
      select.sources.some((source) => source.join === 'NATURAL JOIN' && source.from.kind !== 'table'),
    );
    if (some.length === 0) return false;
    const { sources } = tape.pick(some);
    const inner = sources.find((source) => source.join === 'NATURAL JOIN' && source.from.kind !== 'table');
    if (inner?.from.kind !== 'derived' && inner?.from.kind !== 'common') return false;
    const { first } = inner.from.kind === 'derived' ? inner.from.query : inner.from.table.query;
    const names = sourceColumns(sources[0] as Source).filter((name) => !sourceColumns(inner).includes(name));
    if (names.length === 0) return false;
    first.items.push({ ...newItem(first, tape), alias: tape.pick(names) });
    return true;
  },
  'change joined table': (query, tape) => {
    const some = selects(query).flatMap(({ sources }) => {
      if (!sources.some((source) => /USING|NATURAL/.test(source.join))) return [];
      return sources.flatMap((source) => {
        const { from } = source;
        if (from.kind !== 'table') return [];
        const others = new Set(sources.filter((each) => each !== source).flatMap(sourceColumns));
        return from.columns.filter((name) => others.has(name)).map((name) => ({ source, from, name }));
      });
    });
    if (some.length === 0) return false;
    const { source, from, name } = tape.pick(some);
    const inner: Source = { alias: 'i', from, join: ',', on: undefined };
    const other = tape.pick(from.columns.filter((each) => each !== name));
    const items = from.columns.map((alias): Item => {
      const column = alias === name ? other : alias;
      return { expr: { kind: 'column', source: inner, name: column, isQualified: false }, alias };
    });
    const read = { common: [], first: plain(items, inner), rest: [], order: [], limit: undefined };
    source.from = { kind: 'derived', query: read };
    return true;
  },
  'remove projection': (query, tape) => {
    const select = someSelect(query, tape);
    if (select.items.length < 2) return false;
    select.items.splice(tape.below(select.items.length), 1);
    return true;
  },
  'change expression': (query, tape) => {
    const select = someSelect(query, tape);
    const item = tape.pick(select.items);
    item.expr = newItem(select, tape).expr;
    return true;
  },
  'reorder projections': (query, tape) => {
    const select = someSelect(query, tape);
    if (select.items.length < 2) return false;
    select.items.push(...select.items.splice(0, 1));
    return true;
  },
  'toggle DISTINCT': (query, tape) => {
    const select = someSelect(query, tape);
    select.distinct = select.distinct === 'no' ? 'yes' : 'no';
    return true;
  },
  'add condition': (query, tape) => {
    const select = someSelect(query, tape);
    select.where.push(conditionOf(tape, around, visible(select)));
    return true;
  },
  'move expression out': (query, tape) => {
    const inner = (source: Source): QueryNode | undefined =>
      source.from.kind === 'common'
        ? source.from.table.query
        : source.from.kind === 'derived'
          ? source.from.query
          : undefined;
    const movable = columnsIn(query).flatMap((column) => {
      const found = inner(column.source);
      if (found === undefined || found.rest.length > 0 || found.first.distinct !== 'no') return [];
      const item = found.first.items.find((each) => each.alias === column.name);
      if (item === undefined || (item.expr.kind !== 'binary' && item.expr.kind !== 'call')) return [];
      return [{ column, item, items: found.first.items }];
    });
    if (movable.length === 0) return false;
    const outer = movable.filter(({ column }) => isNullable(query, column.source));
    const { column, item, items } = tape.pick(outer.length > 0 && !tape.rarely(4) ? outer : movable);
    const moved = structuredClone(item.expr) as Expr;
    const { source } = column;
    for (const part of collect<Extract<Expr, { kind: 'column' }>>(
      moved,
      (value) => 'kind' in value && value.kind === 'column',
    )) {
      const original = columnsIn({ first: { items: [item] } } as never).find(
        (each) => each.name === part.name && each.source.alias === part.source.alias,
      );
      if (original === undefined) return false;
      const alias = `raw_${items.length}`;
      items.push({ expr: { ...original }, alias });
      Object.assign(part, { source, name: alias, isQualified: true });
    }
    // The reference becomes the expression in place: whoever holds it holds that now.
    for (const key of Object.keys(column)) delete (column as Partial<Record<string, unknown>>)[key];
    Object.assign(column, moved);
    return true;
  },
  'remove condition': (query, tape) => {
    const some = selects(query).filter((select) => select.where.length > 0);
    if (some.length === 0) return false;
    const { where } = tape.pick(some);
    where.splice(tape.below(where.length), 1);
    return true;
  },
  'change literal': (query, tape) => {
    const literals = collect<Extract<Expr, { kind: 'number' }>>(
      query,
      (value) => 'kind' in value && value.kind === 'number',
    );
    if (literals.length === 0) return false;
    tape.pick(literals).value += 1;
    return true;
  },
  'change join': (query, tape) => {
    const joined = selects(query)
      .flatMap((select) => select.sources.slice(1))
      .filter((source) => source.on !== undefined);
    if (joined.length === 0) return false;
    const source = tape.pick(joined);
    source.join = source.join === 'LEFT JOIN' ? 'JOIN' : 'LEFT JOIN';
    return true;
  },
  'add aggregate': (query, tape) => {
    const select = someSelect(query, tape);
    select.items.push({ expr: aggregateOf(tape, visible(select)), alias: 'total' });
    return true;
  },
  'change limit': (query, tape) => {
    const some = tape.pick(queriesIn(query));
    some.limit = some.limit === undefined ? 1 + tape.below(4) : tape.rarely(2) ? undefined : some.limit + 1;
    return true;
  },
  'change order': (query, tape) => {
    const some = queriesIn(query).filter((each) => each.order.length > 0);
    if (some.length === 0) return false;
    const inner = some.filter((each) => each !== query);
    const { order } = tape.pick(inner.length > 0 ? inner : some);
    const item = tape.pick(order);
    item.isDescending = !item.isDescending;
    return true;
  },
  'change set operation': (query) => {
    const [operation] = queriesIn(query).flatMap((each) => each.rest);
    if (operation === undefined) return false;
    operation.operator = operation.operator === 'UNION ALL' ? 'UNION' : 'UNION ALL';
    return true;
  },
  'group by all': (query, tape) => {
    const grouped = selects(query).filter((select) => select.group !== 'no');
    if (grouped.length === 0) return false;
    const select = tape.pick(grouped);
    select.group = select.group === 'all' ? 'positions' : 'all';
    return true;
  },
  // From here on nothing changes.
  'rename CTE': (query) => {
    const [table] = query.common;
    if (table === undefined) return false;
    table.name = 'renamed';
    return true;
  },
  'inline CTE': (query, tape) => {
    if (query.common.length === 0) return false;
    const at = tape.below(query.common.length);
    const [table] = query.common.splice(at, 1);
    for (const source of sourcesIn(query))
      if (source.from.kind === 'common' && source.from.table === table)
        source.from = { kind: 'derived', query: structuredClone(table.query) };
    // Copies of an inlined table name the same inner tables, which are still there.
    relink(query);
    return true;
  },
  'reorder CTEs': (query) => {
    const [first, second] = query.common;
    if (first === undefined || second === undefined) return false;
    if (sourcesIn(second.query).some((source) => source.from.kind === 'common')) return false;
    query.common.splice(0, 2, second, first);
    return true;
  },
  'unused CTE': (query) => {
    const extra = structuredClone(query.common[0]?.query ?? { ...query, common: [] });
    query.common.push({ name: 'unused', query: extra });
    relink(query);
    return true;
  },
  'wrap in CTE': (query) => {
    const common = query.common;
    const inner: QueryNode = { ...query, common: [] };
    const table = { name: 'final', query: inner };
    const source: Source = { alias: 'f', from: { kind: 'common', table }, join: ',', on: undefined };
    query.common = [...common, table];
    const star = { kind: 'star', source: undefined, exclude: undefined } as const;
    query.first = plain([{ expr: star, alias: undefined }], source);
    query.rest = [];
    query.order = [];
    query.limit = undefined;
    return true;
  },
  'reorder conjuncts': (query, tape) => {
    const some = selects(query).filter((select) => select.where.length > 1);
    if (some.length === 0) return false;
    tape.pick(some).where.reverse();
    return true;
  },
  'turn comparison': (query, tape) => {
    const turned: Readonly<Record<string, string>> = {
      '=': '=',
      '<>': '<>',
      '<': '>',
      '>': '<',
      '>=': '<=',
      '<=': '>=',
    };
    const comparisons = collect<Extract<Expr, { kind: 'binary' }>>(
      query,
      (value) => 'operator' in value && 'left' in value && turned[value.operator as string] !== undefined,
    );
    if (comparisons.length === 0) return false;
    const comparison = tape.pick(comparisons);
    [comparison.left, comparison.right] = [comparison.right, comparison.left];
    comparison.operator = turned[comparison.operator] as string;
    return true;
  },
  'rename table alias': (query, tape) => {
    tape.pick(sourcesIn(query)).alias = 'zz';
    return true;
  },
  parentheses: (query, tape) => {
    const some = collect<Extract<Expr, { kind: 'binary' }>>(
      query,
      (value) => 'operator' in value && 'left' in value,
    );
    if (some.length === 0) return false;
    tape.pick(some).isWrapped = true;
    return true;
  },
  'cast twice': (query) => {
    const [cast] = collect<Extract<Expr, { kind: 'cast' }>>(
      query,
      (value) => 'kind' in value && value.kind === 'cast',
    );
    if (cast === undefined) return false;
    cast.operand = { kind: 'cast', operand: cast.operand };
    return true;
  },
  'rename inner alias': (query, tape) => {
    const [table] = query.common;
    if (table === undefined || table.query.rest.length > 0) return false;
    const item = tape.pick(table.query.first.items);
    const old = item.alias;
    if (old === undefined || item.expr.kind === 'star') return false;
    const readers = sourcesIn(query).filter(
      (source) => source.from.kind === 'common' && source.from.table === table,
    );
    if (readers.some((source) => sourceColumns(source).filter((name) => name === old).length > 1))
      return false;
    item.alias = 'renamed';
    for (const column of columnsIn(query))
      if (readers.includes(column.source) && column.name === old) column.name = 'renamed';
    return true;
  },
};

/** Common tables are found by identity: copies must name those of the query they are in. */
function relink(query: QueryNode): void {
  for (const source of sourcesIn(query))
    if (source.from.kind === 'common') {
      const { name } = source.from.table;
      const table = query.common.find((each) => each.name === name);
      if (table !== undefined) source.from = { kind: 'common', table };
    }
}

const OFTEN = [
  'widen set operation',
  'change key',
  'change joined table',
  'meet in NATURAL JOIN',
  'move expression out',
  'capture alias',
  'change order',
  'add projection',
  'change expression',
  'widen inner select',
  'capture alias',
  'move expression out',
  'add projection',
  'change expression',
  'widen inner select',
];
const EDIT_KINDS: readonly string[] = [...Object.keys(EDITS), ...OFTEN, ...OFTEN];

/** Few queries have what these edit, so they are tried first now and then. */
const KEY_KINDS = ['change key', 'change joined table', 'meet in NATURAL JOIN', 'widen set operation'];

/** Kinds that are tried before a query counts as one where nothing can be edited. */
const ATTEMPTS = 4;

/** The edited query, or undefined where there is nothing of these kinds to edit. */
export function randomEdit(
  query: QueryNode,
  tape: Tape,
): { readonly kind: string; readonly query: QueryNode } | undefined {
  const isOfKeys = tape.rarely(3);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const kind = tape.pick(isOfKeys && attempt < 2 ? KEY_KINDS : EDIT_KINDS);
    const edited = structuredClone(query);
    if ((EDITS[kind] as Edit)(edited, tape)) return { kind, query: edited };
  }
  return undefined;
}
