/*
 * Every metric with every option over generated rows (NULLs, empty, one row, unicode, duplicates), in every packing and with
 * regular expressions matched by row and by value: the planner on DuckDB and the oracle must say the same.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { OPTIONS_OF } from '../../src/compiler/load/yaml/dq-schema.ts';
import type { Packing } from '../../src/compiler/quality/check-plan.ts';
import { DQ_METRICS, type DqAssertion, type DqRule } from '../../src/domain/dq-pack.ts';
import { PACKINGS, packOf, type QualityWorld, qualityWorld, type RunOptions } from './quality-world.ts';
import { type Cell, measured, outcomeIn, type Row } from './rule-oracle.ts';

type MetricAssertion = DqAssertion & { readonly kind: 'metric' };

/** Numbers that look random and are the same in each run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const TEXTS = [
  'a@example.com', 'B.b@x.org', 'no address', '', ' ', 'süß', '12', '-7', '日本語', '👍🏽', "it's", '%', '\\', 'NULL', 'n/a',
  '0f8fad5b-d9cb-469f-a165-70867728950e',
]; // biome-ignore format: a table

function generated(count: number, seed: number, nulls: number): readonly Row[] {
  const random = randomNumbers(seed);
  const pick = <Value extends Cell>(make: () => Value): Value | null => (random() < nulls ? null : make());
  return Array.from({ length: count }, (_, id) => ({
    id,
    n: pick(() => Math.floor(random() * 12) - 4),
    d: pick(() => Math.floor(random() * 4000) / 8 - 100),
    m: pick(() => Math.floor(random() * 9000) / 4),
    t: pick(() => TEXTS[Math.floor(random() * TEXTS.length)] as string),
    b: pick(() => random() < 0.5),
    k: pick(() => ['x', 'y', 'ß'][Math.floor(random() * 3)] as string),
  }));
}

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  some: generated(60, 1, 0.2),
  full: generated(40, 2, 0),
  one: generated(1, 3, 0),
  nothing: [],
  nulls: generated(12, 4, 1),
  many: generated(500, 5, 0.05),
};

const NUMBERS = ['n', 'd', 'm', 'b'];
const AGGREGATES = DQ_METRICS.filter((name) => !/count|percent$|length|percentile/.test(name));
const VALID = [
  'valid_format: email', 'valid_format: integer', 'valid_format: uuid', "valid_regex: '^[a-z@.]+$'", "valid_values: ['12', süß, n/a]",
  "invalid_values: ['', ' ', \"it's\"]", "invalid_regex: '^[a-z]'", 'invalid_format: integer', 'valid_length: 3', 'valid_min_length: 2', 'valid_max_length: 5',
  "valid_min_length: 1, valid_max_length: 9, missing_values: ['', n/a]", "valid_format: email, missing_regex: '^ *$'",
]; // biome-ignore format: a table

/** A rule's metric and the options that it needs. */
const SUBJECTS: readonly (readonly [string, string])[] = [
  ['row_count', ''],
  ...AGGREGATES.flatMap((name) => NUMBERS.map((column) => [`${name}(${column})`, ''] as const)),
  ...NUMBERS.map((column) => [`percentile(${column}, 0.9)`, ''] as const),
  ...['avg_length', 'min_length', 'max_length'].map((name) => [`${name}(t)`, ''] as const),
  ...['n', 't', 'b'].flatMap((column) =>
    [
      'missing_count',
      'missing_percent',
      'duplicate_count',
      'duplicate_percent',
      'distinct_count',
      'unique_count',
    ].map((name) => [`${name}(${column})`, ''] as const),
  ),
  ...['duplicate_count', 'duplicate_percent', 'distinct_count', 'unique_count'].map(
    (name) => [`${name}(n, k)`, ''] as const,
  ),
  ['missing_count(t)', "missing_values: ['', n/a]"],
  ['missing_percent(t)', "missing_regex: '^(NULL|n/a)?$'"],
  ['missing_count(n)', 'missing_values: [0, -1]'],
  ...['invalid_count', 'invalid_percent', 'valid_count', 'valid_percent'].flatMap((name) => [
    ...VALID.map((options) => [`${name}(t)`, options] as const),
    [`${name}(n)`, 'valid_min: -1, valid_max: 5'] as const,
    [`${name}(d)`, 'valid_min: 0.5'] as const,
    [`${name}(m)`, 'valid_values: [1.25, 7]'] as const,
    [`${name}(b)`, 'valid_values: [true]'] as const,
  ]),
];

const COMPARISONS = ['< 2', '>= 2', 'between 1 and 50', 'not between (0, 5)', '= 0', '!= 1'];
const MORE = ['', 'severity: warning', 'warn: when > 1', 'warn: when < 3, fail: when < 1', 'filter: n > 0'];

interface Line {
  readonly text: string;
  readonly isFiltered: boolean;
}

const LINES: readonly Line[] = SUBJECTS.flatMap(([metric, options], subject) =>
  COMPARISONS.map((comparison, index) => {
    const more = MORE[(subject + index) % MORE.length] as string;
    const name = `r${subject}_${index}`;
    const all = [`name: ${name}`, options, more].filter((each) => each !== '').join(', ');
    return { text: `- ${metric} ${comparison}: {${all}}`, isFiltered: more.startsWith('filter') };
  }),
);

