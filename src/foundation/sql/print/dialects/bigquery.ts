import type { DialectSpelling, RuleCall } from '../dialect-spelling.ts';
import { alike, byUnit, concatWithoutNulls, formatted, parts, passingNulls, reservedWords } from './words.ts';

const FORMAT: Readonly<Record<string, string>> = Object.fromEntries(
  [...'YmdHIMSyjbBaApGVu'].map((letter) => [letter, `%${letter}`]),
);

const UNITS: Readonly<Record<string, string>> = { week: 'ISOWEEK' };
const unitOf = (rule: RuleCall): string | undefined => {
  const unit = rule.word(0)?.replace(/s$/, '');
  return unit === undefined ? undefined : (UNITS[unit] ?? unit.toUpperCase());
};

function dateTrunc(rule: RuleCall): string | undefined {
  const unit = unitOf(rule);
  if (unit === undefined) return undefined;
  return rule.fill(`DATE_TRUNC($2, ${unit})`);
}

function dateDiff(rule: RuleCall): string | undefined {
  const unit = unitOf(rule);
  if (unit === undefined) return undefined;
  if (['HOUR', 'MINUTE', 'SECOND'].includes(unit))
    return rule.fill(
      `DATETIME_DIFF(DATETIME_TRUNC(CAST($3 AS DATETIME), ${unit}), DATETIME_TRUNC(CAST($2 AS DATETIME), ${unit}), ${unit})`,
    );
  return rule.fill(`DATE_DIFF(CAST($3 AS DATE), CAST($2 AS DATE), ${unit})`);
}

