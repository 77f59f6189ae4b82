/** An expectation of Great Expectations. */
interface Expectation {
  readonly type: string;
  readonly kwargs: Readonly<Record<string, unknown>>;
}

/** The 50 rules of the quality bench: as Plinth and Soda read them, as Great Expectations has them, and as the SQL that a person would write for one. */
export interface BenchRule {
  /** `missing_count(email) < 1000000000`, the same in Plinth and Soda. */
  readonly check: string;
  /** Validity: the option's name without `valid`, and its value as YAML. */
  readonly valid?: readonly [name: string, value: string];
  /** Absent: Great Expectations has none for it. */
  readonly expectation?: Expectation;
  /** One aggregate expression. */
  readonly sql: string;
}

const COLUMNS = [
  'order_id',
  'customer_id',
  'email',
  'status',
  'country',
  'amount',
  'quantity',
  'phone',
  'code',
  'created_at',
];
const LARGE = 1_000_000_000_000;
const where = (condition: string): string => `COUNT(*) FILTER (WHERE ${condition})`;

const expect = (
  type: string,
  kwargs: Readonly<Record<string, unknown>>,
): { readonly expectation: Expectation } => ({
  expectation: { type: `expect_${type}`, kwargs },
});

/** Great Expectations has no regular expressions on DuckDB. */
const matching = (column: string, pattern: string): BenchRule => ({
  check: `invalid_count(${column}) < ${LARGE}`,
  valid: ['regex', `'${pattern}'`],
  sql: where(`${column} IS NOT NULL AND NOT regexp_matches(${column}, '${pattern}')`),
});

const listed = (column: string, values: readonly string[]): BenchRule => ({
  check: `invalid_count(${column}) < ${LARGE}`,
  valid: ['values', `[${values.join(', ')}]`],
  ...expect('column_values_to_be_in_set', { column, value_set: values, mostly: 0 }),
  sql: where(`${column} NOT IN (${values.map((value) => `'${value}'`).join(', ')})`),
});

const AGGREGATES = { avg: 'mean', min: 'min', max: 'max', sum: 'sum', stddev: 'stdev' } as const;

const aggregate = (name: keyof typeof AGGREGATES, column: string): BenchRule => ({
  check: `${name}(${column}) < ${LARGE}`,
  ...expect(`column_${AGGREGATES[name]}_to_be_between`, { column, max_value: LARGE }),
  sql: `${name}(${column})`,
});

const missing = (column: string): BenchRule => ({
  check: `missing_count(${column}) < ${LARGE}`,
  ...expect('column_values_to_not_be_null', { column, mostly: 0 }),
  sql: where(`${column} IS NULL`),
});

/** Great Expectations knows lengths of all values, and no average of them. */
const LENGTHS = { min: { min_value: 0 }, max: { max_value: 1000 }, avg: undefined } as const;

const lengthOf = (name: keyof typeof LENGTHS, column: string): BenchRule => ({
  check: `${name}_length(${column}) < 1000`,
  ...(LENGTHS[name] === undefined
    ? {}
    : expect('column_value_lengths_to_be_between', { column, ...LENGTHS[name] })),
  sql: `${name}(length(${column}))`,
});

