import { driftedColumns } from '../../domain/drifted-columns.ts';
import type { ColumnProfile, DriftMeasures, TableProfile } from '../../domain/table-profile.ts';
import type { Terminal } from '../terminal.ts';
import { durationText } from './intervals.ts';
import { printable } from './printable.ts';
import { counted, grouped, renderTable } from './table.ts';

/** One line while profiles are made. */
export function profiledLine(terminal: Terminal, profile: TableProfile): string {
  const drifted = new Set(driftedColumns(profile).map(({ column }) => column)).size;
  const drift = drifted === 0 ? 'no drift' : `drift in ${counted(drifted, 'column')}`;
  const word = terminal.style(drifted === 0 ? 'green' : 'yellow', 'Profiled'.padStart(9));
  return `${word}  ${printable(profile.model)}  ${counted(profile.rows, 'row')}, ${counted(profile.columns.length, 'column')}, ${hasEarlier(profile) ? drift : 'first profile'}  ${durationText(profile.ms)}`;
}

const hasEarlier = ({ columns }: TableProfile): boolean => columns.some(({ drift }) => drift !== undefined);

/** The lines below that of a profile: what drifted. */
export const driftLines = (profile: TableProfile): readonly string[] =>
  driftedColumns(profile).map(
    ({ column, from, drift }) =>
      `           drift  ${printable(column)}  against ${from}: ${driftText(drift)}`,
  );

/** `NULLs 0.6 points more, PSI 0.31, new: a, b`. */
export function driftText({ psi, nullRate, newValues = [], vanishedValues = [] }: DriftMeasures): string {
  const points = Math.abs(nullRate * 100);
  const list = (values: readonly string[]): string =>
    `${values.slice(0, 3).map(printable).join(', ')}${values.length > 3 ? `, and ${values.length - 3} others` : ''}`;
  return [
    ...(points < 0.05 ? [] : [`NULLs ${points.toFixed(1)} points ${nullRate > 0 ? 'more' : 'less'}`]),
    ...(psi === undefined ? [] : [`PSI ${psi.toFixed(2)}`]),
    ...(newValues.length === 0 ? [] : [`new: ${list(newValues)}`]),
    ...(vanishedValues.length === 0 ? [] : [`vanished: ${list(vanishedValues)}`]),
  ].join(', ');
}

/** The columns of a profile as a table, then what drifted. */
export function profileText(terminal: Terminal, profile: TableProfile): string {
  const table = renderTable(
    terminal,
    [
      { title: 'column' },
      { title: 'type', isElastic: true },
      { title: 'NULLs', align: 'right' },
      { title: 'distinct', align: 'right' },
      { title: 'min', isElastic: true },
      { title: 'average', align: 'right' },
      { title: 'max', isElastic: true },
      { title: 'most frequent', isElastic: true },
    ],
    profile.columns.map((column) => [
      column.name,
      column.type,
      nullText(column, profile.rows),
      distinctText(column),
      column.min ?? '',
      column.avg === undefined ? '' : String(Number(column.avg.toPrecision(6))),
      column.max ?? '',
      topText(column),
    ]),
  );
  const lines = driftedColumns(profile).map(
    ({ column, from, drift }) =>
      `${terminal.style('yellow', 'drift')}  ${printable(column)}, against the ${from === 'previous' ? 'profile before' : 'first profile'}: ${driftText(drift)}`,
  );
  return [
    terminal.style('bold', `${printable(profile.model)}, ${counted(profile.rows, 'row')}`),
    table,
    ...lines,
  ].join('\n');
}

/** With the places that a small share needs. */
export function nullText({ nulls }: ColumnProfile, rows: number): string {
  if (rows === 0) return '';
  const percent = (100 * nulls) / rows;
  return `${percent === 0 || percent >= 10 ? percent.toFixed(0) : percent.toPrecision(2)} %`;
}

export function distinctText({ distinct, isApproximate }: ColumnProfile): string {
  return distinct === undefined ? '' : `${isApproximate === true ? 'about ' : ''}${grouped(distinct)}`;
}

function topText({ topValues = [] }: ColumnProfile): string {
  const [first] = topValues;
  if (first === undefined || first.rows <= 1) return '';
  return `${first.value === null ? 'NULL' : first.value} (${grouped(first.rows)})`;
}
