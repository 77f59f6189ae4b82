/** Macros that write a whole query. */
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { bindArguments, listItems } from '../arguments.ts';
import type { Expander, MacroCall, Operator } from '../call.ts';
import { assemble, type Fragment, joined, madeFragment, trimmed } from '../fragment.ts';
import { badArguments } from '../problems.ts';
import { calledText } from '../values.ts';
import { stringOf } from './control.ts';

function argument(
  call: MacroCall,
  expander: Expander,
  names: readonly string[],
  expected: string,
): readonly Fragment[] {
  const bound = bindArguments(call, names, expected);
  return names.map((name) => {
    const found = bound.get(name);
    if (found === undefined) return badArguments(call.name, expected, call.place);
    return trimmed(expander.expand(found, call.scope));
  });
}

/** `@DEDUPLICATE(table, [key], ['time desc'])`: the first row of each key. */
export const deduplicate: Operator = (call, expander) => {
  const expected = "a table, key columns and an order: @DEDUPLICATE(t, [id], ['updated_at desc'])";
  const [relation, keys, order] = argument(
    call,
    expander,
    ['relation', 'partition_by', 'order_by'],
    expected,
  ) as [Fragment, Fragment, Fragment];
  const partition = listItems(keys, expander);
  const orders = listItems(order, expander)?.map((item) => {
    const text = stringOf(item, expander);
    return text === undefined
      ? badArguments(call.name, expected, call.place)
      : expander.again(madeFragment(text, call.place), call.scope);
  });
  if (partition === undefined || orders === undefined || partition.length === 0 || orders.length === 0)
    return badArguments(call.name, expected, call.place);
  const { place } = call;
  const window = assemble(
    place,
    'ROW_NUMBER() OVER (PARTITION BY ',
    joined(partition, ', ', place),
    ' ORDER BY ',
    joined(orders, ', ', place),
    ')',
  );
  if (HAS_QUALIFY.has(expander.dialect))
    return assemble(place, 'SELECT * FROM ', relation, ' QUALIFY ', window, ' = 1');
  return assemble(
    place,
    'SELECT * FROM (SELECT *, ',
    window,
    ' AS _w FROM ',
    relation,
    ') AS _t WHERE _w = 1',
  );
};

const HAS_QUALIFY: ReadonlySet<Dialect> = new Set([
  'duckdb',
  'generic',
  'snowflake',
  'bigquery',
  'databricks',
  'clickhouse',
  'redshift',
]);

const DATE_PARTS = new Set(['day', 'week', 'month', 'quarter', 'year']);

/** `@DATE_SPINE('day', '2024-01-01', '2024-12-31')`: a row for every step between two dates. */
export const dateSpine: Operator = (call, expander) => {
  const expected =
    "a part (day, week, month, quarter, year) and two dates: @DATE_SPINE('day', '2024-01-01', '2024-12-31')";
  const [partArgument, from, to] = argument(
    call,
    expander,
    ['datepart', 'start_date', 'end_date'],
    expected,
  ) as [Fragment, Fragment, Fragment];
  const part = (
    stringOf(partArgument, expander) ?? calledText(partArgument.text, expander.dialect)
  ).toLowerCase();
  if (!DATE_PARTS.has(part)) return badArguments(call.name, expected, call.place);
  const texts = [from, to].map((bound) => stringOf(bound, expander));
  const [first, last] = texts;
  if (first !== undefined && last !== undefined) {
    if (!isDate(first) || !isDate(last))
      return badArguments(call.name, 'dates written YYYY-MM-DD', call.place);
    if (first > last)
      return badArguments(
        call.name,
        `a first date that is not after the last, but ${first} is after ${last}`,
        call.place,
      );
  }
  const cast = first !== undefined && last !== undefined;
  const [start, end] = [from, to].map((bound) =>
    cast ? assemble(call.place, 'CAST(', bound, ' AS DATE)') : bound,
  ) as [Fragment, Fragment];
  return spine(call, expander.dialect, { part, start, end });
};

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

