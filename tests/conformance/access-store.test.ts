/** Every store of who may do what passes its suite; and what SQLite keeps of states of before. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/adapters/state/sqlite/schema.ts';
import { sqliteStateStore } from '../../src/adapters/state/sqlite/sqlite-state-store.ts';
import { isExpected, principalTag } from '../../src/domain/entity-tag.ts';
import type { Principal } from '../../src/domain/principal.ts';
import { describeAccessStore } from './access-store.ts';
import { grantOf, person, tokenOf } from './access-store-fixtures.ts';
import { describeOnEveryStore } from './every-state-store.ts';

describeOnEveryStore('access', describeAccessStore);

async function inOlder<Result>(
  word: string,
  sql: string,
  read: (file: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-access-'));
  try {
    const file = join(folder, 'older.db');
    const index = MIGRATIONS.findIndex((each) => each.includes(word));
    const older = await sqliteStateStore({ file, migrations: MIGRATIONS.slice(0, index) });
    await older.close();
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
    return await read(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('of a state of an earlier version', () => {
  test('grants are kept, without an end', async () => {
    const sql = "INSERT INTO grants VALUES ('acme', 'acme-shop', 'ada', 'owner', 7)";
    await inOlder('grants_now', sql, async (file) => {
      const now = await sqliteStateStore({ file });
      expect(await now.principals.grants({ tenant: 'acme' })).toEqual([
        grantOf({ role: 'owner', createdAt: 7 }),
      ]);
      await now.close();
    });
  });

  test('tokens were made by none', async () => {
    const sql =
      "INSERT INTO tokens (id, hash, principal_id, name, created_at) VALUES ('a', 'h', 'u_ada', 'a', 1)";
    await inOlder('tokens_by_parent', sql, async (file) => {
      const now = await sqliteStateStore({ file });
      expect(await now.principals.token('a')).toEqual({ ...tokenOf('a'), hash: 'h' });
      await now.close();
    });
  });
});

test('tags are the same for the same, and differ for what differs', () => {
  const people = fc.record({
    id: fc.constantFrom('u_1', 'u_2'),
    role: fc.constantFrom(undefined, 'admin' as const, 'viewer' as const),
    isPlatformAdmin: fc.boolean(),
    groups: fc.array(fc.constantFrom('a', 'b', 'a,b', ''), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(people, people, (one, two) => {
      const made = ({ role, ...rest }: typeof one): Principal => ({
        ...person('x'),
        ...rest,
        ...(role === undefined ? {} : { role }),
      });
      const isSame = JSON.stringify(made(one)) === JSON.stringify(made(two));
      expect(principalTag(made(one)) === principalTag(made(two))).toBe(isSame);
    }),
  );
  expect(isExpected(undefined, ['*'])).toBe(false);
  expect(isExpected('a', ['b', 'a'])).toBe(true);
  expect(isExpected(undefined, undefined)).toBe(true);
});
