import type { DialectSpelling, RuleCall } from '../dialect-spelling.ts';
import { alike, formatted, parts, reservedWords } from './words.ts';

/** DuckDB counts boundaries crossed, so both sides are truncated before they are subtracted. */
function dateDiff({ word, fill }: RuleCall): string | undefined {
  switch (word(0)) {
    case 'day':
    case 'days':
      return fill('(CAST($3 AS DATE) - CAST($2 AS DATE))');
    case 'month':
    case 'months':
      return fill(
        '((EXTRACT(YEAR FROM $3) - EXTRACT(YEAR FROM $2)) * 12 + EXTRACT(MONTH FROM $3) - EXTRACT(MONTH FROM $2))',
      );
    case 'quarter':
      return fill(
        '((EXTRACT(YEAR FROM $3) - EXTRACT(YEAR FROM $2)) * 4 + EXTRACT(QUARTER FROM $3) - EXTRACT(QUARTER FROM $2))',
      );
    case 'year':
    case 'years':
      return fill('(EXTRACT(YEAR FROM $3) - EXTRACT(YEAR FROM $2))');
    case 'week':
      return fill("((CAST(DATE_TRUNC('week', $3) AS DATE) - CAST(DATE_TRUNC('week', $2) AS DATE)) / 7)");
    case 'hour':
    case 'minute':
    case 'second': {
      const seconds = { hour: 3600, minute: 60, second: 1 }[word(0) as 'hour' | 'minute' | 'second'];
      return fill(
        `CAST(EXTRACT(EPOCH FROM DATE_TRUNC('${word(0)}', $3) - DATE_TRUNC('${word(0)}', $2)) / ${seconds} AS BIGINT)`,
      );
    }
    default:
      return undefined;
  }
}

/** strftime's letters in to_char's words. */
const FORMAT: Readonly<Record<string, string>> = {
  Y: 'YYYY', m: 'MM', d: 'DD', H: 'HH24', I: 'HH12', M: 'MI', S: 'SS', f: 'US', y: 'YY', j: 'DDD', b: 'Mon', B: 'FMMonth', a: 'Dy', A: 'FMDay', p: 'AM', G: 'IYYY', V: 'IW', u: 'ID',
}; // biome-ignore format: a table