interface Spine {
  readonly part: string;
  readonly start: Fragment;
  readonly end: Fragment;
}

function spine(call: MacroCall, dialect: Dialect, { part, start, end }: Spine): Fragment {
  const { place } = call;
  const name = `date_${part}`;
  const isQuarterOfMonths =
    part === 'quarter' &&
    dialect !== 'duckdb' &&
    dialect !== 'generic' &&
    dialect !== 'bigquery' &&
    dialect !== 'snowflake';
  const unit = (isQuarterOfMonths ? 'month' : part).toUpperCase();
  const count = isQuarterOfMonths ? 3 : 1;
  switch (dialect) {
    case 'bigquery':
      return assemble(
        place,
        `SELECT ${name} FROM UNNEST(GENERATE_DATE_ARRAY(`,
        start,
        ', ',
        end,
        `, INTERVAL '${count}' ${unit})) AS ${name}`,
      );
    case 'mysql':
    case 'redshift':
    case 'tsql':
      return recursiveSpine(call, dialect, { part, start, end });
    case 'clickhouse':
      return assemble(
        place,
        `SELECT date_add(${unit}, number * ${count}, `,
        start,
        `) AS ${name} FROM numbers(dateDiff('${unit.toLowerCase()}', `,
        start,
        ', ',
        end,
        `) + 1) WHERE ${name} <= `,
        end,
      );
    case 'postgres':
      return assemble(
        place,
        `SELECT ${name} FROM (SELECT CAST(value AS DATE) FROM GENERATE_SERIES(`,
        start,
        ', ',
        end,
        `, INTERVAL '${count} ${unit}') AS _t(value)) AS _exploded(${name})`,
      );
    case 'spark':
    case 'databricks':
      return assemble(
        place,
        `SELECT ${name} FROM EXPLODE(SEQUENCE(`,
        start,
        ', ',
        end,
        `, INTERVAL '${count}' ${unit})) AS _exploded(${name})`,
      );
    case 'trino':
      return assemble(
        place,
        `SELECT ${name} FROM UNNEST(SEQUENCE(`,
        start,
        ', ',
        end,
        `, INTERVAL '${unit === 'WEEK' ? 7 : count}' ${unit === 'WEEK' ? 'DAY' : unit})) AS _exploded(${name})`,
      );
    case 'snowflake':
      return assemble(
        place,
        `SELECT DATEADD(${unit}, CAST(${name} AS INT), `, start, `) AS ${name} FROM TABLE(FLATTEN(INPUT => ARRAY_GENERATE_RANGE(0, DATEDIFF(${unit}, `, start, ', ', end, `) + 1))) AS _exploded(seq, key, path, index, ${name}, this)`,
      ); // biome-ignore format: one query
    default:
      return assemble(
        place,
        `SELECT ${name} FROM UNNEST(CAST(GENERATE_SERIES(`,
        start,
        ', ',
        end,
        `, INTERVAL '${count}' ${unit}) AS DATE[])) AS _exploded(${name})`,
      );
  }
}

/** For engines that can make dates only by counting on from the last one. */
function recursiveSpine(call: MacroCall, dialect: Dialect, { part, start, end }: Spine): Fragment {
  const name = `date_${part}`;
  const unit = part.toUpperCase();
  const next =
    dialect === 'mysql'
      ? `CAST(DATE_ADD(${name}, INTERVAL 1 ${unit}) AS DATE)`
      : `CAST(DATEADD(${unit}, 1, ${name}) AS DATE)`;
  return assemble(
    call.place,
    `WITH ${dialect === 'tsql' ? '' : 'RECURSIVE '}_generated_dates(${name}) AS (SELECT CAST(`,
    start,
    ` AS DATE) AS ${name} UNION ALL SELECT ${next} FROM _generated_dates WHERE ${next} <= `,
    end,
    `) SELECT ${name} FROM _generated_dates`,
  );
}