export const bigquery: DialectSpelling = {
  quote: ['`', '`'],
  reserved: reservedWords(
    'array assert_rows_modified at by contains cube current define enum escape exclude extract following groups hash if ignore lateral lookup merge new no nulls of over partition preceding proto qualify range recursive respect rollup set struct tablesample treat unbounded unnest within',
  ),
  nullsSort: 'smallest',
  hasNullsOrder: true,
  division: 'float',
  concat: 'pipes',
  hasColonCast: false,
  hasTypedLiterals: true,
  tryCast: 'SAFE_CAST',
  hasFilter: false,
  ignoreNulls: 'inside',
  hasIlike: false,
  hasQualify: true,
  hasGroupByAll: true,
  hasDistinctOn: false,
  hasSemiJoin: false,
  hasByName: true,
  starExclude: 'EXCEPT',
  hasStarReplace: true,
  limit: 'limit-offset',
  setSaysDistinct: true,
  distinctFrom: 'words',
  interval: 'number',
  list: 'brackets',
  struct: 'struct-as',
  power: 'call',
  integerDivision: 'DIV($1, $2)',
  wallClock: {
    ofUtc: "DATETIME(TIMESTAMP($1, 'UTC'), $2)",
    ofInstant: 'DATETIME($1, $2)',
  },
  series: 'UNNEST(GENERATE_ARRAY(1, $2)) AS $c',
  types: {
    TINYINT: 'INT64', SMALLINT: 'INT64', INTEGER: 'INT64', INT: 'INT64', BIGINT: 'INT64', INT8: 'INT64', INT4: 'INT64', INT2: 'INT64', UTINYINT: 'INT64', USMALLINT: 'INT64', UINTEGER: 'INT64', UBIGINT: 'NUMERIC', HUGEINT: 'BIGNUMERIC', UHUGEINT: 'BIGNUMERIC', FLOAT: 'FLOAT64', REAL: 'FLOAT64', FLOAT4: 'FLOAT64', FLOAT8: 'FLOAT64', DOUBLE: 'FLOAT64', 'DOUBLE PRECISION': 'FLOAT64', DECIMAL: 'NUMERIC', BOOLEAN: 'BOOL', VARCHAR: 'STRING', TEXT: 'STRING', CHAR: 'STRING', BLOB: 'BYTES', BYTEA: 'BYTES', TIMESTAMP: 'DATETIME', TIMESTAMPTZ: 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE': 'TIMESTAMP', LIST: 'ARRAY', UUID: 'STRING', MAP: '',
  }, // biome-ignore format: a table
  functions: {
    date_trunc: dateTrunc,
    date_diff: dateDiff,
    datediff: dateDiff,
    date_part: byUnit({
      ...Object.fromEntries(['year', 'quarter', 'month', 'day', 'hour', 'minute', 'second'].map((unit) => [unit, `EXTRACT(${unit.toUpperCase()} FROM $2)`])),
      week: 'EXTRACT(ISOWEEK FROM $2)', dow: '(EXTRACT(DAYOFWEEK FROM $2) - 1)', doy: 'EXTRACT(DAYOFYEAR FROM $2)', epoch: 'UNIX_SECONDS(CAST($2 AS TIMESTAMP))',
    }), // biome-ignore format: a table
    strftime: formatted('FORMAT_DATETIME($f, CAST($1 AS DATETIME))', FORMAT, ''),
    strptime: formatted('PARSE_DATETIME($f, $1)', FORMAT, ''),
    epoch: 'UNIX_SECONDS(CAST($1 AS TIMESTAMP))',
    to_timestamp: 'TIMESTAMP_SECONDS(CAST($1 AS INT64))',
    last_day: 'LAST_DAY(CAST($1 AS DATE))',
    make_date: 'DATE($1, $2, $3)',
    today: 'CURRENT_DATE()',
    current_timestamp: 'CURRENT_TIMESTAMP()',
    now: 'CURRENT_TIMESTAMP()',
    ...parts('EXTRACT($U FROM $1)', ['year', 'month', 'day', 'hour', 'minute', 'second', 'quarter']),
    week: 'EXTRACT(ISOWEEK FROM $1)',
    dayofweek: '(EXTRACT(DAYOFWEEK FROM $1) - 1)',
    dayofyear: 'EXTRACT(DAYOFYEAR FROM $1)',
    dayname: "FORMAT_DATETIME('%A', CAST($1 AS DATETIME))",
    monthname: "FORMAT_DATETIME('%B', CAST($1 AS DATETIME))",
    string_agg: 'STRING_AGG($d$1, $2$o)',
    'string_agg/1': "STRING_AGG($d$1, ','$o)",
    list: 'ARRAY_AGG($d$1$o)',
    array_agg: 'ARRAY_AGG($d$1$o)',
    arg_max: 'MAX_BY',
    arg_min: 'MIN_BY',
    any_value: 'ANY_VALUE',
    count_if: 'COUNTIF',
    bool_and: 'LOGICAL_AND',
    bool_or: 'LOGICAL_OR',
    approx_count_distinct: 'APPROX_COUNT_DISTINCT',
    stddev: 'STDDEV_SAMP',
    variance: 'VAR_SAMP',
    var_samp: 'VAR_SAMP',
    greatest: passingNulls('GREATEST'),
    least: passingNulls('LEAST'),
    ifnull: 'IFNULL',
    concat: concatWithoutNulls('STRING'),
    len: 'LENGTH',
    strlen: 'BYTE_LENGTH',
    contains: '(STRPOS($1, $2) > 0)',
    starts_with: 'STARTS_WITH',
    prefix: 'STARTS_WITH',
    ends_with: 'ENDS_WITH',
    suffix: 'ENDS_WITH',
    instr: 'INSTR',
    strpos: 'STRPOS',
    string_split: 'SPLIT',
    str_split: 'SPLIT',
    regexp_matches: 'REGEXP_CONTAINS($1, $2)',
    ...alike('left right lpad rpad repeat reverse initcap chr ascii'),
    md5: 'TO_HEX(MD5($1))',
    log10: 'LOG10',
    log: 'LOG10($1)',
    log2: 'LOG($1, 2)',
    pow: 'POWER',
    random: 'RAND()',
    trunc: 'TRUNC',
    mod: 'MOD',
    list_contains: '($2 IN UNNEST($1))',
    array_length: 'ARRAY_LENGTH($1)',
    uuid: 'GENERATE_UUID()',
    gen_random_uuid: 'GENERATE_UUID()',
    isnan: 'IS_NAN',
    unnest: 'UNNEST',
    date: 'DATE',
    if: 'IF',
    date_add: '($1 + $2)',
  },
  reads: {
    date_trunc: ({ arguments: [value, unit], ...call }) => unitFirst(call, unit, value),
    timestamp_trunc: ({ arguments: [value, unit], ...call }) =>
      unitFirst({ ...call, name: { ...call.name, name: 'date_trunc' } }, unit, value),
    datetime_trunc: ({ arguments: [value, unit], ...call }) =>
      unitFirst({ ...call, name: { ...call.name, name: 'date_trunc' } }, unit, value),
    date_diff: () => undefined,
    countif: 'count_if',
    logical_and: 'bool_and',
    logical_or: 'bool_or',
    max_by: 'arg_max',
    min_by: 'arg_min',
    if: 'if',
    safe_divide: () => undefined,
  },
};

type Rest = Omit<RuleCall['call'], 'arguments'>;
type OneArgument = RuleCall['call']['arguments'][number] | undefined;

/** `trunc(x, MONTH)` as `date_trunc('month', x)`. */
function unitFirst(call: Rest, unit: OneArgument, value: OneArgument): RuleCall['call'] | undefined {
  if (unit?.value.kind !== 'column' || value === undefined) return undefined;
  const word = unit.value.name.name.toLowerCase();
  // DuckDB's week begins on Monday, BigQuery's WEEK on Sunday.
  if (word === 'week') return undefined;
  const text = word === 'isoweek' ? 'week' : word;
  return {
    ...call,
    arguments: [{ value: { kind: 'literal', type: 'string', text, span: unit.value.span } }, value],
  };
}
