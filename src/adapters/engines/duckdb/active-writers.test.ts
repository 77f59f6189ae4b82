import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ActiveWriters } from './active-writers.ts';
import { readLines } from './keeper-reading.ts';
import { runPreparedHere } from './prepared-statements.ts';

let instance: DuckDBInstance;
let connection: DuckDBConnection;
let other: DuckDBConnection;
beforeEach(async () => {
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
  other = await instance.connect();
  await connection.run('CREATE TABLE t AS SELECT 1 AS id');
});
afterEach(() => {
  connection.closeSync();
  other.closeSync();
  instance.closeSync();
});

const BEGIN = 'BEGIN TRANSACTION READ ONLY';

test('a watch says whether any client wrote since it began', () => {
  const writers = new ActiveWriters();
  const before = writers.watch();
  expect(before()).toBe(true);
  const over = writers.begin();
  const during = writers.watch();
  expect([before(), during()]).toEqual([false, false]);
  over();
  over();
  expect([before(), during(), writers.watch()()]).toEqual([false, false, true]);
  // The second end of one was not taken for the end of another.
  writers.begin();
  expect(writers.watch()()).toBe(false);
});

test('a transaction that is begun in this thread only reads, and is over when it was rolled back in this thread', async () => {
  for (let round = 0; round < 50; round++) {
    await runPreparedHere(connection, BEGIN);
    await expect(connection.run('INSERT INTO t VALUES (2)')).rejects.toThrow(/read.only/i);
    await runPreparedHere(connection, 'ROLLBACK');
    await connection.run('UPDATE t SET id = id + 1');
  }
  expect((await connection.runAndReadAll('SELECT id FROM t')).getRowsJson()).toEqual([[51]]);
  await expect(connection.run('ROLLBACK')).rejects.toThrow(/no transaction is active/);
});

test('a statement that fails in this thread says why', async () => {
  await expect(runPreparedHere(connection, 'ROLLBACK')).rejects.toThrow(/no transaction is active/);
  await runPreparedHere(connection, BEGIN);
  await expect(runPreparedHere(connection, BEGIN)).rejects.toThrow(/within a transaction/);
});

test.each(['alone', 'beside a writer'])('a read leaves no transaction behind: %s', async (state) => {
  const writers = new ActiveWriters();
  let over: (() => void) | undefined;
  const lines: string[] = [];
  const take = {
    columns: () => undefined,
    lines: async (piece: Buffer) => {
      lines.push(piece.toString());
    },
  };
  for (let round = 1; round <= 20; round++) {
    if (state === 'beside a writer') over = writers.begin();
    await readLines(connection, 'SELECT id FROM t', take, { writers });
    over?.();
    // Only what has no older view of the table open can change its form.
    await other.run(`ALTER TABLE t ADD COLUMN c${round} INTEGER`);
    await expect(connection.run('ROLLBACK')).rejects.toThrow(/no transaction is active/);
  }
  expect(lines).toEqual(Array.from({ length: 20 }, () => '[1]\n'));
  expect(writers.watch()()).toBe(true);
});
