import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { ModelTest, TestResult } from '../../domain/model-test.ts';
import { wereNot } from '../../domain/not-run.ts';
import { type Diagnostic, hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { testSemantics } from '../../operations/project/test-semantics.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { loadForCommand } from '../load-for-command.ts';
import { refusal } from '../refusal.ts';
import { cellText } from '../render/rows.ts';
import { counted, pad } from '../render/table.ts';
import type { Terminal } from '../terminal.ts';

const ROWS_MAX = 20;

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const loaded = await loadForCommand(context);
  const { project, diagnostics, sources } = loaded;
  if (hasErrors(diagnostics)) return refusal(diagnostics, sources);
  const chosen = chosenTests(project.tests, context.arguments);
  if ('problem' in chosen) return { error: chosen.problem };
  const results: TestResult[] = [];
  for await (const result of testSemantics(await context.workspace(), project, chosen.tests))
    results.push(result);
  const found = results.flatMap(problemsOf);
  const skipped = results.filter(({ kind }) => kind === 'not-run').length;
  const count = (kind: TestResult['kind']): number => results.filter((result) => result.kind === kind).length;
  const notRun = skipped === 0 ? [] : [diagnostic('test.not-run', { tests: wereNot(skipped, 'model test') })];
  return {
    ...(found.length + notRun.length > 0 ? { exitCode: EXIT.workFailed } : {}),
    data: {
      passed: count('passed'),
      failed: count('failed'),
      broken: count('broken'),
      not_run: skipped,
      tests: results.map(resultJson),
    },
    diagnostics: [...diagnostics, ...notRun, ...found],
    sources,
    print: (terminal) => {
      for (const result of results) printResult(terminal, result);
      terminal.note(
        `${counted(count('passed') + count('failed') + count('broken'), 'semantic test')}: ${count('passed')} passed, ${count('failed')} failed, ${count('broken')} broken; ${counted(skipped, 'model test')} not run`,
      );
    },
  };
}

/** All tests, or those whose names are given; `*` stands for any letters. */
function chosenTests(
  tests: readonly ModelTest[],
  names: readonly string[],
): { readonly tests: readonly ModelTest[] } | { readonly problem: Diagnostic } {
  if (names.length === 0) return { tests };
  const chosen = new Set<ModelTest>();
  for (const name of names) {
    const pattern = new RegExp(
      `^${name
        .split('*')
        .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('.*')}$`,
      'i',
    );
    const found = tests.filter((test) => pattern.test(test.name));
    if (found.length === 0) {
      const hint = didYouMean(
        name,
        tests.map((test) => test.name),
      );
      return { problem: diagnostic('cli.unknown-test', { name }, { hint }) };
    }
    for (const test of found) chosen.add(test);
  }
  return { tests: tests.filter((test) => chosen.has(test)) };
}

function problemsOf(result: TestResult): readonly Diagnostic[] {
  if (result.kind === 'broken') return result.diagnostics;
  if (result.kind !== 'failed') return [];
  const { test, missing, unexpected, isOrder } = result;
  const detail = isOrder
    ? 'the rows come in another order'
    : `${counted(missing.length, 'expected row')} did not come, ${counted(unexpected.length, 'other row')} did`;
  const at = { file: test.file, start: test.start, end: test.end };
  return [diagnostic('test.failed', { name: test.name, detail }, { at })];
}

function resultJson(result: TestResult): Readonly<Record<string, unknown>> {
  const { kind, test } = result;
  return {
    name: test.name,
    description: test.description ?? null,
    file: test.file,
    status: kind,
    ms: 'ms' in result ? Math.round(result.ms) : null,
    ...(result.kind === 'failed'
      ? {
          columns: result.columns,
          missing: result.missing,
          unexpected: result.unexpected,
          order: result.isOrder,
        }
      : {}),
  };
}

const MARKS = {
  passed: ['green', 'passed'],
  failed: ['red', 'FAILED'],
  broken: ['red', 'BROKEN'],
  'not-run': ['yellow', 'not run'],
} as const;

function printResult(terminal: Terminal, result: TestResult): void {
  const [style, word] = MARKS[result.kind];
  const { test } = result;
  const rows = result.kind === 'passed' ? `  ${counted(result.rows, 'row')}` : '';
  terminal.out(`${terminal.style(style, word.padStart(7))}  ${test.name}${rows}`);
  if (result.kind === 'failed') printDifference(terminal, result);
}

/** Expected rows that did not come with -, those that came with +, below their columns. */
function printDifference(terminal: Terminal, result: Extract<TestResult, { readonly kind: 'failed' }>): void {
  const { columns, missing, unexpected, isOrder } = result;
  const shown = [...missing.slice(0, ROWS_MAX), ...unexpected.slice(0, ROWS_MAX)];
  const cell = (value: unknown): string => (value === null ? 'NULL' : cellText(value));
  const widths = columns.map((name, index) =>
    Math.min(40, Math.max(name.length, ...shown.map((row) => cell(row[index]).length))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((text, index) => pad(text, widths[index] as number))
      .join('  ')
      .trimEnd();
  if (isOrder) terminal.out('           the same rows in another order; the query asks for one');
  terminal.out(`           ${line(columns)}`);
  for (const [mark, style, rows] of [
    ['-', 'red', missing],
    ['+', 'green', unexpected],
  ] as const) {
    for (const row of rows.slice(0, ROWS_MAX))
      terminal.out(terminal.style(style, `         ${mark} ${line(row.map(cell))}`));
    if (rows.length > ROWS_MAX)
      terminal.out(`         ${mark} and ${counted(rows.length - ROWS_MAX, 'row')} more`);
  }
}
