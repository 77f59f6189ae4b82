/*
 * What each form of each kind of rule must say of a table that passes, one that fails, one with NULLs, an empty one and one whose
 * column is of another type. What is expected is written here and comes from the reference of rules, not from the planner.
 *
 * Tables have the columns id, x (of the form's type, with these cells) and k (the same in all rows).
 */
import type { Shares } from '../../../src/compiler/quality/check-plan.ts';
import type { DistanceMethod } from '../../../src/compiler/quality/distribution.ts';
import type { CheckOutcome } from '../../../src/domain/check-result.ts';
import type { DqAssertion, DqBaseline, DqMetricName } from '../../../src/domain/dq-pack.ts';

/** Cells of x in SQL, and what the rule says of them. */
export interface FormCase {
  readonly cells: readonly string[];
  readonly outcome: CheckOutcome;
  readonly value?: number | null;
  /** Of x; absent: the form's. */
  readonly type?: string;
  /** Another name of x. */
  readonly column?: string;
}

export interface RuleForm {
  readonly form: string;
  /** Its text; `%` stands for the table. */
  readonly rule: string;
  /** Lines below it. */
  readonly options?: readonly string[];
  /** The text that stands around it: "for each column (x)" or "group by k". */
  readonly inside?: string;
  readonly type: string;
  readonly passes: FormCase;
  readonly fails: FormCase;
  readonly nulls: readonly FormCase[];
  readonly empty: FormCase;
  /** An error, or what is said of it where every type can be judged. */
  readonly wrong: readonly FormCase[];
  /** Values that were measured before, a day apart, oldest first. */
  readonly before?: readonly number[];
  readonly shares?: { readonly previous: Shares; readonly baseline: Shares };
}

type Cells = readonly string[];
type Said = readonly [cells: Cells, value?: number | null | undefined];

const pass = ([cells, value]: Said): FormCase => ({
  cells,
  outcome: 'pass',
  ...(value === undefined ? {} : { value }),
});
const fail = (said: Said): FormCase => ({ ...pass(said), outcome: 'fail' });
const unknown = (cells: Cells, value?: null): FormCase => ({
  cells,
  outcome: 'not_evaluated',
  ...(value === undefined ? {} : { value }),
});
const error = (type: string, cells: Cells): FormCase => ({ type, cells, outcome: 'error' });
const ANY = { type: 'STRUCT(a INTEGER)', one: '{a: 1}', two: '{a: 2}' } as const;

const WORDS = error('VARCHAR', ["'a'", "'b'"]);
const BYTES = error('BLOB', ["'a'::BLOB"]);
const NOT_A_NUMBER = error('DOUBLE', ["'NaN'", "'NaN'"]);

/** An aggregate of numbers. */
function aggregate(rule: string, passes: Said, fails: Said): Omit<RuleForm, 'form'> {
  return {
    rule,
    type: 'INTEGER',
    passes: pass(passes),
    fails: fail(fails),
    nulls: [pass([['NULL', ...passes[0]], passes[1]]), unknown(['NULL', 'NULL'], null)],
    empty: unknown([], null),
    wrong: [WORDS, NOT_A_NUMBER, error('DATE', ["'2026-01-01'"])],
  };
}

/** The length of texts. */
function length(rule: string, passes: Said, fails: Said): Omit<RuleForm, 'form'> {
  return { ...aggregate(rule, passes, fails), type: 'VARCHAR', wrong: [BYTES] };
}

const texts = (...each: readonly string[]): Cells => each.map((text) => `'${text}'`);