export const BENCH_RULES: readonly BenchRule[] = [
  { check: 'row_count > 0', ...expect('table_row_count_to_be_between', { min_value: 1 }), sql: 'COUNT(*)' },
  ...COLUMNS.map(missing),
  ...COLUMNS.slice(1, 5).map((column): BenchRule => ({
    check: `missing_percent(${column}) < 50`,
    ...expect('column_values_to_not_be_null', { column, mostly: 0.5 }),
    sql: `100 * ${where(`${column} IS NULL`)} / COUNT(*)`,
  })),
  ...(['avg', 'min', 'max', 'sum', 'stddev'] as const).flatMap((name) => [aggregate(name, 'amount'), aggregate(name, 'quantity')]),
  matching('email', '^[a-z0-9.]+@[a-z0-9.-]+[.][a-z]+$'),
  matching('email', '^[a-z]+[0-9]*@'),
  matching('email', '[.](com|org|net)$'),
  matching('phone', '^[+][0-9]{2} [0-9]{3} [0-9]{4}$'),
  matching('phone', '^[+]49'),
  matching('code', '^[A-Z]{2}-[0-9]{4}$'),
  matching('code', '^(AA|AB|BA|BB)-'),
  matching('status', '^[a-z]+$'),
  matching('status', '^(open|paid|sent|returned|cancelled)$'),
  matching('country', '^[A-Z]{2}$'),
  matching('country', '^[A-F]'),
  listed('status', ['open', 'paid', 'sent', 'returned', 'cancelled']),
  listed('country', ['AA', 'AB', 'AC', 'BA', 'BB', 'BC', 'CA', 'CB', 'CC', 'DA']),
  ...['email', 'phone', 'code', 'status'].flatMap((column) =>
    (['min', 'max', 'avg'] as const).map((name) => lengthOf(name, column)),
  ),
].slice(0, 50); // biome-ignore format: a table

const packOf = (name: string, rules: readonly BenchRule[]): string =>
  `kind: dq\nname: ${name}\ndepends_on: main.orders\nrules:\n${rules.map((rule, index) => `  - ${rule.check}: ${optionsOf(rule, index)}\n`).join('')}`;

function optionsOf({ valid }: BenchRule, index: number): string {
  return `{name: r${index}${valid === undefined ? '' : `, valid_${valid[0]}: ${valid[1]}`}}`;
}

/** The rules as dq packs, by name: all of them, and those that Great Expectations has too. */
export const BENCH_PACKS: ReadonlyMap<'all' | 'gx', string> = new Map([
  ['all', packOf('all', BENCH_RULES)],
  [
    'gx',
    packOf(
      'gx',
      BENCH_RULES.filter(({ expectation }) => expectation !== undefined),
    ),
  ],
]);

/** The rules in SodaCL, where row counts and validity are spelled a little differently. */
export const benchSodaChecks = (): string =>
  `checks for orders:\n${BENCH_RULES.map((rule, index) => {
    const { check, valid } = rule;
    const option = valid === undefined ? '' : `      valid ${valid[0]}: ${valid[1]}\n`;
    return `  - ${check}:\n      name: r${index}\n${option}`;
  }).join('')}`;

export const benchExpectations = (): readonly Expectation[] =>
  BENCH_RULES.flatMap(({ expectation }) => expectation ?? []);

/** The rows of the bench: the same in each run. */
export function benchTableSql(rows: number): string {
  const hash = (salt: number): string => `hash(i * 16 + ${salt})`;
  const letter = (salt: number): string => `chr(65 + (${hash(salt)} % 4)::INTEGER)`;
  return `CREATE TABLE orders AS SELECT
    i AS order_id,
    CASE WHEN ${hash(1)} % 100 = 0 THEN NULL ELSE (${hash(1)} % 100000)::BIGINT END AS customer_id,
    CASE WHEN ${hash(2)} % 50 = 0 THEN NULL ELSE 'user' || (${hash(2)} % 1000000) || '@example.' || CASE ${hash(3)} % 3 WHEN 0 THEN 'com' WHEN 1 THEN 'org' ELSE 'net' END END AS email,
    CASE ${hash(4)} % 5 WHEN 0 THEN 'open' WHEN 1 THEN 'paid' WHEN 2 THEN 'sent' WHEN 3 THEN 'returned' ELSE 'cancelled' END AS status,
    ${letter(5)} || ${letter(6)} AS country,
    ((${hash(7)} % 100000)::DECIMAL(12, 2) / 100)::DECIMAL(12, 2) AS amount,
    (${hash(8)} % 20)::INTEGER AS quantity,
    '+49 ' || (100 + ${hash(9)} % 900) || ' ' || (1000 + ${hash(10)} % 9000) AS phone,
    ${letter(11)} || ${letter(12)} || '-' || (1000 + ${hash(13)} % 9000) AS code,
    TIMESTAMP '2026-01-01' + INTERVAL (i % 86400) SECOND AS created_at
    FROM range(${rows}) AS t(i)`;
}
