import { describe, expect, test } from 'vitest';
import { marked } from '../../../tests/support/marked-source.ts';
import { loadAuditFile } from './load-audit-file.ts';

const path = 'audits/rules.sql';

describe('an audit file', () => {
  test('holds any number of audits with their settings', () => {
    const text = `-- how long rides may be
AUDIT (name No_Long_Rides, defaults (max_h = 24, Unit = 'h'), blocking false, dialect postgres, on_failure quarantine);
@DEF(x, 1);
SELECT * FROM @this_model WHERE duration_h > @max_h;

AUDIT (name second, skip true);
JINJA_QUERY_BEGIN;
SELECT * FROM {{ this_model }} WHERE note = 'it''s'
JINJA_END;`;
    const { audits, diagnostics } = loadAuditFile({ path, text }, 'duckdb');
    expect(diagnostics).toEqual([]);
    expect(audits).toMatchObject([
      {
        name: 'no_long_rides',
        file: path,
        dialect: 'postgres',
        isBlocking: false,
        isStandalone: false,
        onFailure: 'quarantine',
        defaults: { max_h: '24', unit: "'h'" },
        query: { text: 'SELECT * FROM @this_model WHERE duration_h > @max_h' },
        statements: [{ text: '@DEF(x, 1)' }],
      },
      { name: 'second', skip: true, isBlocking: true, query: { isJinja: true } },
    ]);
  });

  test('a standalone audit watches other tables, and blocks only when it says so', () => {
    const text = `AUDIT (name watch, standalone true, owner mara, tags (x), depends_on (a.b), description 'why', cron '@daily'); SELECT * FROM a.b`;
    const { audits, diagnostics } = loadAuditFile({ path, text }, 'duckdb');
    expect(diagnostics.map(({ code }) => code)).toEqual(['model.unused-property']);
    expect(audits).toMatchObject([
      {
        isStandalone: true,
        isBlocking: false,
        owner: 'mara',
        tags: ['x'],
        dependsOn: ['a.b'],
        description: 'why',
      },
    ]);
    const blocking = text.replace('standalone true', 'standalone true, blocking true');
    expect(loadAuditFile({ path, text: blocking }, 'duckdb').audits).toMatchObject([{ isBlocking: true }]);
  });

  test('one broken audit does not hide the others', () => {
    const { audits, diagnostics } = loadAuditFile(
      { path, text: 'AUDIT (name a); SELECT 1; AUDIT (name b); AUDIT (name c); SELECT 3' },
      'duckdb',
    );
    expect(audits.map((a) => a.name)).toEqual(['a', 'c']);
    expect(diagnostics.map((d) => d.code)).toEqual(['audit.no-query']);
  });
});

describe('what is wrong is marked', () => {
  test.each([
    ['audit.missing-block', '«SELECT» 1'],
    ['audit.missing-name', '«AUDIT» (skip true); SELECT 1'],
    ['audit.no-query', '«AUDIT» (name a);'],
    ['audit.several-queries', 'AUDIT (name a); SELECT 1; «SELECT 2»'],
    ['model.unknown-property', 'AUDIT (name a, «blokcing» true); SELECT 1'],
    ['model.unused-property', 'AUDIT (name a, «formatting» false); SELECT 1'],
    ['model.unused-property', "AUDIT (name a, standalone true, «cron» '@daily'); SELECT 1"],
    ['model.duplicate-property', 'AUDIT (name a, «name» b); SELECT 1'],
    ['model.missing-value', 'AUDIT (name a, «skip»); SELECT 1'],
    ['model.wrong-value', 'AUDIT (name a, skip «maybe»); SELECT 1'],
    ['model.wrong-value', 'AUDIT (name a, on_failure «explode»); SELECT 1'],
    ['model.wrong-value', 'AUDIT (name a, defaults «1»); SELECT 1'],
    ['model.unclosed-block', '«AUDIT (» name a; SELECT 1'],
    ['model.missing-semicolon', 'AUDIT (name a) «SELECT» 1'],
    ['sql.lexical', "AUDIT (name a); SELECT «'»x"],
  ])('%s: %s', (code, source) => {
    const { text, range } = marked(source);
    const { diagnostics } = loadAuditFile({ path, text }, 'duckdb');
    expect(diagnostics.map((d) => [d.code, d.at])).toEqual([[code, { file: path, ...range }]]);
  });

  test('an empty file is a warning', () => {
    expect(loadAuditFile({ path, text: '-- later\n' }, 'duckdb').diagnostics).toMatchObject([
      { code: 'file.empty', severity: 'warning' },
    ]);
  });
});
