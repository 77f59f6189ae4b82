/*
 * The whole state as lines of JSON, for moving it to another store and for looking at it:
 *
 *   { kind: state, schema, version, warehouseId }
 *   { kind: <table>, …columns }     JSON and compressed columns as the values they hold
 *   { kind: end, lines }            how many lines came before: a file that was cut off is noticed
 *
 * An export of an earlier version is read into the tables of its time, which the migrations then bring to the present.
 * Both ways use a connection of their own, so that one transaction sees everything at the same instant.
 * Leases are exported without their holders: their tokens must go on, their runs do not.
 */
import { StateProblem } from './state-problem.ts';
import type { Row, StateSql, Steps } from './state-sql.ts';
import { compress, decompress } from './stored-text.ts';
import { TRANSFERRED_TABLES, type TransferredTable } from './transferred-tables.ts';

const SCHEMA = 'plinth.state/1';

/** A connection inside one transaction, which the store begins and ends. */
export interface TransferSession {
  readonly state: StateSql;
  readonly migrations: readonly string[];
  perform<Result>(steps: Steps<Result>): Result | Promise<Result>;
  /** Statements without parameters. */
  script(sql: string): void | Promise<void>;
  /** Rows without holding them all. */
  stream(sql: string): Iterable<Row> | AsyncIterable<Row>;
  /** Whether a row was refused because it contradicts another, or lacks something. */
  isContradiction(error: unknown): boolean;
}

/** Lines without their ends. */
export async function* exportedLines({
  state,
  migrations,
  perform,
  stream,
}: TransferSession): AsyncGenerator<string, void, undefined> {
  const row = await perform(state.row("SELECT value FROM meta WHERE key = 'warehouse-id'"));
  const warehouseId = row?.['value'];
  yield JSON.stringify({ kind: 'state', schema: SCHEMA, version: migrations.length, warehouseId });
  let lines = 1;
  for (const [table, { columns, order }] of Object.entries(TRANSFERRED_TABLES)) {
    const names = Object.keys(columns).join(', ');
    for await (const each of stream(`SELECT ${names} FROM ${table} ORDER BY ${order}`)) {
      yield lineOf(table, columns, each);
      lines++;
    }
  }
  yield JSON.stringify({ kind: 'end', lines });
}

/** `kind` is the table's: a column of that name has another one in the line. */
const writtenName = (column: string): string => (column === 'kind' ? 'is_a' : column);

function lineOf(table: string, columns: TransferredTable['columns'], row: Row): string {
  const parts = [`"kind":${JSON.stringify(table)}`];
  for (const [name, encoding] of Object.entries(columns)) {
    const value = row[name];
    if (value === null || value === undefined) continue;
    const text =
      encoding === 'plain'
        ? JSON.stringify(value)
        : encoding === 'json'
          ? (value as string)
          : decompress(value);
    parts.push(`"${writtenName(name)}":${text}`);
  }
  return `{${parts.join(',')}}`;
}

/** All lines or none, into a state in which nothing ever happened. */
export async function importLines(session: TransferSession, lines: AsyncIterable<string>): Promise<void> {
  const { state, migrations, perform } = session;
  await perform(refuseFilled(state));
  let number = 0;
  let isEnded = false;
  let version = migrations.length;
  let columnsOf: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  for await (const line of lines) {
    if (line.trim() === '') continue;
    number++;
    const bad = (detail: string): StateProblem =>
      new StateProblem('state.bad-import', { line: number, detail });
    if (isEnded) throw bad('something follows the last line');
    const entry = parseLine(line, bad);
    if (number === 1) {
      version = versionOf(entry, migrations.length, bad);
      if (version < migrations.length) await tablesOfThen(session, version);
      columnsOf = await perform(presentColumns(state));
      await perform(
        state.run("UPDATE meta SET value = ? WHERE key = 'warehouse-id'", entry['warehouseId'] as string),
      );
    } else if (entry['kind'] === 'end') {
      if (entry['lines'] !== number - 1) throw bad(`${entry['lines']} lines were written before it`);
      isEnded = true;
    } else await insertEntry(session, entry, { bad, columnsOf });
  }
  if (!isEnded)
    throw new StateProblem('state.bad-import', { line: number + 1, detail: 'the end is missing' });
  for (const sql of migrations.slice(version)) await session.script(sql);
}

type Entry = Readonly<Record<string, unknown>>;
type Bad = (detail: string) => StateProblem;

function* refuseFilled(state: StateSql): Steps<void> {
  for (const table of Object.keys(TRANSFERRED_TABLES))
    if ((yield* state.row(`SELECT 1 FROM ${table} LIMIT 1`)) !== undefined)
      throw new StateProblem('state.not-empty', { file: state.place });
}

function parseLine(line: string, bad: Bad): Entry {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw bad((error as Error).message);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad('it is not an object');
  return value as Entry;
}

function versionOf(header: Entry, known: number, bad: Bad): number {
  const { kind, schema, version, warehouseId } = header;
  if (kind !== 'state' || schema !== SCHEMA || typeof warehouseId !== 'string') {
    throw bad(`it does not begin an export of the kind ${SCHEMA}`);
  }
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw bad('it has no version');
  if (version > known)
    throw bad(`a newer Plinth wrote it: it has version ${version}, this one reads ${known}`);
  return version;
}

/** Replaces the empty tables by those that the first migrations make; the warehouse's id stays. */
async function tablesOfThen(
  { state, migrations, perform, script }: TransferSession,
  version: number,
): Promise<void> {
  const kept = await perform(state.rows('SELECT key, value FROM meta'));
  for (const { name } of await perform(state.rows(state.dialect.tables))) await script(`DROP TABLE ${name}`);
  for (const sql of migrations.slice(0, version)) await script(sql);
  for (const { key, value } of kept)
    await perform(state.run('INSERT INTO meta VALUES (?, ?)', key as string, value as string));
}

function* presentColumns(state: StateSql): Steps<ReadonlyMap<string, ReadonlySet<string>>> {
  const present = new Map<string, ReadonlySet<string>>();
  for (const table of Object.keys(TRANSFERRED_TABLES)) {
    const columns = yield* state.rows(state.dialect.columnsOf(table));
    present.set(table, new Set(columns.map(({ name }) => String(name))));
  }
  return present;
}

async function insertEntry(
  { state, perform, isContradiction }: TransferSession,
  entry: Entry,
  { bad, columnsOf }: { readonly bad: Bad; readonly columnsOf: ReadonlyMap<string, ReadonlySet<string>> },
): Promise<void> {
  const kind = String(entry['kind']);
  const table = Object.hasOwn(TRANSFERRED_TABLES, kind) ? TRANSFERRED_TABLES[kind] : undefined;
  const present = columnsOf.get(kind);
  if (table === undefined || present === undefined || present.size === 0)
    throw bad(`nothing is called ${kind}`);
  const names = Object.keys(table.columns).filter((name) => present.has(name));
  const values = names.map((name) => {
    const value = entry[writtenName(name)];
    if (value === undefined) return null;
    const encoding = table.columns[name];
    if (encoding === 'json') return JSON.stringify(value);
    if (encoding === 'compressed') return compress(JSON.stringify(value));
    if (typeof value === 'string' || typeof value === 'number') return value;
    throw bad(`${name} is neither a text nor a number`);
  });
  try {
    const marks = names.map(() => '?').join(', ');
    await perform(state.run(`INSERT INTO ${kind} (${names.join(', ')}) VALUES (${marks})`, ...values));
  } catch (error) {
    throw isContradiction(error) ? bad((error as Error).message) : error;
  }
}
