/**
 * How long the history of checks takes. `PLINTH_HISTORY_RESULTS=100 vitest run tests/execute/quality-history.test.ts` prints the figures of 1,000
 * checks with 100 results each.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqliteStateStore } from '../../src/adapters/state/sqlite/sqlite-state-store.ts';
import type { CheckResult } from '../../src/domain/check-result.ts';
import type { StateStore } from '../../src/domain/state-store.ts';
import { resultOf } from '../conformance/quality-store-fixtures.ts';

const CHECKS = 1_000;
const EACH = Number(process.env['PLINTH_HISTORY_RESULTS'] ?? 10);

let folder: string;
let state: StateStore;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-quality-'));
  state = await sqliteStateStore({ file: join(folder, 'state.db'), thread: 'at-once' });
});
afterAll(async () => {
  await state.close();
  rmSync(folder, { recursive: true, force: true });
});

function roundOf(round: number): readonly CheckResult[] {
  return Array.from({ length: CHECKS }, (_, index) =>
    resultOf(`c_${String(round).padStart(4, '0')}${String(index).padStart(4, '0')}`, {
      check: `pack_${index % 200}/rule_${index}`,
      model: `marts.model_${index % 200}`,
      runId: `run-${round}`,
      at: round,
      outcome: (round + index) % 50 === 0 ? 'fail' : 'pass',
      value: round + index,
      sql: `SELECT count(*) AS rows_tested, count(*) FILTER (WHERE "column_${index}" IS NULL) AS rows_failed FROM "marts"."model_${index % 200}" WHERE "order_date" >= CURRENT_DATE - 30`,
    }),
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

const medianOf = (times: readonly number[]): number =>
  times.toSorted((one, two) => one - two)[Math.floor(times.length / 2)] ?? 0;

test('a thousand checks are recorded in one call, and their newest results are read past all older ones', async () => {
  const recorded: number[] = [];
  for (let round = 0; round < EACH; round++)
    recorded.push(await timed(() => state.quality.recordResults(roundOf(round), [])));
  const latest: number[] = [];
  for (let time = 0; time < 15; time++)
    latest.push(await timed(() => state.quality.latestResults({ environment: 'prod' })));
  const checks = roundOf(0).map(({ check }) => check);
  const history = await timed(() => state.quality.history({ environment: 'prod', checks, limit: 30 }));
  const megabytes = statSync(join(folder, 'state.db')).size / 1024 ** 2;
  console.log(
    `${CHECKS} checks with ${EACH} results: ${medianOf(recorded).toFixed(0)} ms to record one of each (at most ${Math.max(...recorded).toFixed(0)}), ` +
      `${medianOf(latest).toFixed(1)} ms for the newest of each, ${history.toFixed(0)} ms for 30 values of each, ${megabytes.toFixed(0)} MB`,
  );
  const found = await state.quality.latestResults({ environment: 'prod' });
  expect(found).toHaveLength(CHECKS);
  expect(new Set(found.map(({ at }) => at))).toEqual(new Set([EACH - 1]));
  // Slow machines have their time; reading the whole history would take longer than that.
  expect(medianOf(latest)).toBeLessThan(500);
});
