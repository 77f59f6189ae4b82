import type { CheckOutcome, CheckResult, Incident } from '../../domain/check-result.ts';
import type { Style, Terminal } from '../terminal.ts';
import { durationText } from './intervals.ts';
import { printable } from './printable.ts';
import { counted, grouped } from './table.ts';

const WORDS = {
  pass: ['passed', 'green'],
  warn: ['warned', 'yellow'],
  fail: ['failed', 'red'],
  error: ['not evaluated by an error', 'red'],
  not_evaluated: ['not evaluated', 'dim'],
} as const satisfies Record<CheckOutcome, readonly [string, Style]>;

/** How many checks ended how: `12 passed, 1 warned`. */
export function tallyText(tally: Readonly<Record<CheckOutcome, number>>): string {
  const parts = (Object.keys(WORDS) as CheckOutcome[])
    .filter((outcome) => tally[outcome] > 0)
    .map((outcome) => `${grouped(tally[outcome])} ${WORDS[outcome][0]}`);
  return parts.length === 0 ? 'no checks' : parts.join(', ');
}

/** The checks of one model in one line. */
export function checkedLine(
  terminal: Terminal,
  {
    model,
    results,
    ms,
  }: { readonly model: string; readonly results: readonly CheckResult[]; readonly ms: number },
): string {
  const tally = { pass: 0, warn: 0, fail: 0, error: 0, not_evaluated: 0 };
  for (const { outcome } of results) tally[outcome]++;
  const worst: Style = tally.fail + tally.error > 0 ? 'red' : tally.warn > 0 ? 'yellow' : 'green';
  return `${terminal.style(worst, 'Checked'.padStart(9))}  ${printable(model)}  ${tallyText(tally)}  ${durationText(ms)}`;
}

/** What did not pass, one line each. */
export function problemLines(terminal: Terminal, results: readonly CheckResult[]): readonly string[] {
  return results
    .filter(({ outcome }) => outcome !== 'pass')
    .map((result) => {
      const word = terminal.style(WORDS[result.outcome][1], result.outcome.replace('_', ' '));
      return `           ${word}  ${printable(result.check)}  ${printable(foundText(result))}`;
    });
}

/** `expected < 1%, found 2.5 (12 rows of 480)`. */
export function foundText({ expected, value, reason, rowsFailed, rowsTested }: CheckResult): string {
  const found = value === undefined ? '' : `, found ${value === null ? 'no value' : numberText(value)}`;
  const rows =
    rowsFailed === undefined
      ? ''
      : ` (${counted(rowsFailed, 'row')}${rowsTested === undefined ? '' : ` of ${grouped(rowsTested)}`})`;
  return `expected ${expected}${found}${rows}${reason === undefined ? '' : `: ${reason}`}`;
}

export function incidentLine({ check, summary, closedAt, closedBy }: Incident): string {
  const [word, words] =
    closedAt === undefined
      ? ['Incident', summary]
      : closedBy === undefined
        ? ['Closed', 'no pack has this check any more']
        : ['Recovered', 'passes again'];
  return `${word.padStart(9)}  ${printable(check)}  ${printable(words)}`;
}

/** Six digits say enough of a measured value. */
function numberText(value: number): string {
  return Number.isInteger(value) ? grouped(value) : String(Number(value.toPrecision(6)));
}
