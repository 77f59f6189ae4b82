/*
 * One change, from the same state each time: once without a fault, then with one at a chosen message. What the caller was
 * told, what is in the tables, and which rows were touched how often must not differ.
 */
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { placeOf } from '../../src/adapters/state/postgres/postgres-config.ts';
import { POSTGRES_DIALECT } from '../../src/adapters/state/postgres/postgres-dialect.ts';
import { openPool } from '../../src/adapters/state/postgres/postgres-pool.ts';
import { postgresStateStore } from '../../src/adapters/state/postgres/postgres-state-store.ts';
import { stateServer } from '../../src/adapters/state/postgres/postgres-transaction.ts';
import { ServerDriver, type StateServer } from '../../src/adapters/state/sql/server-driver.ts';
import { STATE_USER, startPostgresServer } from '../postgres-server.ts';
import { configOn } from '../postgres-state.ts';
import { type CutMoment, cuttingProxy, NEVER } from './cutting-proxy.ts';
import { livedIn, OPERATION_CASES, type OperationCase, type WriteName } from './operation-cases.ts';

/** A connection that is cut at a message of a change, with or without a crash of the server at that moment. */
export interface Fault {
  readonly operation: WriteName;
  /** From 1; the last is COMMIT. */
  readonly message: number;
  readonly moment: CutMoment;
  readonly crashes: boolean;
}

export interface FaultResult {
  readonly fault: Fault;
  readonly wasCut: boolean;
  readonly problems: readonly string[];
}

export interface FaultBench {
  /** How many messages a change has. */
  messages(operation: WriteName): Promise<number>;
  /** `around` puts something between driver and server: tests of the bench do. */
  inject(fault: Fault, around?: Around): Promise<FaultResult>;
  close(): Promise<void>;
}

/** What a change came to. */
interface Outcome {
  readonly told: unknown;
  /** Rows as texts. */
  readonly left: readonly string[];
  readonly messages: number;
}

const SCHEMA = 'plinth';
const OTHERS = 10;
const BASES = { 'lived-in': livedIn, empty: async () => undefined };
const baseOf = (operation: WriteName): keyof typeof BASES =>
  (OPERATION_CASES[operation] as OperationCase).isInEmpty === true ? 'empty' : 'lived-in';

const { tables: TABLES } = POSTGRES_DIALECT;
/** What the adapter keeps besides the tables of the state, and the bench. */
const OWN_TABLES = ['plinth_counters', 'plinth_witness'];

/** Counts the rows that are inserted, updated and deleted, so that a change without an effect the second time is seen, too. */
const WITNESS = `
  CREATE SCHEMA saved;
  CREATE TABLE plinth_witness (touched TEXT NOT NULL);
  CREATE FUNCTION plinth_see() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO plinth_witness VALUES (TG_OP || ' ' || TG_TABLE_NAME);
    RETURN NULL;
  END $$;
  DO $$ DECLARE each TEXT; BEGIN
    FOR each IN ${TABLES} LOOP
      EXECUTE format('CREATE TRIGGER plinth_seen AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION plinth_see()', each);
    END LOOP;
  END $$;
`;

type Around = (server: StateServer) => StateServer;
const nothingAround: Around = (server) => server;

