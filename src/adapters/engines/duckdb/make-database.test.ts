import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keeperSettings } from './duckdb-config.ts';
import { openWarehouse } from './keeper-warehouse.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-new-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const settings = (name: string) =>
  keeperSettings(
    { folder, database: name, connection: { catalogs: { other: 'other.duckdb' } } },
    join(folder, name),
  );

/** Opens it in a process whose files may have so many bytes: what a full disk does to a new file. */
function openWithin(bytes: number): number | null {
  const script = join(folder, 'open.mjs');
  const module = join(import.meta.dirname, 'keeper-warehouse.ts');
  writeFileSync(
    script,
    `process.on('SIGXFSZ', () => undefined);
    const { openWarehouse } = await import(${JSON.stringify(module)});
    const warehouse = await openWarehouse(${JSON.stringify(settings('w.duckdb'))});
    await warehouse.close();
    process.exit(0);`,
  );
  const limit = `ulimit -f ${bytes / 512}; exec "$0" "$@"`;
  return spawnSync('/bin/sh', ['-c', limit, process.execPath, script], { timeout: 60_000 }).status;
}

test.each([0, 4096, 8192])(
  'a file that had no room for more than %i bytes while it was made is not there, and can be made later',
  async (bytes) => {
    expect(openWithin(bytes)).not.toBe(0);
    expect(existsSync(join(folder, 'w.duckdb'))).toBe(false);
    const warehouse = await openWarehouse(settings('w.duckdb'));
    await warehouse.close();
    expect(readdirSync(folder).sort()).toEqual(['open.mjs', 'other.duckdb', 'w.duckdb']);
  },
);

test('the log of a file that is gone is not replayed into the new one', async () => {
  writeFileSync(join(folder, 'w.duckdb.wal'), 'of another file');
  const warehouse = await openWarehouse(settings('w.duckdb'));
  await warehouse.close();
  expect(existsSync(join(folder, 'w.duckdb.wal'))).toBe(false);
});

test('what a process that was killed while it made a file has left goes with the next one', async () => {
  const { pid } = spawnSync('true');
  for (const name of [`w.duckdb.${pid}.new`, `w.duckdb.${pid}.new.wal`])
    writeFileSync(join(folder, name), 'half');
  writeFileSync(join(folder, `w.duckdb.${process.pid}.new.mine`), 'not ours');
  const warehouse = await openWarehouse(settings('w.duckdb'));
  await warehouse.close();
  expect(readdirSync(folder).sort()).toEqual([
    'other.duckdb',
    'w.duckdb',
    `w.duckdb.${process.pid}.new.mine`,
  ]);
});
