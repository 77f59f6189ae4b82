import { COLUMN_NAMES, type Column, type Family, type Relation } from './columns.ts';
import type { Random } from './random.ts';

/** A table or CTE in FROM under an alias; expressions refer to its columns as `alias.column`. */
export interface Source {
  readonly alias: string;
  readonly relation: Relation;
}

/** A new value for a SELECT list with the name it would like to have. */
export interface Derived {
  readonly sql: string;
  readonly name: string;
  readonly family: Family;
  readonly isBounded: boolean;
}

type Template = readonly [family: Family, sql: string, isBounded: boolean];

// `$d` decimal, `$n` any number, `$i` integer, `$t` timestamp, `$D` date, `$b` boolean, `$v` text, `$k` id; `$$x` needs
// a bounded one. A template whose column kind is missing in scope is skipped.
const SCALARS: readonly Template[] = [
  ['decimal', 'CAST($$d * 0.9 AS DECIMAL(18, 2))', true],
  ['decimal', 'COALESCE($d, 0)', true],
  ['decimal', 'CASE WHEN $b THEN $d ELSE 0 END', true],
  ['decimal', 'ROUND($$d, 1)', true],
  ['decimal', '$$d - $$d', false],
  ['decimal', '$$d + $$d * 0.19', false],
  ['decimal', 'GREATEST($$d, $$d)', true],
  ['decimal', 'ABS($d)', true],
  ['decimal', 'CAST($$n AS DECIMAL(18, 2))', true],
  ['decimal', "CASE $v WHEN 'open' THEN $$d WHEN 'paid' THEN $$d * 0.5 ELSE NULL END", false],
  ['double', 'CAST($d AS DOUBLE) / NULLIF($n, 0)', false],
  ['double', '$n / NULLIF($i, 0)', false],
  ['double', 'SQRT(ABS($n))', true],
  ['double', 'LN(1 + ABS(CAST($n AS DOUBLE)))', true],
  ['double', 'COALESCE($n, 0) * 1.5e0', false],
  ['integer', 'EXTRACT(YEAR FROM $D)', true],
  ['integer', 'EXTRACT(DOW FROM $t)', true],
  ['integer', "DATE_DIFF('day', $D, $D)", true],
  ['integer', "DATE_DIFF('hour', $t, $t)", true],
  ['integer', 'LENGTH($v)', true],
  ['integer', '$$i % 10', true],
  ['integer', 'CAST($$d AS INTEGER)', true],
  ['integer', 'CASE WHEN $n > 100 THEN 2 WHEN $n > 10 THEN 1 ELSE 0 END', true],
  ['date', "CAST(DATE_TRUNC('month', $D) AS DATE)", true],
  ['date', 'CAST($t AS DATE)', true],
  ['date', 'LAST_DAY($D)', true],
  ['date', 'COALESCE($D, CAST($t AS DATE))', true],
  ['timestamp', "DATE_TRUNC('hour', $t)", true],
  ['timestamp', "$t + INTERVAL '1' HOUR", true],
  ['timestamp', "$D + INTERVAL '7' DAY", true],
  ['timestamp', 'CAST($D AS TIMESTAMP)', true],
  ['boolean', '$n > 100', true],
  ['boolean', '$v IS NULL', true],
  ['boolean', "$v IN ('open', 'paid', 'sent')", true],
  ['boolean', "$v LIKE 's%' AND $n >= 0", true],
  ['boolean', "$D BETWEEN DATE '2024-01-01' AND DATE '2026-12-31'", true],
  ['boolean', 'COALESCE($b, FALSE) OR $n IS NOT NULL', true],
  ['boolean', 'NOT $b', true],
  ['varchar', 'UPPER($v)', true],
  ['varchar', 'LOWER(TRIM($v))', true],
  ['varchar', "COALESCE($v, 'unknown')", true],
  ['varchar', 'SUBSTRING($v, 1, 3)', true],
  ['varchar', "REPLACE($v, '-', '_')", true],
  ['varchar', "CONCAT($$v, '/', $$v)", false],
  ['varchar', "$$v || '-' || CAST($k AS VARCHAR)", false],
  ['varchar', "STRFTIME($D, '%Y-%m')", true],
  ['varchar', "MD5(CAST($k AS VARCHAR) || COALESCE($v, ''))", true],
  ['varchar', "CASE WHEN $b THEN 'yes' WHEN NOT $b THEN 'no' ELSE 'unknown' END", true],
  ['varchar', "LPAD(CAST($i AS VARCHAR), 4, '0')", true],
  ['varchar', "SPLIT_PART($v, '@', 1)", true],
];

const AGGREGATES: readonly Template[] = [
  ['integer', 'COUNT(*)', false],
  ['integer', 'COUNT(DISTINCT $v)', false],
  ['integer', 'COUNT(*) FILTER (WHERE $b)', false],
  ['integer', "COUNT(*) FILTER (WHERE $v = 'open' AND $n > 0)", false],
  ['decimal', 'SUM($$d)', false],
  ['decimal', "SUM($$d) FILTER (WHERE $v <> 'sent')", false],
  ['decimal', 'COALESCE(SUM(CASE WHEN $b THEN $$d END), 0)', false],
  ['decimal', 'MAX($d)', true],
  ['decimal', 'MIN($d)', true],
  ['double', 'AVG($n)', true],
  ['double', 'SUM(CAST($$n AS DOUBLE)) / NULLIF(COUNT(*), 0)', true],
  ['double', 'STDDEV_SAMP(CAST($$n AS DOUBLE))', true],
  ['integer', 'SUM($$i)', false],
  ['date', 'MIN($D)', true],
  ['date', 'MAX($D)', true],
  ['timestamp', 'MAX($t)', true],
  ['varchar', 'MAX($v)', true],
  ['varchar', 'MIN($v)', true],
  ['boolean', 'BOOL_OR($b)', true],
  ['boolean', 'COUNT(*) > 1', true],
];