export async function openFaultBench(): Promise<FaultBench> {
  // Transactions that wrote nothing to the disk leave their numbers to others after a crash.
  const server = await startPostgresServer(['wal_writer_delay=10s']);
  const proxy = await cuttingProxy(server.port);
  const known = new Map<WriteName, Promise<Outcome>>();
  const ask = async (
    database: string,
    sql: string,
  ): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    const client = new pg.Client({ host: server.folder, port: server.port, user: 'postgres', database });
    await client.connect();
    try {
      await client.query(`SET search_path TO ${SCHEMA}`);
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  const scripts = new Map<string, Scripts>();
  for (const [base, fill] of Object.entries(BASES)) {
    await ask('postgres', `CREATE DATABASE "${base}" OWNER ${STATE_USER}`);
    const state = await postgresStateStore({ ...configOn(server.port, SCHEMA), database: base });
    await fill(state);
    await state.close();
    await ask(base, `SET ROLE ${STATE_USER}; ${WITNESS}`);
    const tables = [...(await ask(base, TABLES)).map(({ name }) => String(name)), ...OWN_TABLES];
    await ask(base, tables.map((each) => `CREATE TABLE saved.${each} AS TABLE ${each}`).join(';'));
    // Numbers that a failed attempt takes are missing: rows are only ordered by them.
    scripts.set(base, scriptsFor(tables, await ask(base, IDENTITIES)));
  }

  async function perform(operation: WriteName, fault?: Fault, around = nothingAround): Promise<Outcome> {
    const database = baseOf(operation);
    const { restore, read } = scripts.get(database) as Scripts;
    await ask(database, restore);
    const config = { ...configOn(proxy.port, SCHEMA), database, poolSize: 1 };
    const pool = await openPool(config);
    try {
      const driver = new ServerDriver(around(stateServer(pool, placeOf(config))), {});
      const meanwhile = async (): Promise<void> => {
        if (fault?.crashes !== true) return;
        await server.restart();
        // Other transactions get the number, where it is used again.
        for (let other = 0; other < OTHERS; other++) await ask(database, 'SELECT pg_current_xact_id()');
      };
      proxy.cutAt(fault?.message ?? NEVER, fault?.moment ?? 'before', meanwhile);
      const told = await driver.perform(operation, OPERATION_CASES[operation].given);
      const messages = proxy.messages();
      const left = (await ask(database, read)).map(({ row }) => String(row));
      return { told, left, messages };
    } finally {
      await pool.close();
    }
  }

  function without(operation: WriteName): Promise<Outcome> {
    const outcome = known.get(operation) ?? perform(operation);
    known.set(operation, outcome);
    return outcome;
  }

  return {
    messages: async (operation) => (await without(operation)).messages,
    inject: async (fault, around) => {
      const expected = await without(fault.operation);
      const problems: string[] = [];
      if (!expected.left.some((row) => row.startsWith('plinth_witness ')))
        problems.push('the case changes nothing');
      try {
        const found = await perform(fault.operation, fault, around);
        if (!isDeepStrictEqual(found.told, expected.told))
          problems.push(`told ${JSON.stringify(found.told)} instead of ${JSON.stringify(expected.told)}`);
        problems.push(...difference(found.left, expected.left));
      } catch (error) {
        problems.push(`shown to the caller: ${(error as Error).message}`);
      }
      return { fault, wasCut: proxy.isCut(), problems };
    },
    close: async () => {
      await proxy.close();
      await server.stop();
    },
  };
}

interface Scripts {
  readonly restore: string;
  readonly read: string;
}

const IDENTITIES = `
  SELECT table_name AS table, column_name AS column FROM information_schema.columns
  WHERE table_schema = current_schema() AND is_identity = 'YES'`;

function scriptsFor(
  tables: readonly string[],
  gapped: readonly Readonly<Record<string, unknown>>[],
): Scripts {
  const rowOf = (table: string): string =>
    gapped.reduce<string>(
      (row, each) => (each['table'] === table ? `${row} - '${each['column']}'` : row),
      `to_jsonb(${table})`,
    );
  return {
    // Without triggers.
    restore: `SET session_replication_role = replica; ${tables
      .map((each) => `DELETE FROM ${each}; INSERT INTO ${each} SELECT * FROM saved.${each}`)
      .join(';')}`,
    read: `${tables
      .map((each) => `SELECT '${each} ' || (${rowOf(each)})::TEXT AS row FROM ${each}`)
      .join(' UNION ALL ')} ORDER BY row`,
  };
}

/** Rows are compared with how often they are there. */
function difference(found: readonly string[], expected: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const row of found) counts.set(row, (counts.get(row) ?? 0) + 1);
  for (const row of expected) counts.set(row, (counts.get(row) ?? 0) - 1);
  return [...counts].flatMap(([row, count]) =>
    count === 0 ? [] : [`${count > 0 ? `${count} too many` : `${-count} missing`}: ${row.slice(0, 200)}`],
  );
}
