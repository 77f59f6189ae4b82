import { describe, expect, test } from 'vitest';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { lintReport } from './lint-report.ts';

const TEXT = 'MODEL (name a.b);\nSELECT *\nFROM t\n';
const FILE = 'models/100%, a b:c.sql';
const sources = new Map([[FILE, TEXT]]);
const at = (start: number, end: number) => ({ file: FILE, start, end });
const custom = (finding: string, options: Parameters<typeof diagnostic>[2] = {}): Diagnostic =>
  diagnostic('lint.custom', { rule: 'mine', finding }, options);
const star = diagnostic('lint.no-select-star', { model: 'a.b' }, { at: at(25, 26), severity: 'error' });
const report = (format: string, diagnostics: readonly Diagnostic[], prefix = ''): string =>
  lintReport(format, { diagnostics, sources, prefix }) ?? '';

test('text is printed as every command prints it', () => {
  expect(lintReport('text', { diagnostics: [star], sources, prefix: '' })).toBeUndefined();
  expect(lintReport(undefined, { diagnostics: [star], sources, prefix: '' })).toBeUndefined();
});

test('json is a bare list with lines and columns', () => {
  expect(JSON.parse(report('json', [star]))).toMatchObject([
    {
      code: 'lint.no-select-star',
      severity: 'error',
      file: FILE,
      line: 2,
      column: 8,
      end_line: 2,
      end_column: 9,
    },
  ]);
});

describe('github', () => {
  test('escapes what would end a property, a message or a line', () => {
    expect(report('github', [star], 'demo/')).toBe(
      '::error file=demo/models/100%25%2C a b%3Ac.sql,line=2,endLine=2,col=8,endColumn=9,title=lint.no-select-star::a.b returns a star, so its columns change with what it reads.%0Alist the columns; plinth lint --fix does it where they are known\n',
    );
  });
  test('a message cannot begin a command of its own', () => {
    const text = report('github', [custom('50% of it\r\n::error::all is well\u001b[2J')]);
    expect(text).toBe('::warning title=lint.custom::mine: 50%25 of it%0D%0A::error::all is well�[2J\n');
    expect(text.split('\n')).toHaveLength(2);
  });
  test('a place of several lines has no columns, a note is a notice, and without a place there is none', () => {
    expect(report('github', [custom('x', { at: at(18, 30) })])).toContain(',line=2,endLine=3,title=');
    expect(report('github', [custom('x', { severity: 'note' })])).toBe(
      '::notice title=lint.custom::mine: x\n',
    );
  });
});

describe('sarif', () => {
  const log = (diagnostics: readonly Diagnostic[], prefix = ''): SarifLog =>
    JSON.parse(report('sarif', diagnostics, prefix));

  test('has what the schema of 2.1.0 demands of a log, a run, a driver, rules and results', () => {
    const { version, runs, $schema } = log([star, custom('x'), custom('y', { at: at(0, 5) })]);
    expect(version).toBe('2.1.0');
    expect(new URL($schema).protocol).toBe('https:');
    const [run] = runs;
    expect(runs).toHaveLength(1);
    expect(run?.tool.driver.name).toBe('plinth');
    const ids = run?.tool.driver.rules.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(ids.length);
    for (const rule of run?.tool.driver.rules ?? []) {
      expect(rule.shortDescription.text).not.toBe('');
      expect(['none', 'note', 'warning', 'error']).toContain(rule.defaultConfiguration.level);
    }
    expect(run?.results).toHaveLength(3);
    for (const result of run?.results ?? []) {
      expect(ids[result.ruleIndex]).toBe(result.ruleId);
      expect(['none', 'note', 'warning', 'error']).toContain(result.level);
      expect(result.message.text).not.toBe('');
      for (const { physicalLocation } of result.locations ?? []) {
        const { startLine, startColumn, endLine, endColumn } = physicalLocation.region;
        for (const place of [startLine, startColumn, endLine, endColumn]) expect(place).toBeGreaterThan(0);
      }
    }
  });
  test('a path is a relative URI below the root of the repository', () => {
    const [result] = log([star], 'a demo/').runs[0]?.results ?? [];
    expect(result?.locations?.[0]?.physicalLocation.artifactLocation.uri).toBe(
      'a%20demo/models/100%25%2C%20a%20b%3Ac.sql',
    );
  });
  test('nothing found is a run without results', () => {
    expect(log([]).runs[0]).toMatchObject({ results: [], tool: { driver: { rules: [] } } });
  });
});

interface SarifLog {
  readonly $schema: string;
  readonly version: string;
  readonly runs: readonly {
    readonly tool: {
      readonly driver: {
        readonly name: string;
        readonly rules: readonly {
          readonly id: string;
          readonly shortDescription: { readonly text: string };
          readonly defaultConfiguration: { readonly level: string };
        }[];
      };
    };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly message: { readonly text: string };
      readonly locations?: readonly {
        readonly physicalLocation: {
          readonly artifactLocation: { readonly uri: string };
          readonly region: Readonly<Record<'startLine' | 'startColumn' | 'endLine' | 'endColumn', number>>;
        };
      }[];
    }[];
  }[];
}