const METRICS: Readonly<Record<DqMetricName, Omit<RuleForm, 'form'>>> = {
  row_count: {
    rule: 'row_count > 1', type: 'INTEGER',
    passes: pass([['1', '2'], 2]), fails: fail([['1'], 1]), nulls: [pass([['NULL', 'NULL'], 2])], empty: fail([[], 0]),
    wrong: [{ ...pass([[ANY.one, ANY.two], 2]), type: ANY.type }],
  },
  missing_count: {
    rule: 'missing_count(x) = 0', type: 'INTEGER',
    passes: pass([['1'], 0]), fails: fail([['NULL'], 1]), nulls: [fail([['NULL', '1', 'NULL'], 2])], empty: pass([[], 0]),
    wrong: [{ ...fail([[ANY.one, 'NULL'], 1]), type: ANY.type }],
  },
  missing_percent: {
    rule: 'missing_percent(x) < 50', type: 'INTEGER',
    passes: pass([['1'], 0]), fails: fail([['NULL'], 100]), nulls: [pass([['NULL', '1', '1', '1'], 25])], empty: unknown([], null),
    wrong: [{ ...fail([[ANY.one, 'NULL'], 50]), type: ANY.type }],
  },
  invalid_count: {
    rule: 'invalid_count(x) = 0', options: ['valid_min: 0'], type: 'INTEGER',
    passes: pass([['0', '1'], 0]), fails: fail([['-1', '1'], 1]), nulls: [pass([['NULL'], 0])], empty: pass([[], 0]), wrong: [WORDS],
  },
  invalid_percent: {
    rule: 'invalid_percent(x) < 50', options: ["valid_regex: '^a'"], type: 'VARCHAR',
    passes: pass([texts('a', 'ab'), 0]), fails: fail([texts('a', 'b'), 50]), nulls: [pass([['NULL', "'a'"], 0])], empty: unknown([], null), wrong: [BYTES],
  },
  valid_count: {
    rule: 'valid_count(x) >= 1', options: ['valid_max: 2'], type: 'INTEGER',
    passes: pass([['1', '3'], 1]), fails: fail([['3'], 0]), nulls: [fail([['NULL'], 0])], empty: fail([[], 0]), wrong: [WORDS],
  },
  valid_percent: {
    rule: 'valid_percent(x) > 60', options: ['valid_length: 2'], type: 'VARCHAR',
    passes: pass([texts('ab'), 100]), fails: fail([texts('ab', 'a'), 50]), nulls: [fail([['NULL', "'ab'"], 50])], empty: unknown([], null), wrong: [BYTES],
  },
  duplicate_count: {
    rule: 'duplicate_count(x) = 0', type: 'INTEGER',
    passes: pass([['1', '2'], 0]), fails: fail([['1', '1', '2'], 1]), nulls: [pass([['NULL', 'NULL'], 0])], empty: pass([[], 0]),
    wrong: [{ ...fail([[ANY.one, ANY.one], 1]), type: ANY.type }],
  },
  duplicate_percent: {
    rule: 'duplicate_percent(x) < 10', type: 'INTEGER',
    passes: pass([['1', '2'], 0]), fails: fail([['1', '1'], 50]), nulls: [pass([['NULL', 'NULL'], 0])], empty: unknown([], null),
    wrong: [{ ...fail([[ANY.one, ANY.one], 50]), type: ANY.type }],
  },
  distinct_count: {
    rule: 'distinct_count(x) > 1', type: 'INTEGER',
    passes: pass([['1', '2'], 2]), fails: fail([['1', '1'], 1]), nulls: [fail([['NULL', 'NULL', '1'], 1])], empty: fail([[], 0]),
    wrong: [{ ...pass([[ANY.one, ANY.two], 2]), type: ANY.type }],
  },
  unique_count: {
    rule: 'unique_count(x) > 0', type: 'INTEGER',
    passes: pass([['1', '1', '2'], 1]), fails: fail([['1', '1'], 0]), nulls: [fail([['NULL'], 0])], empty: fail([[], 0]),
    wrong: [{ ...pass([[ANY.one, ANY.two], 2]), type: ANY.type }],
  },
  avg: aggregate('avg(x) < 3', [['1', '2', '3'], 2], [['5', '6'], 5.5]),
  min: aggregate('min(x) > 0', [['2', '1'], 1], [['0', '5'], 0]),
  max: aggregate('max(x) < 10', [['9', '1'], 9], [['10'], 10]),
  sum: aggregate('sum(x) = 6', [['1', '2', '3'], 6], [['1'], 1]),
  stddev: aggregate('stddev(x) < 2', [['1', '3'], Math.SQRT2], [['0', '10'], Math.sqrt(50)]),
  stddev_samp: aggregate('stddev_samp(x) < 2', [['1', '3'], Math.SQRT2], [['0', '10'], Math.sqrt(50)]),
  stddev_pop: aggregate('stddev_pop(x) < 2', [['1', '3'], 1], [['0', '10'], 5]),
  variance: aggregate('variance(x) < 4', [['1', '3'], 2], [['0', '10'], 50]),
  var_samp: aggregate('var_samp(x) < 4', [['1', '3'], 2], [['0', '10'], 50]),
  var_pop: aggregate('var_pop(x) < 4', [['1', '3'], 1], [['0', '10'], 25]),
  median: aggregate('median(x) < 3', [['1', '2', '9'], 2], [['5', '6'], 5.5]),
  percentile: aggregate('percentile(x, 0.25) < 3', [['1', '5'], 2], [['4', '8'], 5]),
  avg_length: length('avg_length(x) < 3', [texts('ab', 'abc'), 2.5], [texts('abcd'), 4]),
  min_length: length('min_length(x) >= 2', [texts('ab', 'abc'), 2], [texts('a', 'abc'), 1]),
  max_length: length('max_length(x) <= 3', [texts('ab', 'äöü'), 3], [texts('a', 'abcd'), 4]),
}; // biome-ignore format: a table

