/*
 * Queries that would run for ever or take all memory, through the real keeper: they end when they are cancelled, whether they obey
 * or the keeper must die for it, and whoever else works with the warehouse notices nothing but a pause.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { DuckdbOptions } from '../../src/adapters/engines/duckdb/duckdb-config.ts';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import type { Engine, ReadOptions } from '../../src/domain/engine.ts';
import { Failure } from '../../src/domain/failure.ts';
import { keeperOf } from '../kill/processes.ts';
import { expectWithin } from '../support/promised-times.ts';
import { RUNAWAYS, type RunawayName } from './runaways.ts';

/** The promise. */
const CANCEL_MS = 2_500;
const MB = 1024 ** 2;

const folders: string[] = [];
const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function project(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-runaway-'));
  folders.push(folder);
  return folder;
}

async function open(folder: string, options: Partial<DuckdbOptions> = {}): Promise<Engine> {
  const engine = await duckdbEngine({
    database: 'w.duckdb',
    folder,
    idleMs: 50,
    who: 'runaway',
    connection: { connector_config: { memory_limit: '1GB' } },
    ...options,
  });
  engines.push(engine);
  return engine;
}

/** Reads everything; answers with the number of lines, or the code of the failure. */
async function outcome(engine: Engine, sql: string, options: ReadOptions = {}): Promise<string | number> {
  try {
    let lines = 0;
    for await (const piece of (await engine.read(sql, options)).lines)
      for (const byte of piece) if (byte === 10) lines++;
    return lines;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.code;
  }
}

/** Resident bytes of the keepers of a file. */
function residentOf(folder: string): number {
  let bytes = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(join(folder, 'w.duckdb')))
        continue;
      bytes += 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    } catch {
      // It ended while we looked.
    }
  return bytes;
}

