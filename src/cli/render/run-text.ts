import type { ModelResult, Run } from '../../domain/run.ts';
import type { Style, Terminal } from '../terminal.ts';
import { durationText, intervalText } from './intervals.ts';
import { printable } from './printable.ts';
import { counted, grouped } from './table.ts';

const VERBS = {
  built: ['Built', 'green'],
  failed: ['Failed', 'red'],
  skipped: ['Skipped', 'yellow'],
  'up-to-date': ['Same', 'dim'],
} as const satisfies Record<ModelResult['status'], readonly [string, Style]>;

/** One finished model in one line; its errors follow below it. */
export function modelLine(terminal: Terminal, result: ModelResult): string {
  const [verb, style] = VERBS[result.status];
  const head = `${terminal.style(style, verb.padStart(9))}  ${printable(result.name)}`;
  return [head, ...detailsOf(result)].join('  ');
}

function detailsOf(result: ModelResult): readonly string[] {
  const { status, rows, ms, intervals, because, balance, error } = result;
  if (status === 'skipped') return because === undefined ? [] : [`needs ${printable(because)}`];
  if (status === 'failed') {
    const of = because === undefined ? '' : ` of ${printable(because)}`;
    return error === undefined ? [durationText(ms)] : [durationText(ms), `${error.code}${of}`];
  }
  const held =
    balance === undefined || balance.quarantined === 0
      ? []
      : [`${counted(balance.quarantined, 'row')} held back of ${grouped(balance.input)}`];
  const time = intervalText(intervals);
  return [
    // A view has no rows of its own.
    ...(rows === 0 && time === 'whole' ? [] : [counted(rows, 'row')]),
    ...(time === 'whole' || time === 'nothing' ? [] : [time]),
    durationText(ms),
    ...held,
  ];
}

/** What became of the audits that did not pass, one line each. */
export function auditLines(result: ModelResult): readonly string[] {
  return result.audits
    .filter(({ status }) => status !== 'passed' && status !== 'skipped')
    .map(
      ({ name, status, failedRows, sample }) =>
        `           ${status} audit ${printable(name)}: ${counted(failedRows, 'row')}${sample === undefined ? '' : `, kept in ${sample}`}`,
    );
}

/** The last line of a run. */
export function runSummary(run: Run): string {
  const count = (status: ModelResult['status']): number =>
    run.models.filter((model) => model.status === status).length;
  const parts = [
    [count('built'), 'built'],
    [count('failed'), 'failed'],
    [count('skipped'), 'skipped'],
    [count('up-to-date'), 'up to date'],
  ] as const;
  const said = parts.filter(([number]) => number > 0).map(([number, word]) => `${grouped(number)} ${word}`);
  const rows = run.models.reduce((sum, model) => sum + model.rows, 0);
  const took = run.endedAt === undefined ? '' : ` in ${durationText(run.endedAt - run.startedAt)}`;
  return `${said.length === 0 ? 'nothing to build' : said.join(', ')}${rows === 0 ? '' : `, ${counted(rows, 'row')}`}${took} (run ${run.id}, ${run.status})`;
}