// `@part` and `@order` become the window's partition and order, the same for all windows of one SELECT.
const WINDOWS: readonly Template[] = [
  ['integer', 'ROW_NUMBER() OVER (PARTITION BY @part ORDER BY @order)', true],
  ['integer', 'RANK() OVER (PARTITION BY @part ORDER BY $n DESC)', true],
  ['integer', 'NTILE(4) OVER (ORDER BY @order)', true],
  ['integer', 'COUNT(*) OVER (PARTITION BY @part)', false],
  ['decimal', 'LAG($d) OVER (PARTITION BY @part ORDER BY @order)', true],
  ['decimal', 'LEAD($d, 1, 0) OVER (PARTITION BY @part ORDER BY @order)', true],
  ['decimal', 'FIRST_VALUE($d) OVER (PARTITION BY @part ORDER BY @order)', true],
  [
    'decimal',
    'SUM($$d) OVER (PARTITION BY @part ORDER BY @order ROWS BETWEEN 6 PRECEDING AND CURRENT ROW)',
    false,
  ],
  [
    'double',
    'AVG($n) OVER (PARTITION BY @part ORDER BY @order ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)',
    true,
  ],
  ['date', 'MAX($D) OVER (PARTITION BY @part)', true],
];

const LETTERS: Readonly<Record<string, readonly Family[]>> = {
  d: ['decimal'],
  n: ['decimal', 'integer', 'double'],
  i: ['integer'],
  t: ['timestamp'],
  D: ['date'],
  b: ['boolean'],
  v: ['varchar'],
  k: ['id'],
};

/** All columns in scope with the text that names them. */
export function columnsInScope(sources: readonly Source[]): readonly (Column & { readonly sql: string })[] {
  return sources.flatMap(({ alias, relation }) =>
    relation.columns.map((column) => ({ ...column, sql: `${alias}.${column.name}` })),
  );
}

/** A random scalar expression over the sources, or undefined when 20 tries found no columns for it. */
export function deriveScalar(sources: readonly Source[], random: Random): Derived | undefined {
  const struct = columnsInScope(sources).filter((column) => column.family === 'struct');
  if (struct.length > 0 && random.chance(0.05)) {
    return { sql: `${random.pick(struct).sql}.city`, name: 'city', family: 'varchar', isBounded: true };
  }
  return fillTemplate(SCALARS, sources, random);
}

/** A random aggregate over the sources; always found, because COUNT(*) needs no column. */
export function deriveAggregate(sources: readonly Source[], random: Random): Derived {
  const count: Derived = { sql: 'COUNT(*)', name: 'row_count', family: 'integer', isBounded: false };
  return fillTemplate(AGGREGATES, sources, random) ?? count;
}

/** A sum that stays in range, or a count when no bounded number is in scope. */
export function deriveSum(sources: readonly Source[], random: Random): string {
  return (
    fillTemplate(
      [
        ['decimal', 'SUM($$d)', false],
        ['integer', 'SUM($$i)', false],
      ],
      sources,
      random,
    )?.sql ?? 'COUNT(*)'
  );
}

/** A random window function; `part` and `order` are SQL texts that make the result deterministic. */
export function deriveWindow(
  sources: readonly Source[],
  over: { readonly part: string; readonly order: string },
  random: Random,
): Derived {
  const found = fillTemplate(WINDOWS, sources, random);
  const template = found ?? { sql: WINDOWS[0]![1], name: 'row_no', family: 'integer', isBounded: true };
  return { ...template, sql: template.sql.replaceAll('@part', over.part).replaceAll('@order', over.order) };
}

/** A mild condition that keeps most rows, so that deep chains of models still have rows. */
export function deriveFilter(sources: readonly Source[], random: Random): string {
  const templates: readonly Template[] = [
    ['boolean', "COALESCE($v, '') <> 'test'", true],
    ['boolean', 'COALESCE($n, 0) >= 0', true],
    ['boolean', '$k IS NOT NULL', true],
    ['boolean', "COALESCE($D, DATE '2025-01-01') >= DATE '2020-01-01'", true],
    ['boolean', '($n IS NULL OR $n < 1000000000)', true],
    ['boolean', "$v IS DISTINCT FROM 'void'", true],
  ];
  return fillTemplate(templates, sources, random)?.sql ?? '1 = 1';
}

function fillTemplate(
  templates: readonly Template[],
  sources: readonly Source[],
  random: Random,
): Derived | undefined {
  const scope = columnsInScope(sources);
  for (let tries = 0; tries < 20; tries++) {
    const [family, text, isBounded] = random.pick(templates);
    let isComplete = true;
    let inputsBounded = true;
    const sql = text.replace(/(\$\$?)([dnitDbvk])(?![A-Za-z_])/g, (_, marks: string, letter: string) => {
      const families = LETTERS[letter]!;
      const fitting = scope.filter((c) => families.includes(c.family) && (marks === '$' || c.isBounded));
      if (fitting.length === 0) {
        isComplete = false;
        return '';
      }
      const column = random.pick(fitting);
      inputsBounded &&= column.isBounded;
      return column.sql;
    });
    if (isComplete) {
      return { sql, name: random.pick(COLUMN_NAMES[family]), family, isBounded: isBounded && inputsBounded };
    }
  }
  return undefined;
}
