import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '../domain/engine.ts';
import { failure } from '../domain/failure.ts';
import { quoteName, quoteText } from '../foundation/sql/quote.ts';
import type { Workspace } from './workspace.ts';

/** An answer of any engine as a Parquet file, with exact decimals and real dates: written by a DuckDB in memory of its own, which may touch no folder but the one it writes in. */
export async function parquetFile(workspace: Workspace, answer: Answer): Promise<Uint8Array> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plinth-answer-')));
  try {
    const [rows, file] = [join(folder, 'rows.ndjson'), join(folder, 'answer.parquet')];
    writeFileSync(rows, answer.rows.map((row) => `${JSON.stringify(record(row))}\n`).join(''));
    const engine = await workspace.engine({
      type: 'duckdb',
      options: { database: ':memory:', allowed_paths: [folder] },
    });
    await engine.write([], (session) => session.execute(copySql(answer.columns, { rows, file })));
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes bytes where the command line says: whole or not at all, except into pipes and devices. */
export function writeAnswer(path: string, bytes: Uint8Array | string): void {
  const beside = `${path}.${process.pid}.part`;
  try {
    if (existsSync(path) && !statSync(path).isFile()) {
      writeFileSync(path, bytes);
      return;
    }
    writeFileSync(beside, bytes);
    renameSync(beside, path);
  } catch (cause) {
    rmSync(beside, { force: true });
    throw failure('cli.cannot-write', { path, detail: (cause as Error).message }, { cause });
  }
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

/** Copies rows, one JSON object a line with members c0, c1, …, into a Parquet file. */
export function copySql(
  columns: Answer['columns'],
  { rows, file }: { readonly rows: string; readonly file: string },
): string {
  const text = (value: string): string => quoteText(value, 'duckdb');
  const types = columns.map(({ type }, index) => `c${index}: ${text(readable(type))}`);
  const names = uniqueNames(columns.map(({ name }) => name));
  const list = columns.map((_, index) => `c${index} AS ${quoteName(names[index] as string, 'duckdb')}`);
  return `COPY (SELECT ${list.join(', ')} FROM read_json(${text(rows)}, format = 'newline_delimited', columns = {${types.join(', ')}})) TO ${text(file)} (FORMAT parquet)`;
}

/** A column of nothing but NULL has no type of its own. */
const readable = (type: string): string => (/^(?:"?NULL"?|UNKNOWN|SQLNULL)$/i.test(type) ? 'INTEGER' : type);

/** Names of a file's columns differ; a second `id` is `id_2`. */
function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let n = 2; taken.has(unique.toLowerCase()); n++) unique = `${name}_${n}`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}
