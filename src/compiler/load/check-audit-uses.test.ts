import { describe, expect, test } from 'vitest';
import { loadContext } from '../../../tests/support/load-context.ts';
import { marked } from '../../../tests/support/marked-source.ts';
import { BUILT_IN_AUDITS } from './built-in-audits.ts';
import { checkAuditNames, checkAuditUses } from './check-audit-uses.ts';
import { loadAuditFile } from './load-audit-file.ts';
import { loadModelFile } from './load-model-file.ts';

const file = 'models/a/b.sql';
const projectAudits = loadAuditFile(
  {
    path: 'audits/x.sql',
    text: 'AUDIT (name no_long_rides, defaults (max_h = 24)); SELECT * FROM @this_model WHERE h > @max_h AND @column > 0',
  },
  'duckdb',
).audits;

function check(source: string) {
  const { text, ranges } = marked(source);
  const { definitions, diagnostics } = loadModelFile({ path: file, text }, loadContext());
  expect(diagnostics).toEqual([]);
  return { found: checkAuditUses(definitions, projectAudits), ranges };
}

describe('audits that models ask for', () => {
  test.each([
    ['audit.unknown', '«not_nul(columns := (id))»', 'did you mean not_null?'],
    ['audit.unknown', '«no_long_ride»', 'did you mean no_long_rides?'],
    ['audit.unknown', '«entirely_different()»', 'define it in audits/, or use a built-in one'],
    ['audit.unknown-argument', '«not_null(columns := (id), colums := 1)»', 'did you mean columns?'],
    ['audit.missing-argument', '«accepted_values(column := id)»', 'accepted_values(is_in := …)'],
    [
      'audit.missing-argument',
      '«number_of_rows_non_blocking»',
      'number_of_rows_non_blocking(threshold := …)',
    ],
    ['audit.unused-argument', '«no_long_rides(max_hh := 1)»', 'did you mean max_h?'],
  ])('%s: %s', (code, use, hint) => {
    const { found, ranges } = check(`MODEL (name a.b, audits (${use})); SELECT 1 AS id`);
    expect(found.map((d) => [d.code, d.at, d.hint])).toEqual([[code, { file, ...ranges[0] }, hint]]);
  });

  test.each([
    'no_long_rides(max_h := 2, column := x)',
    'NOT_NULL(columns := (id))',
    "accepted_range_non_blocking(column := id, min_v := 1, condition := x = 'y')",
    'not_null(columns := (id), blocking := false)',
    "not_null(columns := (id), on_failure := 'quarantine')",
  ])('%s is right', (use) => {
    expect(check(`MODEL (name a.b, audits (${use})); SELECT 1 AS id`).found).toEqual([]);
  });

  test('an audit in the model file is found before others, and only there', () => {
    const own =
      'MODEL (name a.b, audits (not_null(x := 1))); SELECT 1 AS id; AUDIT (name not_null); SELECT * FROM @this_model WHERE id = @x';
    expect(check(own).found).toEqual([]);
  });

  test('every built-in audit accepts its own arguments', () => {
    for (const [name, { required, optional }] of Object.entries(BUILT_IN_AUDITS)) {
      const given = [...required, ...optional].map((argument) => `${argument} := x`).join(', ');
      expect(
        check(`MODEL (name a.b, audits (${name}(${given}), ${name}_non_blocking(${given}))); SELECT 1`).found,
      ).toEqual([]);
    }
    expect(Object.keys(BUILT_IN_AUDITS)).toHaveLength(31);
  });
});

describe('names of audits', () => {
  test('a name used twice names both files', () => {
    const { text, range } = marked('«AUDIT» (name no_long_rides); SELECT 1');
    const { audits } = loadAuditFile({ path: 'audits/y.sql', text }, 'duckdb');
    expect(checkAuditNames([...projectAudits, ...audits])).toMatchObject([
      {
        code: 'audit.duplicate-name',
        at: { file: 'audits/y.sql', ...range },
        message: expect.stringContaining('audits/x.sql') as string,
      },
    ]);
  });

  test('hiding a built-in audit is a warning', () => {
    const { text, range } = marked('«AUDIT» (name not_null); SELECT 1');
    const { audits } = loadAuditFile({ path: 'audits/y.sql', text }, 'duckdb');
    expect(checkAuditNames(audits)).toMatchObject([
      { code: 'audit.shadows-built-in', severity: 'warning', at: { file: 'audits/y.sql', ...range } },
    ]);
  });
});
