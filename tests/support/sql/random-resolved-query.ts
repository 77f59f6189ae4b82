/**
 * Random queries over the test schema, grown from a fast-check generator so that failures shrink.
 *
 * Expressions are grown by sort (number, text, time, truth, list), which keeps most of what comes out acceptable to DuckDB without
 * copying its rules: whatever it refuses is simply not compared.
 */
import fc, { type GeneratorValue } from 'fast-check';
import { AGGREGATES, LITERALS, type Named, type Sort, TABLES } from './random-vocabulary.ts';

interface Source {
  readonly sql: string;
  readonly alias: string;
  readonly columns: readonly Named[];
}

/** Grows one query; `missing` counts the names it put in that nothing has. */
export class QueryMaker {
  private readonly g: GeneratorValue;
  private names = 0;
  private readonly mistakes: boolean;
  isWrong = false;

  constructor(g: GeneratorValue, mistakes: boolean) {
    this.g = g;
    this.mistakes = mistakes;
  }

  private number(max: number): number {
    return this.g(fc.nat, { max });
  }

  private pick<Item>(items: readonly Item[]): Item {
    return items[this.number(items.length - 1)] as Item;
  }

  private chance(oneIn: number): boolean {
    return this.number(oneIn - 1) === oneIn - 1;
  }

  private fresh(prefix: string): string {
    return `${prefix}${++this.names}`;
  }

  query(depth: number): { readonly sql: string; readonly columns: readonly Named[] } {
    if (depth > 0 && this.chance(5)) return this.union(depth);
    if (depth > 0 && this.chance(4)) return this.withCommonTable(depth);
    return this.select(depth);
  }

  private union(depth: number): { readonly sql: string; readonly columns: readonly Named[] } {
    const sorts = this.several(3, () => this.pick<Sort>(['number', 'text', 'time', 'truth']));
    const branch = (): string => this.select(depth - 1, sorts).sql;
    const operator = this.pick(['UNION ALL', 'UNION', 'EXCEPT', 'INTERSECT', 'UNION ALL BY NAME']);
    const left = this.select(depth - 1, sorts);
    return {
      sql: `${left.sql} ${operator} ${branch()}`,
      columns: operator.endsWith('NAME') ? [] : left.columns,
    };
  }

  private withCommonTable(depth: number): { readonly sql: string; readonly columns: readonly Named[] } {
    const inner = this.query(depth - 1);
    const name = this.fresh('c');
    if (inner.columns.length === 0) return inner;
    const outer = this.selectFrom([
      { sql: `${name} AS ${name}x`, alias: `${name}x`, columns: inner.columns },
    ]);
    return { sql: `WITH ${name} AS (${inner.sql}) ${outer.sql}`, columns: outer.columns };
  }

  private several<Item>(max: number, make: () => Item): Item[] {
    return Array.from({ length: 1 + this.number(max - 1) }, make);
  }

  private source(depth: number): Source {
    const alias = this.fresh('r');
    if (depth > 0 && this.chance(3)) {
      const inner = this.query(depth - 1);
      if (inner.columns.length > 0)
        return { sql: `(${inner.sql}) AS ${alias}`, alias, columns: inner.columns };
    }
    const [table, columns] = this.pick(TABLES);
    return { sql: `${table} AS ${alias}`, alias, columns };
  }

  private select(
    depth: number,
    sorts?: readonly Sort[],
  ): { readonly sql: string; readonly columns: readonly Named[] } {
    return this.selectFrom(
      this.several(2, () => this.source(depth)),
      sorts,
    );
  }

  private selectFrom(
    sources: readonly Source[],
    sorts?: readonly Sort[],
  ): { readonly sql: string; readonly columns: readonly Named[] } {
    const scope = new Scope(sources);
    const first = sources[0] as Source;
    let from = first.sql;
    for (const source of sources.slice(1)) from += this.join(first, source);
    const isGrouped = this.chance(3);
    const isStar = sorts === undefined && !isGrouped && this.chance(6);
    const wanted =
      sorts ?? this.several(4, () => this.pick<Sort>(['number', 'number', 'text', 'time', 'truth', 'list']));
    const columns: Named[] = [];
    const projections: string[] = [];
    for (const sort of wanted) {
      const expression = isGrouped
        ? this.aggregate(scope, sort, 2)
        : this.chance(6) && sort === 'number'
          ? this.window(scope)
          : this.expression(scope, sort, 3);
      // The name of a column that holds a query is not exact here, so it gets an alias.
      if (sorts === undefined && !expression.includes('SELECT') && this.chance(3)) {
        projections.push(expression);
        continue;
      }
      const name = this.fresh('x');
      projections.push(`${expression} AS ${name}`);
      columns.push({ name, sort });
    }
    const key = isGrouped && sorts === undefined && this.chance(2) ? this.column(scope, 'text') : undefined;
    if (key !== undefined) {
      const name = this.fresh('k');
      projections.unshift(`${key} AS ${name}`);
      columns.unshift({ name, sort: 'text' });
    }
    const group = key === undefined ? '' : ` GROUP BY ${this.pick(['ALL', '1', key])}`;
    const where = this.chance(3) ? ` WHERE ${this.expression(scope, 'truth', 2)}` : '';
    if (isStar) return { sql: `SELECT ${this.star(first)} FROM ${from}${where}`, columns: [] };
    return {
      sql: `SELECT ${projections.join(', ')} FROM ${from}${where}${group}${sorts === undefined ? this.order(columns) : ''}`,
      columns: projections.length === columns.length ? columns : [],
    };
  }