async function until(condition: () => boolean, ms: number): Promise<boolean> {
  const deadline = Date.now() + ms;
  while (!condition() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  return condition();
}

/** All of them go through HTTP in runaway-http.test.ts. */
const SOME: readonly RunawayName[] = [
  'a range without end',
  'rows without end',
  'a cross join',
  'a huge unnest',
  'an unnest of every row',
  'a recursion without end',
  'texts without end',
  'one text of gigabytes',
  'a sort of everything',
  'a slow plan',
];

describe('cancelling', () => {
  test.each(SOME)('%s ends, and memory returns', async (name) => {
    const sql = RUNAWAYS[name];
    const folder = project();
    const engine = await open(folder);
    await engine.inspect(sql);
    await engine.query('SELECT 1');
    const before = residentOf(folder);
    const control = new AbortController();
    const running = outcome(engine, sql, { signal: control.signal });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const since = Date.now();
    control.abort();
    const ended = await running;
    // Some are over, or out of memory, before they are cancelled.
    expect(['engine.cancelled', 'engine.out-of-memory', 1]).toContain(ended);
    expectWithin(Date.now() - since, CANCEL_MS);
    expect((await engine.query('SELECT 41 + 1')).rows).toEqual([[42]]);
    const { rows } = await engine.query('SELECT coalesce(sum(memory_usage_bytes), 0) FROM duckdb_memory()');
    expect(Number(rows[0]?.[0])).toBeLessThan(100 * MB);
    expect(await until(() => residentOf(folder) < before + 150 * MB, 10_000)).toBe(true);
  });

  test('what takes too long is stopped by its own time', async () => {
    const engine = await open(project());
    expect(await outcome(engine, RUNAWAYS['a cross join'], { timeoutMs: 300 })).toBe('engine.timed-out');
    expect(await outcome(engine, 'SELECT 1', { timeoutMs: 300_000 })).toBe(1);
  });
});

describe('a cancel', () => {
  test('does not wait for a keeper that is only starting, nor does a time that is over', async () => {
    const folder = project();
    const engine = await open(folder);
    const kill = (): void => {
      const pid = keeperOf(folder);
      process.kill(pid, 'SIGKILL');
    };
    /** A read whose keeper was gone already is repeated by who asked, as the executor does. */
    const asked = async (options: ReadOptions): Promise<string | number> => {
      const first = await outcome(engine, RUNAWAYS['a cross join'], options);
      return first === 'engine.lost' ? outcome(engine, RUNAWAYS['a cross join'], options) : first;
    };
    const control = new AbortController();
    kill();
    const stopped = asked({ signal: control.signal });
    control.abort();
    const started = engine.query('SELECT 1').then(() => 'started');
    expect(await Promise.race([stopped, started])).toBe('engine.cancelled');
    await started;
    kill();
    const late = asked({ timeoutMs: 5 });
    const again = engine.query('SELECT 1').then(() => 'started');
    expect(await Promise.race([late, again])).toBe('engine.timed-out');
    expect(await again).toBe('started');
  });
});

describe('others', () => {
  test('while queries run away, others are answered and a build ends exactly once', async () => {
    const folder = project();
    const [guest, builder] = [await open(folder), await open(folder, { who: 'builder' })];
    const control = new AbortController();
    const runaways = [
      RUNAWAYS['a range without end'],
      RUNAWAYS['a cross join'],
      RUNAWAYS['rows without end'],
    ].map((sql) => outcome(guest, sql, { signal: control.signal }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    await builder.write([], (session) => session.execute('CREATE TABLE built AS SELECT 0 AS id WHERE false'));
    for (let round = 1; round <= 5; round++) {
      await builder.write([], (session) =>
        session.execute(`INSERT INTO built SELECT ${round} FROM range(1000)`),
      );
      const since = Date.now();
      expect((await guest.query('SELECT 1')).rows).toEqual([[1]]);
      expectWithin(Date.now() - since, 3_000);
    }
    control.abort();
    expect(await Promise.all(runaways)).toEqual(['engine.cancelled', 'engine.cancelled', 'engine.cancelled']);
    expect((await builder.query('SELECT count(*), count(DISTINCT id) FROM built')).rows).toEqual([[5000, 5]]);
  });

  test('one that lacks memory beside others may be innocent, and alone is not', async () => {
    const folder = project();
    const [guest, other] = [await open(folder), await open(folder, { who: 'other' })];
    const retryable = async (engine: Engine, sql: string): Promise<unknown> => {
      try {
        for await (const _ of (await engine.read(sql)).lines);
        return 'succeeded';
      } catch (error) {
        return error instanceof Failure ? [error.code, error.isRetryable] : error;
      }
    };
    const greedy = RUNAWAYS['a long list, transformed'];
    expect(await retryable(guest, greedy)).toEqual(['engine.out-of-memory', false]);
    const control = new AbortController();
    const beside = outcome(other, RUNAWAYS['a range without end'], { signal: control.signal });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await retryable(guest, greedy)).toEqual(['engine.out-of-memory', true]);
    control.abort();
    expect(await beside).toBe('engine.cancelled');
  });

  test('a query that takes the memory is stopped before those who build', async () => {
    const folder = project();
    const limits = { connection: { connector_config: { memory_limit: '4GB' } }, residentMax: 900 * MB };
    const [guest, builder] = [await open(folder, limits), await open(folder, { ...limits, who: 'builder' })];
    const building = builder.write([], async (session) => {
      await session.execute('CREATE TABLE built AS SELECT i % 1000 AS id FROM range(20000000) AS r(i)');
      return (await session.query('SELECT count(*) FROM built')).rows;
    });
    const greedy = outcome(
      guest,
      "SELECT max(length(x)) FROM (SELECT string_agg(i::VARCHAR || repeat('y', 100)) AS x FROM range(100000000) AS r(i))",
    );
    expect(await greedy).toBe('engine.out-of-memory');
    // Its keeper may have died with the query: then the build says so, and may be done again.
    const built = await building.catch((error: Failure) => [error.code, error.isRetryable]);
    expect([[[20000000]], ['engine.lost', true], ['engine.out-of-memory', true]]).toContainEqual(built);
    expect((await guest.query('SELECT 1')).rows).toEqual([[1]]);
  });

  test('a reader that does not read holds nobody up and takes no memory', async () => {
    const folder = project();
    const engine = await open(folder);
    await engine.query('SELECT 1');
    const before = residentOf(folder);
    const own = process.memoryUsage.rss();
    const { lines } = await engine.read("SELECT i, repeat('a text ', 20) AS t FROM range(100000000) AS r(i)");
    for (let round = 0; round < 10; round++) {
      expect((await engine.query('SELECT 1')).rows).toEqual([[1]]);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(residentOf(folder)).toBeLessThan(before + 300 * MB);
    expect(process.memoryUsage.rss()).toBeLessThan(own + 100 * MB);
    for await (const piece of lines) {
      expect(piece.toString().startsWith('[0,"a text ')).toBe(true);
      break;
    }
  });
});
