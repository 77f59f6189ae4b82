/** How tests ended, for eyes, for programs, and for CI. */
import type { DifferentRow, TestDifference, TestResult } from '../../domain/model-test.ts';
import { differenceInWords } from '../../domain/test-problems.ts';
import { linePosition, renderDiagnostic } from '../../foundation/diagnostics/render-diagnostic.ts';
import type { Terminal } from '../terminal.ts';
import { cellText } from './rows.ts';
import { counted, pad } from './table.ts';

const ROWS_MAX = 20;
const WIDTH_MAX = 40;

type Sources = ReadonlyMap<string, string>;
type Failed = Extract<TestResult, { readonly kind: 'failed' }>;

const MARKS = {
  passed: ['green', 'passed'],
  failed: ['red', 'FAILED'],
  broken: ['red', 'BROKEN'],
  'not-run': ['yellow', 'not run'],
} as const;

export function printTestResult(terminal: Terminal, result: TestResult, sources: Sources): void {
  const [style, word] = MARKS[result.kind];
  const rows = result.kind === 'passed' ? `  ${counted(result.rows, 'row')}` : '';
  terminal.out(`${terminal.style(style, word.padStart(7))}  ${result.test.name}${rows}`);
  if (result.kind !== 'failed') return;
  for (const line of differenceLines(result, sources))
    terminal.out(line.style === undefined ? line.text : terminal.style(line.style, line.text));
}

interface Line {
  readonly text: string;
  readonly style?: 'red' | 'green' | 'yellow';
}

/** Missing rows with -, unexpected ones with +, those with other values with ~, below their columns and before the line that expects them. */
export function differenceLines({ test, differences }: Failed, sources: Sources): readonly Line[] {
  const text = sources.get(test.file);
  const placeOf = ({ at }: DifferentRow): string =>
    at === undefined || text === undefined ? '' : `  ${test.file}:${linePosition(text, at.start).line}`;
  return differences.flatMap((difference) => tableOf(difference, placeOf));
}

function tableOf(
  { output, columns, missing, unexpected, changed, isOrder }: TestDifference,
  placeOf: (row: DifferentRow) => string,
): readonly Line[] {
  const cell = (value: unknown): string => (value === null ? 'NULL' : value === '' ? "''" : cellText(value));
  const both = changed.slice(0, ROWS_MAX).map(({ expected, came, cells }) => ({
    mark: '~',
    style: 'yellow' as const,
    cells: expected.cells.map((value, at) =>
      cells.includes(at) ? `${cell(value)} → ${cell(came.cells[at])}` : cell(value),
    ),
    place: placeOf(expected),
  }));
  const rowsOf = (rows: readonly DifferentRow[], mark: string, style: 'red' | 'green') =>
    rows.slice(0, ROWS_MAX).map((row) => ({ mark, style, cells: row.cells.map(cell), place: placeOf(row) }));
  const rows = [...both, ...rowsOf(missing, '-', 'red'), ...rowsOf(unexpected, '+', 'green')];
  const widths = columns.map((name, at) =>
    Math.min(WIDTH_MAX, Math.max(name.length, ...rows.map(({ cells }) => (cells[at] ?? '').length))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((text, at) => pad(text, widths[at] as number))
      .join('  ')
      .trimEnd();
  const left = [changed, missing, unexpected].reduce(
    (sum, list) => sum + Math.max(0, list.length - ROWS_MAX),
    0,
  );
  return [
    ...(output === 'query' ? [] : [{ text: `           the common table expression ${output}` }]),
    ...(isOrder ? [{ text: '           the same rows in another order; the query asks for one' }] : []),
    { text: `           ${line(columns)}` },
    ...rows.map(({ mark, style, cells, place }) => ({
      style,
      text: `         ${mark} ${line(cells)}${place}`,
    })),
    ...(left === 0 ? [] : [{ text: `           and ${counted(left, 'row')} more` }]),
  ];
}

/** As JUnit writes it: one suite for each file. */
export function junitXml(results: readonly TestResult[], sources: Sources): string {
  const suites = [...Map.groupBy(results, ({ test }) => test.file)].map(([file, own]) => {
    const cases = own.map((result) => junitCase(result, sources)).join('');
    return `  <testsuite name="${xml(file)}" ${countsOf(own)}>\n${cases}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${countsOf(results)}>\n${suites.join('')}</testsuites>\n`;
}

function countsOf(results: readonly TestResult[]): string {
  const count = (kind: TestResult['kind']): number => results.filter((result) => result.kind === kind).length;
  const errors = count('broken') + count('not-run');
  return `tests="${results.length}" failures="${count('failed')}" errors="${errors}" time="${seconds(results)}"`;
}

const seconds = (results: readonly TestResult[]): string =>
  (results.reduce((sum, result) => sum + ('ms' in result ? result.ms : 0), 0) / 1000).toFixed(3);

function junitCase(result: TestResult, sources: Sources): string {
  const { test } = result;
  const of = test.subject.kind === 'model' ? test.subject.model.value : 'semantic_query';
  const text = sources.get(test.file);
  const line = text === undefined ? '' : ` line="${linePosition(text, test.start).line}"`;
  const head = `    <testcase name="${xml(test.name)}" classname="${xml(of)}" file="${xml(test.file)}"${line} time="${seconds([result])}"`;
  const body = (tag: string, message: string, lines: readonly string[]): string =>
    `${head}>\n      <${tag} message="${xml(message)}">${xml(lines.join('\n'))}</${tag}>\n    </testcase>\n`;
  switch (result.kind) {
    case 'passed':
      return `${head}/>\n`;
    case 'failed':
      return body(
        'failure',
        differenceInWords(result.differences),
        differenceLines(result, sources).map((each) => each.text),
      );
    case 'broken':
      return body(
        'error',
        result.diagnostics[0]?.message ?? '',
        result.diagnostics.map((each) => renderDiagnostic(each, sources.get(each.at?.file ?? ''))),
      );
    case 'not-run':
      return body('error', 'Plinth cannot run Python models and macros yet.', []);
  }
}

/** A text in an element or an attribute; what XML cannot hold is left out. */
function xml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
