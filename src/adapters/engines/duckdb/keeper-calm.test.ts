import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KeeperCalm } from './keeper-calm.ts';
import { readLines } from './keeper-reading.ts';
import { runKeptHere } from './kept-statements.ts';

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

test('calm is what nobody has disturbed from beginning to end', () => {
  const calm = new KeeperCalm();
  const before = calm.watch();
  expect(before()).toBe(true);
  const over = calm.disturb();
  const during = calm.watch();
  expect([before(), during()]).toEqual([false, false]);
  over();
  over();
  expect([before(), during(), calm.watch()()]).toEqual([false, false, true]);
  // The second end of one was not taken for the end of another.
  calm.disturb();
  expect(calm.watch()()).toBe(false);
});

test('a transaction that is begun in this thread only reads, and is over when it was rolled back in this thread', async () => {
  for (let round = 0; round < 50; round++) {
    await runKeptHere(connection, BEGIN);
    await expect(connection.run('INSERT INTO t VALUES (2)')).rejects.toThrow(/read.only/i);
    await runKeptHere(connection, 'ROLLBACK');
    await connection.run('UPDATE t SET id = id + 1');
  }
  expect((await connection.runAndReadAll('SELECT id FROM t')).getRowsJson()).toEqual([[51]]);
  await expect(connection.run('ROLLBACK')).rejects.toThrow(/no transaction is active/);
});

test('a statement that fails in this thread says why', async () => {
  await expect(runKeptHere(connection, 'ROLLBACK')).rejects.toThrow(/no transaction is active/);
  await runKeptHere(connection, BEGIN);
  await expect(runKeptHere(connection, BEGIN)).rejects.toThrow(/within a transaction/);
});

test.each(['calm', 'disturbed'])('a read leaves no transaction behind: %s', async (state) => {
  const calm = new KeeperCalm();
  let over: (() => void) | undefined;
  const lines: string[] = [];
  const take = {
    columns: () => undefined,
    lines: async (piece: Buffer) => {
      lines.push(piece.toString());
    },
  };
  for (let round = 1; round <= 20; round++) {
    if (state === 'disturbed') over = calm.disturb();
    await readLines(connection, 'SELECT id FROM t', take, { calm });
    over?.();
    // Only what has no older view of the table open can change its form.
    await other.run(`ALTER TABLE t ADD COLUMN c${round} INTEGER`);
    await expect(connection.run('ROLLBACK')).rejects.toThrow(/no transaction is active/);
  }
  expect(lines).toEqual(Array.from({ length: 20 }, () => '[1]\n'));
  expect(calm.watch()()).toBe(true);
});