  /** Not inside a set operation, where ORDER BY would belong to the whole. */
  private order(columns: readonly Named[]): string {
    return columns.length > 0 && this.chance(4) ? ` ORDER BY ${this.pick(columns).name}` : '';
  }

  private star(source: Source): string {
    const column = this.pick(source.columns).name;
    return this.pick([
      '*',
      `${source.alias}.*`,
      `${source.alias}.* EXCLUDE (${column})`,
      `${source.alias}.* REPLACE (1 AS ${column})`,
      `${source.alias}.* RENAME (${column} AS zz)`,
    ]);
  }

  private join(left: Source, right: Source): string {
    const shared = left.columns.find((column) => right.columns.some((other) => other.name === column.name));
    const kind = this.pick([' JOIN ', ' LEFT JOIN ', ' RIGHT JOIN ', ' FULL JOIN ']);
    if (shared !== undefined && this.chance(2)) return `${kind}${right.sql} USING (${shared.name})`;
    return this.chance(3) ? `, ${right.sql}` : `${kind}${right.sql} ON true`;
  }

  private column(scope: Scope, sort: Sort): string | undefined {
    const fitting = scope.columns.filter((column) => column.sort === sort);
    if (fitting.length === 0) return undefined;
    const column = this.pick(fitting);
    if (this.mistakes && this.chance(12)) {
      this.isWrong = true;
      return this.pick([`${column.alias}.nope`, 'nope', `nobody.${column.name}`]);
    }
    return this.chance(3) || scope.isAmbiguous(column.name) ? `${column.alias}.${column.name}` : column.name;
  }

  private atom(scope: Scope, sort: Sort): string {
    return (this.chance(4) ? undefined : this.column(scope, sort)) ?? this.pick(LITERALS[sort]);
  }

  expression(scope: Scope, sort: Sort, depth: number): string {
    if (depth <= 0 || this.chance(3)) return this.atom(scope, sort);
    const of = (other: Sort): string => this.expression(scope, other, depth - 1);
    if (this.chance(5)) return this.general(scope, sort, of);
    switch (sort) {
      case 'number':
        return this.numeric(scope, of);
      case 'text':
        return this.pick([
          () => `${of('text')} || ${of('text')}`,
          () => `upper(${of('text')})`,
          () => `substr(${of('text')}, 1, 2)`,
          () => `replace(${of('text')}, 'a', 'b')`,
          () => `concat(${of('text')}, ${of('number')})`,
          () => `strftime(${of('time')}, '%Y-%m')`,
          () => `CAST(${of('number')} AS VARCHAR)`,
          () => `${of('number')}::TEXT`,
          () => `split_part(${of('text')}, '-', 1)`,
          () => `regexp_extract(${of('text')}, '[a-z]+')`,
          () => `trim(${of('text')})`,
          () => `left(${of('text')}, 3)`,
        ])();
      case 'time':
        return this.pick([
          () => `date_trunc('month', ${of('time')})`,
          () => `(${of('time')} + INTERVAL 1 DAY)`,
          () => `(${of('time')} - INTERVAL '3 hours')`,
          () => `CAST(${of('time')} AS DATE)`,
          () => `${of('time')}::TIMESTAMP`,
          () => `last_day(${of('time')})`,
          () => `time_bucket(INTERVAL '1 week', ${of('time')})`,
        ])();
      case 'truth':
        return this.pick([
          () => `${of('number')} > ${of('number')}`,
          () => `${of('text')} = ${of('text')}`,
          () => `(${of('truth')} AND ${of('truth')})`,
          () => `(${of('truth')} OR ${of('truth')})`,
          () => `NOT ${of('truth')}`,
          () => `${of('number')} BETWEEN ${of('number')} AND ${of('number')}`,
          () => `${of('number')} IN (1, 2, ${of('number')})`,
          () => `${of('text')} LIKE 'a%'`,
          () => `${of('text')} IS NOT NULL`,
          () => `${of('number')} IS DISTINCT FROM ${of('number')}`,
          () => `starts_with(${of('text')}, 'a')`,
          () => `list_contains(${of('list')}, 1)`,
          () => `EXISTS (SELECT 1 FROM items AS e WHERE e.order_id = ${this.atom(scope, 'number')})`,
          () => `${of('number')} IN (SELECT e.id FROM customers AS e)`,
        ])();
      case 'list':
        return this.pick([
          () => `[${of('number')}, ${of('number')}]`,
          () => `list_sort(${of('list')})`,
          () => `list_concat(${of('list')}, ${of('list')})`,
          () => `string_split(${of('text')}, ',')`,
          () => `list_transform(${of('list')}, x -> x)`,
          () => `list_filter(${of('list')}, x -> x IS NOT NULL)`,
          () => `list_append(${of('list')}, ${of('number')})`,
          () => `list_distinct(${of('list')})`,
        ])();
    }
  }

