import type { Answer } from '../../domain/engine.ts';
import type { Workspace } from '../workspace.ts';

/** An answer of any engine as a Parquet file. */
export async function parquetFile({ parquet }: Workspace, { columns, rows }: Answer): Promise<Uint8Array> {
  const lines = rows.map((row) => `${JSON.stringify(record(row))}\n`);
  const pieces: Buffer[] = [];
  for await (const piece of parquet.file(columns, lines)) pieces.push(piece);
  return Buffer.concat(pieces);
}

function record(row: readonly unknown[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(row.map((cell, index) => [`c${index}`, jsonCell(cell)]));
}

/** Intervals come in parts, which JSON readers do not put together. */
function jsonCell(cell: unknown): unknown {
  if (typeof cell !== 'object' || cell === null || !('micros' in cell && 'months' in cell && 'days' in cell))
    return cell;
  return `${cell.months} months ${cell.days} days ${cell.micros} microseconds`;
}
