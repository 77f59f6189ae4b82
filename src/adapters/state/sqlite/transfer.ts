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
import {
  compress,
  type DatabaseOptions,
  decompress,
  openDatabase,
  type Row,
  type StateDatabase,
} from './database.ts';
import { LOCKED_AFTER_MS, whenFree } from './executor.ts';
import { MIGRATIONS } from './schema.ts';
import { fileProblem, StateProblem } from './state-problem.ts';

type Encoding = 'plain' | 'json' | 'compressed';
interface Exported {
  readonly columns: Readonly<Record<string, Encoding>>;
  readonly order: string;
}

const SCHEMA = 'plinth.state/1';

/** Every table but `meta`, `lost_leases`, `kept_answers` and those of statements, all of which last a day or less; by name. */
const TABLES: Readonly<Record<string, Exported>> = {
  texts: { columns: { hash: 'plain', text: 'plain' }, order: 'hash' },
  contents: { columns: { fingerprint: 'plain', content: 'json', texts: 'json' }, order: 'fingerprint' },
  snapshots: { columns: { fingerprint: 'plain', model: 'plain', head: 'json' }, order: 'model, fingerprint' },
  plans: {
    columns: {
      id: 'plain',
      environment: 'plain',
      created_at: 'plain',
      who: 'plain',
      status: 'plain',
      changes: 'plain',
      stages: 'plain',
      base_promotion_id: 'plain',
      fingerprints: 'json',
      body: 'compressed',
    },
    order: 'rowid',
  },
  promotions: {
    columns: {
      sequence: 'plain',
      id: 'plain',
      environment: 'plain',
      at: 'plain',
      plan_id: 'plain',
      body: 'compressed',
    },
    order: 'sequence',
  },
  environments: { columns: { name: 'plain', promotion_id: 'plain', expires_at: 'plain' }, order: 'name' },
  promotion_intents: {
    columns: { environment: 'plain', run_id: 'plain', body: 'compressed' },
    order: 'environment',
  },
  runs: {
    columns: {
      id: 'plain',
      environment: 'plain',
      status: 'plain',
      plan_id: 'plain',
      started_at: 'plain',
      body: 'compressed',
    },
    order: 'rowid',
  },
  intents: {
    columns: { id: 'plain', run_id: 'plain', environment: 'plain', at: 'plain', stage: 'json' },
    order: 'id',
  },
  leases: {
    columns: { name: 'plain', token: 'plain', since: 'plain', expires_at: 'plain', who: 'plain' },
    order: 'name',
  },
  intervals: {
    columns: {
      key: 'plain',
      model: 'plain',
      version: 'plain',
      filled: 'json',
      data_version: 'plain',
      recent: 'json',
    },
    order: 'key',
  },
  restatements: {
    columns: {
      key: 'plain',
      model: 'plain',
      version: 'plain',
      ranges: 'json',
      since_token: 'plain',
      plan_id: 'plain',
    },
    order: 'key',
  },
  events: {
    columns: {
      sequence: 'plain',
      at: 'plain',
      event: 'plain',
      environment: 'plain',
      run_id: 'plain',
      model: 'plain',
      data: 'json',
    },
    order: 'sequence',
  },
  tenants: { columns: { name: 'plain', created_at: 'plain' }, order: 'name' },
  principals: {
    columns: {
      id: 'plain',
      tenant: 'plain',
      name: 'plain',
      kind: 'plain',
      role: 'plain',
      is_platform_admin: 'plain',
      groups: 'json',
      created_at: 'plain',
    },
    order: 'id',
  },
  tokens: {
    columns: {
      id: 'plain',
      hash: 'plain',
      principal_id: 'plain',
      name: 'plain',
      scopes: 'json',
      created_at: 'plain',
      expires_at: 'plain',
      last_used_at: 'plain',
      revoked_at: 'plain',
      parent_id: 'plain',
    },
    order: 'id',
  },
  grants: {
    columns: {
      tenant: 'plain',
      product: 'plain',
      principal: 'plain',
      request_id: 'plain',
      role: 'plain',
      created_at: 'plain',
      expires_at: 'plain',
    },
    order: 'tenant, product, principal, request_id',
  },
  groups: { columns: { tenant: 'plain', name: 'plain', created_at: 'plain' }, order: 'tenant, name' },
  access_requests: {
    columns: {
      id: 'plain',
      tenant: 'plain',
      product: 'plain',
      principal_id: 'plain',
      status: 'plain',
      body: 'json',
    },
    order: 'id',
  },
  audit_log: {
    columns: {
      sequence: 'plain',
      at: 'plain',
      tenant: 'plain',
      actor: 'plain',
      action: 'plain',
      target: 'plain',
      outcome: 'plain',
      correlation_id: 'plain',
    },
    order: 'sequence',
  },
};

