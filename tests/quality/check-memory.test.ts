/** What rules remember of earlier results, however often the same rows were checked in between. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sqliteStateStore } from '../../src/adapters/state/sqlite/sqlite-state-store.ts';
import { expandChecks } from '../../src/compiler/quality/expand-checks.ts';
import type { CheckResult } from '../../src/domain/check-result.ts';
import type { StateStore } from '../../src/domain/state-store.ts';
import { checkMemory } from '../../src/runtime/quality/check-memory.ts';
import type { WorldReader } from '../../src/runtime/world.ts';
import { resultOf } from '../conformance/quality-store-fixtures.ts';
import { packOf } from './quality-world.ts';

const HOUR = 3_600_000;
let folder: string;
let state: StateStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-memory-'));
  state = await sqliteStateStore({ file: join(folder, 'state.db'), thread: 'at-once' });
});
afterEach(async () => {
  await state.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Results of one check, an hour apart; of each the state of the data, with more. */
async function record(
  rule: string,
  results: readonly (Partial<CheckResult> & { dataVersion: string })[],
): Promise<void> {
  const made = results.map((more, index) =>
    resultOf(`c_${String(index).padStart(6, '0')}`, {
      ...{ check: `pack/${rule}`, at: index * HOUR, value: index },
      ...more,
    }),
  );
  await state.quality.recordResults(made, []);
}

async function memory(rule: string, { dataVersion, now }: { dataVersion: string; now: number }) {
  const table = { name: 'marts.orders', columns: [{ name: 'amount', type: 'DOUBLE' }] };
  const checks = expandChecks([packOf(`- ${rule}`)], () => table);
  const world = { state } as unknown as WorldReader;
  return checkMemory(world, { environment: 'prod', dataVersion, now }, checks);
}

const times = <Item>(count: number, make: (index: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

test('shares of other data are found behind any number of results of the present ones', async () => {
  const rule = 'distribution(amount)';
  const shares = (share: number) => [{ bin: '< 1', share }];
  await record(rule, [
    { dataVersion: 'a', shares: shares(0.1), baselineShares: shares(0.1) },
    { dataVersion: 'b', shares: shares(0.2), baselineShares: shares(0.1) },
    ...times(60, () => ({ dataVersion: 'b', outcome: 'error' as const })),
    ...times(300, () => ({ dataVersion: 'c', shares: shares(0.3), baselineShares: shares(0.1) })),
  ]);
  const found = await memory('distribution(amount): {psi < 0.2}', { dataVersion: 'c', now: 400 * HOUR });
  expect(found.shares?.get(`pack/${rule}`)).toEqual({ previous: shares(0.2), baseline: shares(0.1) });
});

test('an anomaly rule learns from as many states of the data as the page says, though each was measured each hour', async () => {
  const rule = 'anomaly for avg(amount)';
  await record(
    rule,
    times(450 * 3, (index) => ({ dataVersion: `day ${Math.floor(index / 3)}` })),
  );
  const found = await memory(rule, { dataVersion: 'now', now: 2000 * HOUR });
  const versions = new Set(found.history.get(`pack/${rule}`)?.map(({ dataVersion }) => dataVersion));
  expect(versions.size).toBeGreaterThanOrEqual(400);
  expect(found.history.get(`pack/${rule}`)?.at(-1)?.value).toBe(450 * 3 - 1);
});

test('a change against a time reads as far back as that time', async () => {
  const rule = 'change for row_count > 0 against last month';
  await record(
    rule,
    times(2_000, () => ({ dataVersion: 'same' })),
  );
  const now = 2_000 * HOUR;
  const found = await memory(rule, { dataVersion: 'same', now });
  expect(found.history.get(`pack/${rule}`)?.[0]?.at).toBeLessThan(now - 46 * 24 * HOUR);
  // One against the newest value reads little.
  await record(
    'change for row_count > 0',
    times(2_000, () => ({ dataVersion: 'other' })),
  );
  const little = await memory('change for row_count > 0', { dataVersion: 'same', now });
  expect(little.history.get('pack/change for row_count > 0')?.length).toBeLessThanOrEqual(500);
});
