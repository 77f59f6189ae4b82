/**
 * Random queries over three small tables, decoded from a tape of numbers: shorter tapes and smaller numbers are simpler
 * queries, so whatever shrinks a list of numbers shrinks a failure. Names come from a small pool, so that aliases,
 * columns and common tables get into each other's way.
 */
export const TABLES: Tables = {
  t: ['a', 'b', 'x', 'k'],
  u: ['k', 'y', 'c'],
  v: ['k', 'a', 'z'],
};

/** Whether a column holds floating-point numbers; the others are whole. */
export const isFloating = (column: string): boolean => ['x', 'y', 'z'].includes(column);

const NAMES = ['n', 'm', 'a', 'b', 'x', 'k', 'y', 'c', 'z'];

/** Reads numbers; past its end everything is the simplest choice. */
export class Tape {
  private at = 0;
  private readonly numbers: readonly number[];

  constructor(numbers: readonly number[]) {
    this.numbers = numbers;
  }

  below(limit: number): number {
    return (this.numbers[this.at++] ?? 0) % limit;
  }

  /** True in one of `of` cases, and never past the end. */
  rarely(of: number): boolean {
    return this.below(of) === of - 1;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
}

export type Expr =
  | { kind: 'column'; source: Source; name: string; isQualified: boolean }
  | { kind: 'name'; name: string }
  | { kind: 'number'; value: number }
  | { kind: 'binary'; operator: string; left: Expr; right: Expr; isWrapped?: boolean }
  | { kind: 'call'; name: string; args: Expr[] }
  | { kind: 'cast'; operand: Expr }
  | { kind: 'aggregate'; name: string; arg: Expr | undefined; isDistinct: boolean }
  | { kind: 'window'; name: string; arg: Expr | undefined; partition: Expr[]; order: Expr[] }
  | { kind: 'scalar'; body: SelectNode }
  | { kind: 'exists'; body: SelectNode }
  | { kind: 'in'; operand: Expr; body: SelectNode }
  | { kind: 'raw'; sql: string };

export interface Source {
  alias: string;
  from:
    | { kind: 'table'; name: string; columns: readonly string[] }
    | { kind: 'common'; table: CommonNode }
    | { kind: 'derived'; query: QueryNode }
    /** Counts of a PIVOT over `k`, which groups by all other columns of the query. */
    | { kind: 'pivoted'; query: QueryNode };
  /** How it is joined to those before it; nothing for the first. */
  join:
    | 'JOIN'
    | 'LEFT JOIN'
    | 'RIGHT JOIN'
    | 'FULL JOIN'
    | 'SEMI JOIN'
    | 'ANTI JOIN'
    | 'CROSS JOIN'
    | 'NATURAL JOIN'
    | 'USING'
    | 'LEFT USING'
    | 'FULL USING'
    | ',';
  on: Expr | undefined;
}

export interface Item {
  expr: Expr | { kind: 'star'; source: Source | undefined; exclude: string | undefined };
  alias: string | undefined;
}

export interface SelectNode {
  distinct: 'no' | 'yes' | Expr[];
  items: Item[];
  sources: Source[];
  where: Expr[];
  group: 'no' | 'all' | 'positions' | Expr[];
  isRollup?: boolean;
  having: Expr[];
  qualify: Expr[];
}

export interface CommonNode {
  name: string;
  query: QueryNode;
}

export interface QueryNode {
  common: CommonNode[];
  first: SelectNode;
  rest: { operator: string; select: SelectNode }[];
  order: { expr: Expr; isDescending: boolean }[];
  limit: number | undefined;
}

export type Tables = Readonly<Record<string, readonly string[]>>;

interface Around {
  readonly tables: Tables;
  readonly depth: number;
  readonly common: CommonNode[];
  readonly outer: Source[];
  readonly counter: { value: number };
}

/** A whole query. */
export function randomQuery(tape: Tape, tables: Tables = TABLES): QueryNode {
  if (tape.rarely(4)) return bareQuery(tape, tables);
  const counter = { value: 0 };
  const common: CommonNode[] = [];
  const count = tape.pick([0, 1, 0, 1, 2]);
  for (let at = 0; at < count; at++)
    common.push({
      name: `c${at}`,
      query: queryOf(tape, { depth: 1, common: [...common], outer: [], counter, tables }),
    });
  const query = queryOf(tape, { depth: 0, common, outer: [], counter, tables });
  return { ...query, common };
}

/** Keys and nothing that could hide what a change of them does: two tables joined by name, or groups by position. */
function bareQuery(tape: Tape, tables: Tables): QueryNode {
  const isJoined = tape.below(5) > 1;
  const sources: Source[] = [{ alias: 's0', from: tableOf(tape, tables), join: ',', on: undefined }];
  if (isJoined) {
    const join = tape.pick(['NATURAL JOIN', 'USING', 'NATURAL JOIN', 'LEFT USING', 'NATURAL JOIN'] as const);
    const from: Source['from'] = tape.rarely(3)
      ? { kind: 'derived', query: plainQuery(tape, tables, 1) }
      : tape.rarely(2) && sources[0] !== undefined
        ? sources[0].from
        : tableOf(tape, tables);
    sources.push({ alias: 's1', from, join, on: undefined });
  }
  const columns = sources.map((source): Expr => ({ ...columnOf(tape, [source]), isQualified: true }) as Expr);
  const folds = isJoined ? [] : [aggregateOf(tape, sources), aggregateOf(tape, sources)];
  const first: SelectNode = {
    distinct: 'no',
    items: [...columns, ...folds].map((expr, at) => ({ expr, alias: `o${at}` })),
    sources,
    where: tape.rarely(4) ? [conditionOf(tape, { ...BARE, tables }, sources)] : [],
    group: isJoined ? 'no' : tape.rarely(3) ? 'all' : 'positions',
    having: [],
    qualify: [],
  };
  return { common: [], first, rest: [], order: [], limit: undefined };
}

const BARE: Omit<Around, 'tables'> = { depth: 3, common: [], outer: [], counter: { value: 10 } };

function queryOf(tape: Tape, around: Around): QueryNode {
  const first = selectOf(tape, around, undefined);
  const rest: QueryNode['rest'] = [];
  if (tape.rarely(6)) {
    const operator = tape.pick([
      'UNION ALL',
      'UNION',
      'EXCEPT',
      'INTERSECT',
      'UNION ALL BY NAME',
      'EXCEPT ALL',
    ]);
    rest.push({ operator, select: selectOf(tape, around, first.items.length) });
  }
  const query: QueryNode = { common: [], first, rest, order: [], limit: undefined };
  if (tape.rarely(3)) {
    const names = outputNames(query);
    const sources = rest.length > 0 ? [] : first.sources;
    const orders = 1 + tape.below(3);
    for (let at = 0; at < orders; at++) {
      const expr: Expr = tape.rarely(4)
        ? { kind: 'number', value: 1 + tape.below(names.length) }
        : sources.length > 0 && first.group === 'no' && tape.rarely(2)
          ? columnOf(tape, sources)
          : { kind: 'name', name: tape.pick(names) };
      query.order.push({ expr, isDescending: tape.rarely(2) });
    }
  }
  if (tape.rarely(query.order.length > 0 ? 2 : 9)) query.limit = 1 + tape.below(5);
  return query;
}

/** Joins after which both sides stay visible. */
const JOINS = [
  'JOIN',
  'LEFT JOIN',
  'LEFT JOIN',
  'USING',
  'LEFT USING',
  'FULL USING',
  'NATURAL JOIN',
  'CROSS JOIN',
  'FULL JOIN',
  'RIGHT JOIN',
  'SEMI JOIN',
  'ANTI JOIN',
  ',',
] as const;

function sourceOf(tape: Tape, around: Around, isFirst: boolean, before: readonly Source[]): Source {
  const source: Source = {
    alias: `s${around.counter.value++}`,
    from: tableOf(tape, around.tables),
    join: ',',
    on: undefined,
  };
  if (around.common.length > 0 && tape.below(4) > 0)
    source.from = { kind: 'common', table: tape.pick(around.common) };
  else if (around.depth < 2 && tape.rarely(5))
    source.from = { kind: 'derived', query: queryOf(tape, { ...around, depth: around.depth + 1 }) };
  else if (around.depth < 3 && tape.rarely(12))
    source.from = { kind: 'pivoted', query: plainQuery(tape, around.tables, tape.below(2) + 1) };
  else if (around.depth < 3 && !isFirst && tape.rarely(2))
    source.from = { kind: 'derived', query: plainQuery(tape, around.tables, 1) };
  if (tape.rarely(3)) source.alias = tape.pick(['p', 'q', 'k', 'a']) + source.alias.slice(1);
  if (isFirst) return source;
  source.join = tape.pick(JOINS);
  if (['JOIN', 'LEFT JOIN', 'FULL JOIN', 'RIGHT JOIN', 'SEMI JOIN', 'ANTI JOIN'].includes(source.join))
    source.on = conditionOf(tape, { ...around, depth: 3 }, [...before, source]);
  return source;
}

/** The key of one table with values that are no NULL where its columns are: an outer join makes NULLs of them. */
function plainQuery(tape: Tape, tables: Tables, values: number): QueryNode {
  const source: Source = { alias: 'i', from: tableOf(tape, tables), join: ',', on: undefined };
  const column = (name: string): Expr => ({ kind: 'column', source, name, isQualified: false });
  const items = Array.from(
    { length: values },
    (_, at): Item => ({
      expr: {
        kind: 'call',
        name: 'coalesce',
        args: [column(tape.pick(sourceColumns(source))), { kind: 'number', value: 1 + tape.below(3) }],
      },
      alias: `w${at}`,
    }),
  );
  const key = sourceColumns(source).includes('k') ? 'k' : tape.pick(sourceColumns(source));
  const first: SelectNode = {
    distinct: 'no',
    items: [{ expr: column(key), alias: 'k' }, ...items],
    sources: [source],
    where: [],
    group: 'no',
    having: [],
    qualify: [],
  };
  return { common: [], first, rest: [], order: [], limit: undefined };
}

function tableOf(tape: Tape, tables: Tables): Source['from'] {
  const name = tape.pick(Object.keys(tables));
  return { kind: 'table', name, columns: tables[name] as readonly string[] };
}

export function selectOf(tape: Tape, around: Around, width: number | undefined): SelectNode {
  const sources: Source[] = [];
  const count = 1 + (tape.rarely(2) ? 1 : 0) + (tape.rarely(9) ? 1 : 0);
  for (let at = 0; at < count; at++) sources.push(sourceOf(tape, around, at === 0, sources));
  const visible = sources.filter((source) => !['SEMI JOIN', 'ANTI JOIN'].includes(source.join));
  const select: SelectNode = {
    distinct: 'no',
    items: [],
    sources,
    where: [],
    group: 'no',
    having: [],
    qualify: [],
  };
  const conditions = tape.pick([0, 1, 0, 1, 2]);
  for (let at = 0; at < conditions; at++) select.where.push(conditionOf(tape, around, visible));
  const isGrouped = tape.rarely(4);
  const items = width ?? 1 + tape.below(4);
  for (let at = 0; at < items; at++)
    select.items.push(itemOf(tape, around, visible, { select, isGrouped, at }));
  // What an outer join may make NULL is looked at more often than chance would.
  if (width === undefined && !isGrouped)
    for (const [at, source] of visible.entries())
      if (sourceColumns(source).includes('w0') && tape.below(3) > 0)
        select.items.push({
          expr: { kind: 'column', source, name: 'w0', isQualified: true },
          alias: `j${at}`,
        });
  if (isGrouped) {
    const keys = select.items.filter((item) => !hasAggregate(item.expr)).map((item) => item.expr as Expr);
    select.group = tape.rarely(4) ? 'all' : tape.rarely(2) ? 'positions' : keys;
    select.isRollup = Array.isArray(select.group) && tape.rarely(8);
    const [key] = keys;
    if (key?.kind === 'column' && tape.rarely(2))
      select.having.push({
        kind: 'binary',
        operator: '>',
        left: { ...key, isQualified: false },
        right: { kind: 'number', value: tape.below(3) },
      });
    if (tape.rarely(4))
      select.having.push({
        kind: 'binary',
        operator: '>',
        left: aggregateOf(tape, visible),
        right: { kind: 'number', value: tape.below(3) },
      });
    if (select.group !== 'all' && keys.length === 0) select.group = 'no';
  } else {
    if (tape.rarely(7))
      select.qualify.push({
        kind: 'binary',
        operator: '<=',
        left: windowOf(tape, visible),
        right: { ...columnOf(tape, visible), isQualified: false } as Expr,
      });
    if (tape.rarely(8))
      select.qualify.push({
        kind: 'binary',
        operator: '<=',
        left: windowOf(tape, visible),
        right: { kind: 'number', value: 1 + tape.below(3) },
      });
    if (width === undefined && tape.rarely(5)) {
      const source = tape.rarely(3) ? tape.pick(visible) : undefined;
      const exclude = tape.rarely(5) ? tape.pick(sourceColumns(source ?? (visible[0] as Source))) : undefined;
      select.items.splice(0, tape.rarely(2) ? 1 : select.items.length, {
        expr: { kind: 'star', source, exclude },
        alias: undefined,
      });
    }
    if (tape.rarely(4)) select.distinct = tape.rarely(3) ? [columnOf(tape, visible)] : 'yes';
  }
  return select;
}

interface Making {
  readonly select: SelectNode;
  readonly isGrouped: boolean;
  readonly at: number;
}

export function itemOf(tape: Tape, around: Around, visible: readonly Source[], making: Making): Item {
  const alias = tape.rarely(3) ? tape.pick(NAMES) : `o${making.at}`;
  if (making.isGrouped)
    return {
      expr: making.at === 0 || tape.rarely(3) ? columnOf(tape, visible) : aggregateOf(tape, visible),
      alias,
    };
  return { expr: exprOf(tape, around, visible, making.select), alias };
}

export function columnOf(tape: Tape, sources: readonly Source[]): Expr {
  const source = tape.pick(sources);
  const columns = sourceColumns(source);
  const name = tape.pick(columns.length === 0 ? ['k'] : columns);
  const isShared = sources.filter((each) => sourceColumns(each).includes(name)).length > 1;
  return { kind: 'column', source, name, isQualified: isShared || tape.below(3) > 0 };
}

export function exprOf(
  tape: Tape,
  around: Around,
  sources: readonly Source[],
  select: SelectNode | undefined,
): Expr {
  switch (tape.below(13)) {
    case 5:
      return {
        kind: 'binary',
        operator: tape.pick(['+', '-', '*']),
        left: columnOf(tape, sources),
        right: columnOf(tape, sources),
      };
    case 6:
      return {
        kind: 'binary',
        operator: tape.pick(['+', '-', '*']),
        left: columnOf(tape, sources),
        right: { kind: 'number', value: tape.below(4) },
      };
    case 7:
      return {
        kind: 'call',
        name: 'coalesce',
        args: [
          columnOf(tape, sources),
          tape.rarely(2) ? columnOf(tape, sources) : { kind: 'number', value: 7 },
        ],
      };
    case 8:
      return windowOf(tape, sources);
    case 9:
      return { kind: 'cast', operand: columnOf(tape, sources) };
    case 10: {
      const aliased = select?.items.filter((item) => item.alias !== undefined) ?? [];
      return aliased.length === 0
        ? columnOf(tape, sources)
        : {
            kind: 'binary',
            operator: '+',
            left: { kind: 'name', name: tape.pick(aliased).alias as string },
            right: { kind: 'number', value: 1 },
          };
    }
    case 11:
      return around.depth < 3
        ? { kind: 'scalar', body: innerSelect(tape, around, sources, 'max') }
        : columnOf(tape, sources);
    case 12:
      return tape.rarely(3)
        ? { kind: 'raw', sql: tape.pick(['random()', 'unnest([1, 2])', '42']) }
        : { kind: 'call', name: 'abs', args: [columnOf(tape, sources)] };
    default:
      return columnOf(tape, sources);
  }
}

/** A subquery over one table, correlated with the query around it more often than not. */
function innerSelect(
  tape: Tape,
  around: Around,
  sources: readonly Source[],
  aggregate: string | undefined,
): SelectNode {
  const source = sourceOf(tape, { ...around, depth: 3 }, true, []);
  const column = columnOf(tape, [source]);
  const where: Expr[] =
    tape.below(3) > 0
      ? [{ kind: 'binary', operator: '=', left: columnOf(tape, [source]), right: columnOf(tape, sources) }]
      : [];
  const expr: Expr =
    aggregate === undefined ? column : { kind: 'aggregate', name: aggregate, arg: column, isDistinct: false };
  return {
    distinct: 'no',
    items: [{ expr, alias: undefined }],
    sources: [source],
    where,
    group: 'no',
    having: [],
    qualify: [],
  };
}

export function conditionOf(tape: Tape, around: Around, sources: readonly Source[]): Expr {
  switch (tape.below(sources.length === 1 ? 10 : 9)) {
    case 4:
      return {
        kind: 'binary',
        operator: 'IS DISTINCT FROM',
        left: columnOf(tape, sources),
        right: columnOf(tape, sources),
      };
    case 5:
      return around.depth < 3
        ? { kind: 'exists', body: innerSelect(tape, around, sources, undefined) }
        : { kind: 'binary', operator: '=', left: columnOf(tape, sources), right: columnOf(tape, sources) };
    case 6:
      return around.depth < 3
        ? {
            kind: 'in',
            operand: columnOf(tape, sources),
            body: innerSelect(tape, around, sources, undefined),
          }
        : { kind: 'binary', operator: '<', left: columnOf(tape, sources), right: columnOf(tape, sources) };
    case 7:
      return {
        kind: 'binary',
        operator: '>',
        left: {
          kind: 'name',
          name: tape.pick([...sources.flatMap(sourceColumns), ...NAMES.slice(0, 2), 'o0', 'o1']),
        },
        right: { kind: 'number', value: tape.below(3) },
      };
    case 8:
      return {
        kind: 'binary',
        operator: 'OR',
        left: {
          kind: 'binary',
          operator: '=',
          left: columnOf(tape, sources),
          right: { kind: 'number', value: 1 },
        },
        right: {
          kind: 'binary',
          operator: '<',
          left: columnOf(tape, sources),
          right: { kind: 'number', value: 2 },
        },
      };
    case 9:
      return { kind: 'raw', sql: 'COLUMNS(*) IS NOT NULL' };
    case 3:
      return { kind: 'binary', operator: '=', left: columnOf(tape, sources), right: columnOf(tape, sources) };
    default:
      return {
        kind: 'binary',
        operator: tape.pick(['>=', '<', '<>', '=']),
        left: columnOf(tape, sources),
        right: { kind: 'number', value: tape.below(4) },
      };
  }
}

export function aggregateOf(tape: Tape, sources: readonly Source[]): Expr {
  const name = tape.pick(['sum', 'count', 'max', 'min', 'first', 'any_value', 'list', 'avg', 'var_pop']);
  return {
    kind: 'aggregate',
    name,
    arg: name === 'count' && tape.rarely(2) ? undefined : columnOf(tape, sources),
    isDistinct: tape.rarely(6),
  };
}

function windowOf(tape: Tape, sources: readonly Source[]): Expr {
  const name = tape.pick(['rank', 'sum', 'row_number', 'count', 'lag', 'dense_rank', 'avg']);
  const order = Array.from({ length: 1 + tape.below(2) }, () => columnOf(tape, sources));
  return {
    kind: 'window',
    name,
    arg: ['sum', 'count', 'lag', 'avg'].includes(name) ? columnOf(tape, sources) : undefined,
    partition: tape.rarely(2) ? [columnOf(tape, sources)] : [],
    order: (name === 'sum' || name === 'avg') && tape.rarely(2) ? [] : order,
  };
}

export function hasAggregate(expr: Item['expr']): boolean {
  if (expr.kind === 'aggregate') return true;
  if (expr.kind === 'binary') return hasAggregate(expr.left) || hasAggregate(expr.right);
  return false;
}

export function sourceColumns(source: Source): readonly string[] {
  switch (source.from.kind) {
    case 'table':
      return source.from.columns;
    case 'common':
      return outputNames(source.from.table.query);
    case 'derived':
      return outputNames(source.from.query);
    case 'pivoted':
      return ['k', 'pivots'];
  }
}

export function outputNames(query: QueryNode): readonly string[] {
  return query.first.items.flatMap((item) => {
    const { expr } = item;
    if (expr.kind !== 'star') return [item.alias ?? 'nameless'];
    const sources = expr.source === undefined ? query.first.sources : [expr.source];
    return sources.flatMap(sourceColumns).filter((name) => name !== expr.exclude);
  });
}