/** Lines without their ends. */
export async function* exportLines(options: DatabaseOptions): AsyncGenerator<string, void, undefined> {
  const database = await whenFree(options.file, LOCKED_AFTER_MS, () => openDatabase(options));
  try {
    database.execute('BEGIN');
    const warehouseId = database.get("SELECT value FROM meta WHERE key = 'warehouse-id'")?.['value'];
    yield JSON.stringify({ kind: 'state', schema: SCHEMA, version: MIGRATIONS.length, warehouseId });
    let lines = 1;
    for (const [table, { columns, order }] of Object.entries(TABLES)) {
      const names = Object.keys(columns);
      const rows = database.iterate(`SELECT ${names.join(', ')} FROM ${table} ORDER BY ${order}`);
      for (let next = rows.next(); next.done !== true; next = rows.next()) {
        yield lineOf(table, columns, next.value);
        lines++;
      }
    }
    yield JSON.stringify({ kind: 'end', lines });
  } catch (error) {
    throw fileProblem(error, options.file);
  } finally {
    database.close();
  }
}

/** `kind` is the table's: a column of that name has another one in the line. */
const writtenName = (column: string): string => (column === 'kind' ? 'is_a' : column);

function lineOf(table: string, columns: Exported['columns'], row: Row): string {
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
export async function importLines(options: DatabaseOptions, lines: AsyncIterable<string>): Promise<void> {
  const database = await whenFree(options.file, LOCKED_AFTER_MS, () => openDatabase(options));
  try {
    await whenFree(options.file, LOCKED_AFTER_MS, () => database.execute('BEGIN IMMEDIATE'));
    refuseFilled(database);
    const migrations = options.migrations ?? MIGRATIONS;
    let number = 0;
    let isEnded = false;
    let version = migrations.length;
    let columnsOf = new Map<string, ReadonlySet<string>>();
    for await (const line of lines) {
      if (line.trim() === '') continue;
      number++;
      const bad = (detail: string): StateProblem =>
        new StateProblem('state.bad-import', { line: number, detail });
      if (isEnded) throw bad('something follows the last line');
      const entry = parseLine(line, bad);
      if (number === 1) {
        version = versionOf(entry, migrations.length, bad);
        if (version < migrations.length) tablesOfThen(database, migrations.slice(0, version));
        columnsOf = presentColumns(database);
        database.run(
          "INSERT OR REPLACE INTO meta VALUES ('warehouse-id', ?)",
          entry['warehouseId'] as string,
        );
      } else if (entry['kind'] === 'end') {
        if (entry['lines'] !== number - 1) throw bad(`${entry['lines']} lines were written before it`);
        isEnded = true;
      } else insertEntry(database, entry, { bad, columnsOf });
    }
    if (!isEnded) {
      throw new StateProblem('state.bad-import', { line: number + 1, detail: 'the end is missing' });
    }
    for (const sql of migrations.slice(version)) database.execute(sql);
    database.execute('COMMIT');
  } catch (error) {
    if (database.isInTransaction()) database.execute('ROLLBACK');
    throw fileProblem(error, options.file);
  } finally {
    database.close();
  }
}

/** Writes the file anew without what is empty in it. */
export async function compactFile(options: DatabaseOptions): Promise<void> {
  const database = await whenFree(options.file, LOCKED_AFTER_MS, () => openDatabase(options));
  try {
    await whenFree(options.file, LOCKED_AFTER_MS, () => database.execute('VACUUM'));
    // Readers may keep the log from being emptied; the next writer does it then.
    database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    throw fileProblem(error, options.file);
  } finally {
    database.close();
  }
}

type Entry = Readonly<Record<string, unknown>>;
type Bad = (detail: string) => StateProblem;

function refuseFilled(database: StateDatabase): void {
  for (const table of Object.keys(TABLES)) {
    if (database.get(`SELECT 1 FROM ${table} LIMIT 1`) !== undefined) {
      throw new StateProblem('state.not-empty', { file: database.file });
    }
  }
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

/** Replaces the empty tables by those that the first migrations make. */
function tablesOfThen(database: StateDatabase, migrations: readonly string[]): void {
  const made = database.all(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  for (const { name } of made) database.execute(`DROP TABLE ${name}`);
  for (const sql of migrations) database.execute(sql);
}

function presentColumns(database: StateDatabase): Map<string, ReadonlySet<string>> {
  return new Map(
    Object.keys(TABLES).map((table) => [
      table,
      new Set(database.all(`SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => String(name))),
    ]),
  );
}

function insertEntry(
  database: StateDatabase,
  entry: Entry,
  { bad, columnsOf }: { readonly bad: Bad; readonly columnsOf: ReadonlyMap<string, ReadonlySet<string>> },
): void {
  const kind = String(entry['kind']);
  const table = Object.hasOwn(TABLES, kind) ? TABLES[kind] : undefined;
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
    database.run(`INSERT INTO ${kind} (${names.join(', ')}) VALUES (${marks})`, ...values);
  } catch (error) {
    const isConstraint = ((error as { errcode?: number }).errcode ?? 0) % 256 === 19;
    throw isConstraint ? bad((error as Error).message) : error;
  }
}