const isPositive = ({ n }: Row): boolean => typeof n === 'number' && n > 0;

let world: QualityWorld;

beforeAll(async () => {
  world = await qualityWorld();
  for (const [name, rows] of Object.entries(TABLES)) {
    await world.execute(
      `CREATE TABLE marts.${name} (id BIGINT, n INTEGER, d DOUBLE, m DECIMAL(10, 2), t VARCHAR, b BOOLEAN, k VARCHAR)`,
    );
    if (rows.length > 0)
      await world.execute(
        `INSERT INTO marts.${name} VALUES ${rows.map(({ id, n, d, m, t, b, k }) => `(${[id, n, d, m, t, b, k].map(literal).join(', ')})`).join(', ')}`,
      );
  }
}, 60_000);

const literal = (cell: Cell | undefined): string =>
  typeof cell === 'string' ? `'${cell.replaceAll("'", "''")}'` : String(cell ?? null);

interface Said {
  readonly outcome: string;
  readonly value: number | null | undefined;
  readonly rowsTested: number | undefined;
  readonly rowsFailed: number | undefined;
}

/** What the oracle says of a rule. */
function expectedOf(rule: DqRule, rows: readonly Row[]): Said {
  const { metric, comparison, validity } = rule.assertion as MetricAssertion;
  const { value, failed } = measured(rows, metric, validity);
  return {
    outcome: value === null ? 'not_evaluated' : outcomeIn(value, comparison, rule),
    value: rounded(value),
    rowsTested: rows.length,
    rowsFailed: failed,
  };
}

const rounded = (value: number | null | undefined): number | null | undefined =>
  typeof value === 'number' ? Number(value.toPrecision(9)) : value;

describe.each(Object.keys(TABLES))('on the table %s', (name) => {
  test.each(
    PACKINGS.flatMap((packing) => [
      [packing, 'value', {}] as const,
      [packing, 'row', { distinctOf: () => undefined }] as const,
      [packing, 'value under a filter', { head: 'filter: n > -3' }] as const,
    ]),
  )('packed by %s, matched by %s', async (packing: Packing, _by: string, options: Partial<RunOptions>) => {
    const rules = LINES.map(({ text }) => text).join('\n');
    const all = { model: `marts.${name}`, packing, ...options };
    const found = await world.run(rules, all);
    const inPack = (row: Row): boolean =>
      options.head === undefined || (typeof row['n'] === 'number' && row['n'] > -3);
    const rows = (TABLES[name] ?? []).filter(inPack);
    const pack = packOf(rules, all);
    const expected = pack.rules.map((rule, index) =>
      expectedOf(rule, LINES[index]?.isFiltered === true ? rows.filter(isPositive) : rows),
    );
    const said = found.map(({ outcome, value, rowsTested, rowsFailed }): Said => ({
      outcome, value: rounded(value), rowsTested, rowsFailed,
    })); // biome-ignore format: one line
    const different = expected.flatMap((each, index) =>
      JSON.stringify(each) === JSON.stringify(said[index])
        ? []
        : [{ rule: LINES[index]?.text, expected: each, found: said[index], why: found[index]?.reason }],
    );
    expect(different.slice(0, 5)).toEqual([]);
    expect(said).toHaveLength(LINES.length);
  });

  test('groups are the rows of each value, with the outcome of each', async () => {
    const rules = SUBJECTS.map(([metric, options], index) =>
      options === '' ? `- group by k:\n    ${metric} >= 2: {}\n    name: g${index}` : '',
    )
      .filter((each) => each !== '')
      .join('\n');
    const found = await world.run(rules, { model: `marts.${name}` });
    const groups = [...Map.groupBy(TABLES[name] ?? [], ({ k }) => k ?? null)];
    for (const [index, rule] of packOf(rules, { model: `marts.${name}` }).rules.entries()) {
      const {
        rules: [inner],
      } = rule.assertion as DqAssertion & { kind: 'group-by' };
      const { metric, comparison, validity } = inner as MetricAssertion;
      const expected = groups.map(([key, rows]) => {
        const { value } = measured(rows, metric, validity);
        return {
          key: [key],
          value: rounded(value),
          outcome: value === null ? 'not_evaluated' : outcomeIn(value, comparison, rule),
        };
      });
      const byKey = (a: { key: readonly unknown[] }, b: { key: readonly unknown[] }): number =>
        JSON.stringify(a.key) < JSON.stringify(b.key) ? -1 : 1;
      const said = (found[index]?.groups ?? []).map((group) => ({ ...group, value: rounded(group.value) }));
      expect({ rule: rule.text.value, metric, groups: said.toSorted(byKey) }).toEqual({
        rule: rule.text.value, metric, groups: expected.toSorted(byKey),
      }); // biome-ignore format: one line
    }
  });
});

test('every metric and every option of metrics is in the matrix', () => {
  const text = SUBJECTS.map(([metric, options]) => `${metric} ${options}`).join('\n');
  expect(DQ_METRICS.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
  const options = [...(OPTIONS_OF['missing'] ?? []), ...(OPTIONS_OF['invalid'] ?? [])];
  expect(options.filter((name) => !text.includes(`${name}:`))).toEqual([]);
});