/** NOW of these tests is noon of 2026-03-02. */
const FRESH = "'2026-03-02 10:00'";
const STALE = "'2026-03-01 08:00'";
const HOURS = 3600;
const FRESHNESS: RuleForm = {
  form: 'newest value',
  rule: 'freshness(x) < 26h',
  type: 'TIMESTAMP',
  passes: pass([[FRESH, STALE], 2 * HOURS]),
  fails: fail([[STALE], 28 * HOURS]),
  nulls: [pass([['NULL', FRESH], 2 * HOURS]), fail([['NULL'], null])],
  empty: fail([[], null]),
  wrong: [
    WORDS,
    error('TIME', ["'10:00'"]),
    { ...pass([["'2026-03-02'"], 12 * HOURS]), type: 'DATE' },
    // That is no time, so it is no newest one.
    { ...fail([["'infinity'"], null]), type: 'TIMESTAMP WITH TIME ZONE' },
  ],
};

/** A rule about columns: their rows do not matter. */
const schema = (
  form: string,
  option: string,
  more: Pick<RuleForm, 'passes' | 'fails' | 'wrong'>,
): RuleForm => ({
  ...{ form, rule: 'schema', options: [option], type: 'INTEGER' },
  ...{ nulls: [{ ...more.passes, cells: ['NULL'] }], empty: { ...more.passes, cells: [] } },
  ...more,
});
const SCHEMAS: readonly RuleForm[] = [
  schema('required_columns', 'required_columns: [x]', {
    passes: pass([['1'], 0]),
    fails: { ...fail([['1'], 1]), column: 'y' },
    wrong: [{ ...pass([[ANY.one], 0]), type: ANY.type }],
  }),
  schema('forbidden_columns', 'forbidden_columns: [y]', {
    passes: pass([['1'], 0]),
    fails: { ...fail([['1'], 1]), column: 'y' },
    wrong: [{ ...fail([[ANY.one], 1]), type: ANY.type, column: 'y' }],
  }),
  schema('types', 'types: {x: integer}', {
    passes: pass([['1'], 0]),
    fails: { ...fail([['1'], 1]), column: 'y' },
    wrong: [{ ...fail([['1'], 1]), type: 'BIGINT' }],
  }),
];

/** marts.target has 1, 2, 3 and a NULL. */
const REFERENCES: readonly RuleForm[] = [
  {
    form: 'must exist',
    rule: 'values in (x) must exist in marts.target (t)',
    type: 'INTEGER',
    passes: pass([['1', '2'], 0]),
    fails: fail([['1', '9', '9'], 2]),
    nulls: [pass([['NULL', '1'], 0])],
    empty: pass([[], 0]),
    wrong: [WORDS, error('DATE', ["'2026-01-01'"])],
  },
  {
    form: 'must not exist',
    rule: 'values in (x) must not exist in marts.target (t)',
    type: 'INTEGER',
    passes: pass([['8', '9'], 0]),
    fails: fail([['1', '9'], 1]),
    nulls: [pass([['NULL', '9'], 0])],
    empty: pass([[], 0]),
    wrong: [WORDS, error('DATE', ["'2026-01-01'"])],
  },
];

/** marts.twin has 2 rows. */
const SAME_COUNT: RuleForm = {
  form: 'of another table',
  rule: 'row_count same as marts.twin',
  type: 'INTEGER',
  passes: pass([['1', '2'], 2]),
  fails: fail([['1'], 1]),
  nulls: [pass([['NULL', 'NULL'], 2])],
  empty: fail([[], 0]),
  wrong: [{ ...pass([[ANY.one, ANY.two], 2]), type: ANY.type }],
};

const failedRows = (form: string, option: string): RuleForm => ({
  ...{ form, rule: 'failed rows', options: [option], type: 'INTEGER' },
  passes: pass([['1'], 0]),
  fails: fail([['-1', '-2', '3'], 2]),
  nulls: [pass([['NULL'], 0])],
  empty: pass([[], 0]),
  wrong: [WORDS],
});

const change = (form: string, more: string, before: readonly number[]): RuleForm => ({
  ...{ form, rule: `change for avg(x) > -30%${more}`, type: 'INTEGER', before },
  passes: pass([['9'], 9]),
  fails: fail([['1', '3'], 2]),
  nulls: [pass([['NULL', '9'], 9]), unknown(['NULL'], null)],
  empty: unknown([], null),
  wrong: [WORDS, NOT_A_NUMBER],
});
const CHANGES: Readonly<Record<DqBaseline['kind'], RuleForm>> = {
  previous: change('previous', '', [100, 10]),
  last: change('last', ' against last day', [100, 10]),
  average: change('average', ' against average last 2', [100, 9, 11]),
};

