import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cpuMs } from '../../../../tests/support/cpu-time.ts';
import type { Run } from '../../../domain/run.ts';
import { backupFile, openDatabase } from './database.ts';
import { MIGRATIONS } from './schema.ts';
import { sqliteStateStore } from './sqlite-state-store.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-sqlite-'));
  file = join(folder, 'state.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

function runOf(id: string): Run {
  return {
    id,
    kind: 'run',
    environment: id,
    who: 'test',
    startedAt: 1,
    executionTime: 1,
    status: 'running',
    models: [],
  };
}

async function makeState(): Promise<void> {
  const state = await sqliteStateStore({ file });
  for (let index = 0; index < 50; index++) {
    await state.journal.startRun(runOf(`run-${index}`), {
      now: 1,
      events: [{ at: 1, event: 'x', data: 'x'.repeat(500) }],
    });
  }
  await state.close();
}

describe('files that are no state', () => {
  const refusal = (code: string) => ({ code, message: expect.stringContaining(file) });

  test('a file of something else is unreadable, and stays as it is', async () => {
    writeFileSync(file, 'SELECT 1;\n'.repeat(200));
    await expect(sqliteStateStore({ file })).rejects.toMatchObject(refusal('state.unreadable'));
    expect(readFileSync(file, 'utf8')).toMatch(/^SELECT 1;/);
  });

  test('a database of another program is unreadable, and stays as it is', async () => {
    const other = new DatabaseSync(file);
    other.exec('CREATE TABLE environments (name TEXT)');
    other.close();
    const before = readFileSync(file);
    await expect(sqliteStateStore({ file })).rejects.toMatchObject(refusal('state.unreadable'));
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('a damaged file is unreadable when what is damaged is read', async () => {
    await makeState();
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 4096 * 2);
    writeFileSync(file, bytes);
    const reading = async (): Promise<void> => {
      const state = await sqliteStateStore({ file });
      try {
        await state.events.events({ limit: 999 });
        await state.journal.runs({ limit: 999 });
      } finally {
        await state.close();
      }
    };
    await expect(reading()).rejects.toMatchObject(refusal('state.unreadable'));
  });

  test('a state of a newer program is refused, and stays as it is', async () => {
    await makeState();
    const newer = new DatabaseSync(file);
    newer.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`);
    newer.close();
    const before = readFileSync(file);
    await expect(sqliteStateStore({ file })).rejects.toMatchObject({
      code: 'state.newer',
      message: expect.stringContaining(`its version is ${MIGRATIONS.length + 1}`),
    });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('of results that an older program kept the bytes are counted', async () => {
    const since = MIGRATIONS.findIndex((sql) => sql.includes('kept_bytes'));
    const old = openDatabase({ file, migrations: MIGRATIONS.slice(0, since) });
    for (const [id, status, outcome] of [
      ['s1', 'SUCCESS', '{"bytes": 30}'],
      ['s2', 'SUCCESS', '{"bytes": 12}'],
      ['s3', 'EXPIRED', null],
    ] as const)
      old.run(
        "INSERT INTO executions (id, fingerprint, is_shared, timeout_ms, status, worker, attempt, tenant, principal_id, finished_at, outcome, task) VALUES (?, ?, 0, 1, ?, 'w', 1, 't', 'ann', 1, ?, '{}')",
        ...[id, id, status, outcome],
      );
    old.close();
    const state = await sqliteStateStore({ file });
    const room = { writing: 0, max: 42 };
    const request = { principalId: 'ann', own: room, all: room, now: 1 };
    expect(await state.statements.makeRoom(request)).toEqual({ names: [], isEnough: true });
    await state.statements.makeRoom({ ...request, own: { writing: 0, max: 41 } });
    await state.close();
    const now = new DatabaseSync(file);
    expect(now.prepare('SELECT bytes FROM kept_bytes').all()).toEqual([{ bytes: 12 }]);
    now.close();
  });

  test('a folder in the place of the file cannot be opened', async () => {
    mkdirSync(file);
    await expect(sqliteStateStore({ file })).rejects.toMatchObject(refusal('state.cannot-open'));
  });

  test('a file that may not grow any more is a write that failed, and keeps what it had', () => {
    const script = join(folder, 'fill.ts');
    writeFileSync(
      script,
      `import { sqliteStateStore } from ${JSON.stringify(join(import.meta.dirname, 'sqlite-state-store.ts'))};
       const state = await sqliteStateStore({ file: ${JSON.stringify(file)}, thread: 'never' });
       let written = 0;
       try {
         for (;; written++) await state.snapshots.invalidate('x', 1, [{ at: 1, event: 'x', data: 'x'.repeat(20_000) }]);
       } catch (error) { console.log(JSON.stringify({ code: error.code, written })); }
       console.log((await state.events.events({ limit: 9999 })).length);`,
    );
    const limited = `ulimit -f 800; exec "${process.execPath}" "${script}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', limited], { encoding: 'utf8' });
    const [first = '', second] = stdout.trim().split('\n');
    expect(JSON.parse(first || '{}'), stderr).toMatchObject({ code: 'state.write-failed' });
    expect(Number(second)).toBe((JSON.parse(first) as { written: number }).written);
  });
});

describe('a file that another program has locked', () => {
  test('reads go on; a write waits, and is refused as locked in the end', async () => {
    await makeState();
    const state = await sqliteStateStore({ file, lockedAfterMs: 150 });
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    expect(await state.journal.runs({ limit: 5 })).toHaveLength(5);
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 10);
    await expect(state.journal.heartbeat('run-1', 1)).rejects.toMatchObject({
      code: 'state.locked',
      isRetryable: true,
      message: expect.stringContaining(file),
    });
    clearInterval(ticking);
    // The caller's thread was free while it waited.
    expect(ticks).toBeGreaterThan(5);
    const waiting = state.journal.heartbeat('run-1', 1);
    await sleep(50);
    other.exec('ROLLBACK');
    expect(await waiting).toBe(true);
    other.close();
    await state.close();
  });
});

describe('migrations', () => {
  const older = MIGRATIONS;
  const newer = [...MIGRATIONS, 'CREATE TABLE added (id TEXT); INSERT INTO added SELECT id FROM runs'];

  test('an older state is copied and then brought to the present version', async () => {
    await makeState();
    const database = openDatabase({ file, migrations: newer });
    expect(database.rows('SELECT id FROM added')).toHaveLength(50);
    database.close();
    const copy = openDatabase({ file: backupFile(file, older.length), migrations: older });
    expect(copy.rows('SELECT id FROM runs')).toHaveLength(50);
    copy.close();
  });

  test('a migration that fails leaves the state as it was, with its copy', async () => {
    await makeState();
    const broken = [...newer, 'CREATE TABLE more (id TEXT); INSERT INTO nowhere VALUES (1)'];
    expect(() => openDatabase({ file, migrations: broken })).toThrow(/nowhere/);
    const state = await sqliteStateStore({ file });
    expect(await state.journal.runs({ limit: 99 })).toHaveLength(50);
    await state.close();
    openDatabase({ file: backupFile(file, older.length) }).close();
  });

  test('opening without a migration makes no copy', async () => {
    await makeState();
    const state = await sqliteStateStore({ file });
    await state.close();
    expect(() => readFileSync(backupFile(file, older.length))).toThrow();
  });
});

describe('the thread', () => {
  test('while the work moves to it nothing is lost, doubled or out of order', async () => {
    const state = await sqliteStateStore({ file });
    await state.journal.startRun(runOf('first'), { now: 1, events: [] });
    const until = performance.now() + 1000;
    let count = 0;
    while (performance.now() < until) {
      const index = count++;
      await Promise.all([
        state.snapshots.invalidate('x', 1, [{ at: index, event: 'x', data: index }]),
        state.events.events({ limit: 1 }),
      ]);
    }
    const events = await state.events.events({ limit: count + 1 });
    expect(events.map(({ data }) => data)).toEqual(Array.from({ length: count }, (_, index) => index));
    await state.close();
  });

  test('answers and refusals are the same as on the caller’s thread', async () => {
    const state = await sqliteStateStore({ file, thread: 'at-once', synchronous: 'full' });
    const held = { now: 1, events: [] };
    expect((await state.journal.startRun(runOf('one'), held)).kind).toBe('granted');
    expect((await state.journal.startRun({ ...runOf('two'), environment: 'one' }, held)).kind).toBe('held');
    const intent = { id: 'i', runId: 'two', environment: 'one', at: 1 };
    const stage = { id: 's', needs: [], kind: 'create-schemas', schemas: [] } as const;
    const request = { tables: [], who: 'x', now: 1 };
    const answers = await Promise.allSettled([
      state.journal.startBackfill({ ...intent, stage }, request),
      state.journal.startBackfill({ ...intent, runId: 'one', stage }, request),
    ]);
    expect(answers).toMatchObject([
      { status: 'rejected', reason: { name: 'Failure', code: 'state.lease-lost' } },
      { status: 'fulfilled', value: { kind: 'granted' } },
    ]);
    expect(await state.journal.intents()).toHaveLength(1);
    await state.close();
  });

  test('a store can be closed while its thread is starting', async () => {
    const state = await sqliteStateStore({ file });
    await state.journal.startRun(runOf('one'), { now: 1, events: [] });
    await state.close();
    const again = await sqliteStateStore({ file });
    expect((await again.journal.leases()).length).toBe(1);
    await again.close();
  });

  test('an idle thread lets a process end that forgot to close', () => {
    const script = join(folder, 'forget.ts');
    writeFileSync(
      script,
      `import { sqliteStateStore } from ${JSON.stringify(join(import.meta.dirname, 'sqlite-state-store.ts'))};
       const state = await sqliteStateStore({ file: ${JSON.stringify(file)}, thread: 'at-once' });
       console.log((await state.journal.takeLease({ name: 'a', holder: 'b', who: 'c', now: 1 })).kind);`,
    );
    const ended = spawnSync(process.execPath, [script], { encoding: 'utf8', timeout: 20_000 });
    expect(ended).toMatchObject({ status: 0, stdout: 'granted\n' });
  });
});

test('opening an existing state takes a few milliseconds', async () => {
  await makeState();
  const times: number[] = [];
  for (let round = 0; round < 9; round++) {
    const before = cpuMs();
    const state = await sqliteStateStore({ file });
    times.push(cpuMs() - before);
    await state.close();
  }
  expect(times.sort((a, b) => a - b)[4]).toBeLessThan(40);
});