  private numeric(scope: Scope, of: (sort: Sort) => string): string {
    return this.pick([
      () => `${of('number')} + ${of('number')}`,
      () => `${of('number')} - ${of('number')}`,
      () => `${of('number')} * ${of('number')}`,
      () => `(${of('number')} + ${of('number')}) * ${of('number')}`,
      () => `${of('number')} / ${of('number')}`,
      () => `${of('number')} // ${of('number')}`,
      () => `${of('number')} % ${of('number')}`,
      () => `-(${of('number')})`,
      () => `abs(${of('number')})`,
      () => `round(${of('number')}, 1)`,
      () => `floor(${of('number')})`,
      () => `sqrt(${of('number')})`,
      () => `length(${of('text')})`,
      () => `date_part('year', ${of('time')})`,
      () => `extract(epoch FROM ${of('time')})`,
      () => `year(${of('time')})`,
      () => `datediff('day', ${of('time')}, ${of('time')})`,
      () =>
        `CAST(${of('number')} AS ${this.pick(['INT', 'BIGINT', 'DOUBLE', 'DECIMAL(12, 3)', 'NUMERIC', 'REAL', 'TINYINT'])})`,
      () => `try_cast(concat(${of('text')}, random()) AS ${this.pick(['INTEGER', 'BIGINT', 'UBIGINT'])})`,
      () => `list_sum(${of('list')})`,
      () => `len(${of('list')})`,
      () => `${of('list')}[1]`,
      () => `strpos(${of('text')}, 'a')`,
      () => `(SELECT max(e.price) + ${this.atom(scope, 'number')} FROM items AS e)`,
      () => `{'k': ${of('number')}, 'w': ${of('text')}}.k`,
    ])();
  }

  /** Forms that exist for every sort. None is a constant NULL: DuckDB finds such by evaluating, and then gives up the type; we do not evaluate. */
  private general(scope: Scope, sort: Sort, of: (sort: Sort) => string): string {
    return this.pick([
      () => `CASE WHEN ${of('truth')} THEN ${of(sort)} ELSE ${of(sort)} END`,
      () => `CASE WHEN random() > 0.5 THEN ${of(sort)} END`,
      () => `coalesce(${of(sort)}, ${of(sort)})`,
      () => `nullif(${this.column(scope, sort) ?? 'random()'}, ${of(sort)})`,
      () => `if(${of('truth')}, ${of(sort)}, ${of(sort)})`,
      () => `greatest(${of(sort)}, ${of(sort)})`,
      () => `ifnull(${of(sort)}, ${of(sort)})`,
    ])();
  }

  private aggregate(scope: Scope, sort: Sort, depth: number): string {
    const fitting = AGGREGATES.filter((each) => each[2] === sort);
    if (fitting.length === 0) return `max(${this.expression(scope, sort, depth - 1)})`;
    const [input, name] = this.pick(fitting);
    const argument = this.expression(scope, input, depth - 1);
    const call =
      name === 'string_agg'
        ? `string_agg(${argument}, ',')`
        : `${name}(${this.chance(6) ? 'DISTINCT ' : ''}${argument})`;
    if (sort === 'number' && depth > 0 && this.chance(3))
      return `${call} ${this.pick(['+', '*', '/', '-'])} ${this.pick([this.aggregate(scope, 'number', depth - 1), '100', '1.5', 'count(*)'])}`;
    return this.chance(8) ? `${call} FILTER (WHERE ${this.expression(scope, 'truth', 1)})` : call;
  }

  private window(scope: Scope): string {
    const call = this.pick([
      () => 'row_number()',
      () => 'rank()',
      () => 'count(*)',
      () => `sum(${this.expression(scope, 'number', 1)})`,
      () => `avg(${this.expression(scope, 'number', 1)})`,
      () => `lag(${this.expression(scope, 'number', 1)})`,
      () => `lead(${this.atom(scope, 'number')}, 1)`,
      () => `first_value(${this.expression(scope, 'number', 1)})`,
      () => 'ntile(4)',
    ])();
    const partition = this.chance(2) ? `PARTITION BY ${this.atom(scope, 'text')} ` : '';
    return `${call} OVER (${partition}ORDER BY ${this.atom(scope, 'number')}${this.pick([' DESC', '', ' NULLS LAST'])})`;
  }
}

/** Columns in reach, and whether a bare name would be ambiguous. */
class Scope {
  readonly columns: readonly (Named & { readonly alias: string })[];

  constructor(sources: readonly Source[]) {
    this.columns = sources.flatMap((source) =>
      source.columns.map((column) => ({ ...column, alias: source.alias })),
    );
  }

  isAmbiguous(name: string): boolean {
    return this.columns.filter((column) => column.name === name).length > 1;
  }
}