const anomaly = (method: (DqAssertion & { kind: 'anomaly' })['method']): RuleForm => ({
  form: method,
  rule: 'anomaly for avg(x)',
  options: [`method: ${method}`, 'training: 10'],
  type: 'INTEGER',
  before: Array.from({ length: 30 }, (_, i) => 9 + (i % 3)),
  passes: pass([['10'], 10]),
  fails: fail([['100'], 100]),
  nulls: [pass([['NULL', '10'], 10]), unknown(['NULL'], null)],
  empty: unknown([], null),
  wrong: [WORDS, NOT_A_NUMBER],
});
const ANOMALIES: Readonly<Record<(DqAssertion & { kind: 'anomaly' })['method'], RuleForm>> = {
  robust_z: anomaly('robust_z'),
  z: anomaly('z'),
  iqr: anomaly('iqr'),
};

type Against = (DqAssertion & { kind: 'distribution' })['against'];
const HALVES: Shares = [
  { bin: '< 5', share: 0.5 },
  { bin: '>= 5', share: 0.5 },
];
const LOW: Shares = [
  { bin: '< 5', share: 1 },
  { bin: '>= 5', share: 0 },
];
const PAIR: Shares = [
  { bin: '"a"', share: 0.5 },
  { bin: '"b"', share: 0.5 },
  { bin: 'other', share: 0 },
];
const distribution = (method: DistanceMethod, against: Against): RuleForm => ({
  form: `${method} against ${against}`,
  rule: 'distribution(x)',
  options: [`against: ${against}`, `${method} < 0.2:`],
  type: 'INTEGER',
  // What is compared with is the one; the other would say otherwise.
  shares: against === 'previous' ? { previous: HALVES, baseline: LOW } : { previous: LOW, baseline: HALVES },
  passes: pass([['1', '9'], 0]),
  fails: fail([['9', '9', '9']]),
  nulls: [pass([['NULL', '1', '9', 'NULL'], 0]), unknown(['NULL', 'NULL'])],
  empty: unknown([]),
  wrong: [WORDS, BYTES, { ...unknown(["'NaN'"]), type: 'DOUBLE' }],
});
const ofWords: RuleForm = {
  ...distribution('psi', 'previous'),
  form: 'psi of texts',
  type: 'VARCHAR',
  shares: { previous: PAIR, baseline: PAIR },
  passes: pass([texts('a', 'b'), 0]),
  fails: fail([texts('c', 'c')]),
  nulls: [pass([['NULL', ...texts('a', 'b')], 0]), unknown(['NULL'])],
  wrong: [error('INTEGER', ['1', '2']), BYTES],
};
const DISTANCES: Readonly<Record<DistanceMethod, readonly RuleForm[]>> = {
  psi: [distribution('psi', 'previous'), distribution('psi', 'baseline'), ofWords],
  ks: [distribution('ks', 'previous'), distribution('ks', 'baseline')],
  chi_square: [distribution('chi_square', 'previous'), distribution('chi_square', 'baseline')],
};

/** The same rule for a column that is found by a pattern. */
const forEach = (form: RuleForm): RuleForm => ({
  ...form,
  form: `each ${form.form}`,
  rule: form.rule.replace(/\(x\)/, ''),
  inside: 'for each column (x)',
});

/** The same rule for the only group: the value is how many groups did not pass, and without rows there is none. */
function grouped(form: RuleForm): RuleForm {
  const ofGroup = (each: FormCase): FormCase => ({
    ...each,
    ...(each.outcome === 'error' ? {} : { value: each.outcome === 'pass' ? 0 : 1 }),
  });
  return {
    ...form,
    ...{ form: `${form.form} by group`, inside: 'group by k' },
    ...{ passes: ofGroup(form.passes), fails: ofGroup(form.fails), nulls: form.nulls.map(ofGroup) },
    ...{ empty: unknown([]), wrong: form.wrong.map(ofGroup) },
  };
}

const metrics = Object.entries(METRICS).map(([form, rest]): RuleForm => ({ form, ...rest }));
const byCondition = failedRows('fail_condition', 'fail_condition: x < 0');

/** Every kind, each with its forms: a kind without an entry does not compile. */
export const RULE_FORMS: Readonly<Record<DqAssertion['kind'], readonly RuleForm[]>> = {
  metric: metrics,
  freshness: [FRESHNESS],
  schema: SCHEMAS,
  reference: REFERENCES,
  'row-count-same': [SAME_COUNT],
  change: Object.values(CHANGES),
  anomaly: Object.values(ANOMALIES),
  distribution: Object.values(DISTANCES).flat(),
  'failed-rows': [byCondition, failedRows('fail_query', "fail_query: 'SELECT * FROM % WHERE x < 0'")],
  'for-each-column': [
    ...metrics.filter(({ form, rule }) => form !== 'row_count' && rule.includes('(x)')).map(forEach),
    ...[...Object.values(CHANGES), ...Object.values(ANOMALIES)].map(forEach),
  ],
  'group-by': [...metrics, FRESHNESS, byCondition].map(grouped),
};
