/** Texts that DuckDB's parser reads for very long, beyond every interrupt: only who sent one hears of it. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import { submitStatement } from '../../src/operations/ask/submit-statement.ts';
import { keeperOf } from '../kill/processes.ts';
import { identityOf, type ServedProduct, servedProduct } from '../support/served-product.ts';
import { temporaryProject } from '../support/temporary-project.ts';

/** Comments that never end are not cut out before the engine sees them. */
const costly = (n: number): string => `SELECT ${n} ${'/*'.repeat(25_000)}`;

let served: ServedProduct;
beforeAll(async () => {
  // The keeper inherits it: with the bounds of texts there is none that takes so long.
  process.env['PLINTH_TEST_UNBOUNDED'] = '1';
  served = await servedProduct({
    'config.yaml': 'name: costly\n',
    'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS i',
  });
});
afterAll(async () => {
  delete process.env['PLINTH_TEST_UNBOUNDED'];
  await served.close();
});

async function ask(name: string, sql: string): Promise<string> {
  const asker = identityOf({
    principalId: `u_${name}`,
    name,
    productRoles: { costly: 'owner' },
    isPlatformAdmin: true,
  });
  const question = { kind: 'sql', sql } as const;
  try {
    const answer = await submitStatement(served.product, asker, { question, waitMs: 30_000, cache: false });
    if (!answer.ok) return answer.diagnostics.map(({ code }) => code).join();
    return answer.page?.rows ?? `${answer.statement.status} ${answer.statement.error?.code}`;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

test('a text that takes too long to read costs others a moment, and is refused from then on', async () => {
  await ask('calm', 'SELECT 1');
  const before = keeperOf(served.project.folder);
  let isOver = false;
  const wrong: string[] = [];
  const neighbour = (async () => {
    for (let n = 0; !isOver; n++) {
      const said = await ask('good', `SELECT i + ${n} AS n FROM s.m`);
      if (said !== `[[${1 + n}]]`) wrong.push(said);
    }
  })();
  expect(await ask('bad', costly(1))).toBe('query.too-costly');
  isOver = true;
  await neighbour;
  expect(wrong).toEqual([]);
  await ask('calm', 'SELECT 2');
  const after = keeperOf(served.project.folder);
  expect(after).not.toBe(before);
  // It is known now, so the engine does not see it.
  expect(await ask('bad', costly(1))).toBe('query.too-costly');
  expect(await ask('other', costly(1))).toBe('query.too-costly');
  expect(keeperOf(served.project.folder)).toBe(after);
});

test('a keeper does not go on with a text after the process that asked is gone', async () => {
  const project = temporaryProject({});
  const engine = await duckdbEngine({ database: 'w.duckdb', folder: project.folder, idleMs: 100 });
  const keeper = keeperOf(project.folder);
  const asked = engine.inspect(costly(2)).catch((error: { code: string }) => error.code);
  // It reads.
  const idle = cpuOf(keeper);
  await expect.poll(() => cpuOf(keeper) - idle, { timeout: 20_000 }).toBeGreaterThan(30);
  await engine.close();
  expect(await asked).toBe('engine.lost');
  await expect.poll(() => isAlive(keeper), { timeout: 20_000 }).toBe(false);
  project.delete();
});

/** In hundredths of a second. */
function cpuOf(pid: number): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(13, 15);
  return Number(user) + Number(system);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
