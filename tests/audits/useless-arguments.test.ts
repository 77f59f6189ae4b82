/** Arguments by which a built-in audit could not fail whatever the rows are: refused at load, or when their macros are expanded. */
import { afterEach, describe, expect, test } from 'vitest';
import { BUILT_IN_AUDITS } from '../../src/compiler/load/built-in-audits.ts';
import { openWarehouse, type Warehouse } from '../support/materialize-warehouse.ts';
import { compileText } from '../support/plan/compile-text.ts';

let w: Warehouse | undefined;
afterEach(async () => {
  await w?.close();
  w = undefined;
});

const USABLE: Readonly<Record<string, string>> = {
  ...{
    column: 'a',
    columns: '(a)',
    criteria: '(a > 0)',
    is_in: '(1)',
    patterns: "('x')",
    threshold: '1',
    v: '1',
  },
  ...{
    interval: '1',
    min_v: '0',
    max_v: '1',
    lower_bound_column: 'a',
    upper_bound_column: 'a',
    to: 's.m',
    field: 'a',
  },
  ...{
    source_column: 'a',
    target_column: 'a',
    column_a: 'a',
    column_b: 'a',
    critical_value: '1',
    condition: 'a > 0',
  },
  ...{ inclusive: 'true', dependent: 'true', partition_clause: 'a' },
};
const use = (audit: string, given: Readonly<Record<string, string>>): string =>
  `${audit}(${Object.entries(given)
    .map(([name, text]) => `${name} := ${text}`)
    .join(', ')})`;
const model = (audit: string): string => `MODEL (name s.m, kind FULL, audits (${audit}));\nSELECT 1 AS a\n`;

async function codes(audit: string): Promise<readonly string[]> {
  const { diagnostics } = await compileText({ 'models/m.sql': model(audit) }, { mayHaveErrors: true });
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code);
}

const BOUNDS = ['min_v', 'max_v'];
const ARGUMENTS = Object.entries(BUILT_IN_AUDITS).flatMap(([audit, { required, optional }]) => {
  const all = [...required, ...optional];
  return all.map((argument) => [audit, argument, all] as const);
});

describe('every argument of every built-in audit', () => {
  test.each(ARGUMENTS)('%s: %s is not NULL, unless it is one bound of two', async (audit, argument, all) => {
    const given = Object.fromEntries(all.map((name) => [name, USABLE[name] ?? '']));
    expect(await codes(use(audit, given))).toEqual([]);
    const isBound = BOUNDS.includes(argument);
    expect(await codes(use(audit, { ...given, [argument]: 'NULL' }))).toEqual(
      isBound ? [] : ['audit.bad-argument'],
    );
    if (isBound)
      expect(await codes(use(audit, { ...given, min_v: 'NULL', max_v: '(NULL)' }))).toEqual([
        'audit.bad-argument',
      ]);
  });
});

test.each([
  'not_null(columns := ())',
  'not_null(columns := [])',
  'not_null(columns := (a, NULL))',
  'unique_values(columns := ())',
  'forall(criteria := ())',
  'forall(criteria := (a > 0, NULL))',
  'not_accepted_values(column := a, is_in := ())',
  'not_accepted_values(column := a, is_in := (NULL, NULL))',
  'not_match_like_pattern_list(column := a, patterns := ())',
  "match_like_pattern_list(column := a, patterns := ('x', NULL))",
  'accepted_range(column := a)',
  'accepted_range(column := a, inclusive := false)',
  'accepted_range(column := a, min_v := 0, inclusive := perhaps)',
  'mean_in_range_non_blocking(column := a)',
])('%s is refused at its place', async (audit) => {
  expect(await codes(audit)).toEqual(['audit.bad-argument']);
});

test('a NULL in a list of values is left out, and one bound is enough', async () => {
  expect(await codes('accepted_values(column := a, is_in := (1, NULL))')).toEqual([]);
  expect(await codes('accepted_range(column := a, max_v := 3)')).toEqual([]);
});

test('what a variable turns out to be is refused when the audit would run', async () => {
  w = await openWarehouse({
    'config.yaml': 'name: t\nmodel_defaults: {dialect: duckdb}\nvariables: {least: null, most: 5}\n',
    'models/m.sql': model('number_of_rows(threshold := @least)'),
    'models/n.sql':
      'MODEL (name s.n, kind FULL, audits (accepted_range(column := a, max_v := @most)));\nSELECT 9 AS a\n',
  });
  await expect(w.write('s.m')).rejects.toMatchObject({ code: 'audit.bad-argument' });
  expect((await w.write('s.n')).audits).toMatchObject([{ status: 'failed' }]);
});
