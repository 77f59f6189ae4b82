import type { HeldGroup, HeldRows } from '../../domain/quarantine.ts';
import { isoInstant, isoInstantShort } from '../../foundation/time/iso.ts';
import type { Terminal } from '../terminal.ts';
import { renderTable } from './table.ts';

/** A group of rows that are held back, for programs. */
export function heldGroupJson(group: HeldGroup): Readonly<Record<string, unknown>> {
  const { model, place, runId, audits, interval, rows, since } = group;
  return {
    ...{ model, table: place, run_id: runId, audits, rows },
    interval: [isoInstant(interval.start), isoInstant(interval.end)],
    since: isoInstant(since),
  };
}

/** What is held back, for eyes. */
export function heldGroupsTable(terminal: Terminal, groups: readonly HeldGroup[]): string {
  return renderTable(
    terminal,
    [
      { title: 'model' },
      { title: 'rows', align: 'right' },
      { title: 'audits', isElastic: true },
      { title: 'interval' },
      { title: 'since' },
      { title: 'run' },
    ],
    groups.map(({ model, rows, audits, interval, since, runId }) => [
      model,
      String(rows),
      audits.join(', '),
      `${isoInstantShort(interval.start)} to ${isoInstantShort(interval.end)}`,
      isoInstantShort(since),
      runId,
    ]),
  );
}

/** Rows that are held back, for programs: each with what it fails. */
export function heldRowsJson({ model, columns, rows, total }: HeldRows): Readonly<Record<string, unknown>> {
  return {
    model,
    total,
    cols: columns,
    rows: rows.map(({ runId, audits, interval, at, cells }) => ({
      ...{ run_id: runId, audits, cells },
      interval: [isoInstant(interval.start), isoInstant(interval.end)],
      since: isoInstant(at),
    })),
  };
}

/** The same for eyes: what each row fails, then its cells. */
export function heldRowsTable(terminal: Terminal, { columns, rows }: HeldRows): string {
  return renderTable(
    terminal,
    [{ title: 'audits' }, { title: 'run' }, ...columns.map(({ name }) => ({ title: name, isElastic: true }))],
    rows.map(({ audits, runId, cells }) => [audits.join(', '), runId, ...cells.map(cellText)]),
  );
}

const cellText = (cell: unknown): string =>
  cell === null ? 'NULL' : typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