export const postgres: DialectSpelling = {
  quote: ['"', '"'],
  reserved: reservedWords(
    'analyse analyze array asymmetric authorization binary collation concurrently current_catalog current_role current_schema current_user deferrable do freeze ilike initially isnull lateral localtime localtimestamp notnull only overlaps placing returning session_user similar symmetric tablesample user variadic verbose',
  ),
  nullsSort: 'largest',
  hasNullsOrder: true,
  division: 'integer',
  concat: 'pipes',
  hasColonCast: true,
  hasTypedLiterals: true,
  hasFilter: true,
  hasIlike: true,
  hasQualify: false,
  hasGroupByAll: false,
  hasDistinctOn: true,
  hasSemiJoin: false,
  hasByName: false,
  hasStarReplace: false,
  limit: 'limit-offset',
  setSaysDistinct: false,
  distinctFrom: 'words',
  interval: 'string',
  list: 'array-brackets',
  struct: 'none',
  power: 'caret',
  integerDivision: 'DIV($1, $2)',
  series: '$lGENERATE_SERIES(1, $2) AS $t($c)',
  types: {
    TINYINT: 'SMALLINT', UTINYINT: 'SMALLINT', USMALLINT: 'INTEGER', UINTEGER: 'BIGINT', UBIGINT: 'NUMERIC(20)', HUGEINT: 'NUMERIC(39)', UHUGEINT: 'NUMERIC(39)',
    DOUBLE: 'DOUBLE PRECISION', FLOAT: 'REAL', FLOAT4: 'REAL', FLOAT8: 'DOUBLE PRECISION', STRING: 'TEXT', VARCHAR: 'TEXT', BLOB: 'BYTEA', BYTES: 'BYTEA', DATETIME: 'TIMESTAMP', TIMESTAMP_S: 'TIMESTAMP(0)', TIMESTAMP_MS: 'TIMESTAMP(3)', TIMESTAMP_NS: 'TIMESTAMP',
    STRUCT: '', MAP: '', UNION: '',
  }, // biome-ignore format: a table
  functions: {
    date_trunc: 'DATE_TRUNC($1, $2)',
    date_part: 'EXTRACT($w1 FROM $2)',
    date_diff: dateDiff,
    datediff: dateDiff,
    strftime: formatted('TO_CHAR($1, $f)', FORMAT, '"'),
    strptime: formatted('CAST(TO_TIMESTAMP($1, $f) AS TIMESTAMP)', FORMAT, '"'),
    epoch: 'EXTRACT(EPOCH FROM $1)',
    make_date: 'MAKE_DATE($*)',
    make_timestamp: 'MAKE_TIMESTAMP($*)',
    last_day: "CAST(DATE_TRUNC('month', $1) + INTERVAL '1 month' - INTERVAL '1 day' AS DATE)",
    today: 'CURRENT_DATE',
    current_timestamp: 'CURRENT_TIMESTAMP',
    now: 'NOW()',
    to_timestamp: 'TO_TIMESTAMP($1)',
    dayname: "TO_CHAR($1, 'FMDay')",
    monthname: "TO_CHAR($1, 'FMMonth')",
    ...parts('CAST(EXTRACT($U FROM $1) AS BIGINT)', [
      'year',
      'month',
      'day',
      'hour',
      'minute',
      'quarter',
      'week',
    ]),
    second: 'CAST(FLOOR(EXTRACT(SECOND FROM $1)) AS BIGINT)',
    dayofweek: 'CAST(EXTRACT(DOW FROM $1) AS BIGINT)',
    isodow: 'CAST(EXTRACT(ISODOW FROM $1) AS BIGINT)',
    dayofyear: 'CAST(EXTRACT(DOY FROM $1) AS BIGINT)',
    string_agg: 'STRING_AGG($dCAST($1 AS TEXT), $2$o)',
    'string_agg/1': "STRING_AGG($dCAST($1 AS TEXT), ','$o)",
    listagg: 'STRING_AGG($dCAST($1 AS TEXT), $2$o)',
    group_concat: 'STRING_AGG($dCAST($1 AS TEXT), $2$o)',
    'group_concat/1': "STRING_AGG($dCAST($1 AS TEXT), ','$o)",
    list: 'ARRAY_AGG($d$1$o)',
    array_agg: 'ARRAY_AGG($d$1$o)',
    median: 'PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY $1)',
    quantile_cont: 'PERCENTILE_CONT($2) WITHIN GROUP (ORDER BY $1)',
    quantile_disc: 'PERCENTILE_DISC($2) WITHIN GROUP (ORDER BY $1)',
    quantile: 'PERCENTILE_DISC($2) WITHIN GROUP (ORDER BY $1)',
    mode: 'MODE() WITHIN GROUP (ORDER BY $1)',
    arg_max: '(ARRAY_AGG($1 ORDER BY $2 DESC) FILTER (WHERE NOT $1 IS NULL AND NOT $2 IS NULL))[1]',
    arg_min: '(ARRAY_AGG($1 ORDER BY $2 ASC) FILTER (WHERE NOT $1 IS NULL AND NOT $2 IS NULL))[1]',
    any_value: '(ARRAY_AGG($1) FILTER (WHERE NOT $1 IS NULL))[1]',
    count_if: 'COUNT(CASE WHEN $1 THEN 1 END)',
    bool_and: 'BOOL_AND',
    bool_or: 'BOOL_OR',
    approx_count_distinct: 'COUNT(DISTINCT $1)',
    stddev: 'STDDEV_SAMP',
    variance: 'VAR_SAMP',
    var_samp: 'VAR_SAMP',
    'round/2': 'ROUND(CAST($1 AS DECIMAL), $2)',
    log10: 'LOG($1)',
    log: 'LOG($1)',
    log2: 'LOG(2, CAST($1 AS DECIMAL))',
    pow: 'POWER',
    random: 'RANDOM',
    greatest: 'GREATEST',
    least: 'LEAST',
    ifnull: 'COALESCE',
    concat: 'CONCAT',
    concat_ws: 'CONCAT_WS',
    strlen: 'OCTET_LENGTH',
    len: 'LENGTH',
    contains: '(STRPOS($1, $2) > 0)',
    starts_with: 'STARTS_WITH',
    prefix: 'STARTS_WITH',
    ends_with: '(RIGHT($1, LENGTH($2)) = $2)',
    suffix: '(RIGHT($1, LENGTH($2)) = $2)',
    instr: 'STRPOS',
    strpos: 'STRPOS',
    split_part: 'SPLIT_PART',
    string_split: 'STRING_TO_ARRAY',
    str_split: 'STRING_TO_ARRAY',
    regexp_matches: '($1 ~ $2)',
    'regexp_replace/3': 'REGEXP_REPLACE',
    'regexp_replace/4': 'REGEXP_REPLACE',
    'regexp_extract/2': "COALESCE(SUBSTRING($1 FROM $2), '')",
    ...alike('left right lpad rpad repeat reverse initcap chr ascii'),
    md5: 'MD5',
    list_contains: '($2 = ANY($1))',
    array_length: 'CARDINALITY($1)',
    generate_series: 'GENERATE_SERIES',
    unnest: 'UNNEST',
    gen_random_uuid: 'GEN_RANDOM_UUID',
    uuid: 'GEN_RANDOM_UUID',
    isnan: "($1 = 'NaN')",
    trunc: 'TRUNC',
    mod: 'MOD',
    date_add: '($1 + $2)',
    date: 'CAST($1 AS DATE)',
    if: 'CASE WHEN $1 THEN $2 ELSE $3 END',
  },
  reads: {
    date_part: 'date_part',
    string_agg: 'string_agg',
    array_agg: 'array_agg',
    cardinality: 'len',
    strpos: 'strpos',
    now: 'now',
    length: 'length',
  },
};
