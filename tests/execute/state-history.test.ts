/**
 * How much history the state keeps. `PLINTH_HISTORY_RUNS=10000 vitest run tests/execute/state-history.test.ts` prints the sizes of a state of
 * 10,000 runs of 50 models, one an hour, before and after the janitor.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqliteStateStore } from '../../src/adapters/state/sqlite/sqlite-state-store.ts';
import type { Run } from '../../src/domain/run.ts';
import type { StateStore } from '../../src/domain/state-store.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time/civil.ts';
import { trimState } from '../../src/operations/change/trim-state.ts';
import type { OpenedWorld } from '../../src/operations/open-world.ts';
import { realClock } from '../support/execution-support.ts';

const RUNS = Number(process.env['PLINTH_HISTORY_RUNS'] ?? 600);
const MODELS = 50;
const NOW = Date.UTC(2026, 0, 1);
const DEFAULTS = {
  ...{ runs: '90 days', events: '30 days', plans: '90 days' },
  ...{ statements: '7 days', leases: '30 days', auditLog: '1 year', quality: '90 days' },
};

let folder: string;
let file: string;
let state: StateStore;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-history-'));
  file = join(folder, 'state.db');
  state = await sqliteStateStore({ file });
});
afterAll(async () => {
  await state.close();
  rmSync(folder, { recursive: true, force: true });
});

const idOf = (index: number): string => `r${String(index).padStart(8, '0')}`;
/** The last at `NOW`, one an hour; few of them are spread over the same time. */
const startOf = (index: number): number =>
  NOW - (RUNS - 1 - index) * HOUR_MS * Math.max(1, Math.round(2_400 / RUNS));

async function addRun(index: number): Promise<void> {
  const at = startOf(index);
  const run: Run = {
    ...{ id: idOf(index), kind: 'run', environment: 'prod', who: 'worker on host, process 4711' },
    ...{ startedAt: at, executionTime: at, status: 'running', models: [] },
  };
  await state.journal.startRun(run, { now: at, events: [] });
  const models = Array.from({ length: MODELS }, (_, model) => ({
    ...{ name: `marts.model_${model}`, status: 'built' as const, rows: index * model, batches: 1, ms: 12 },
    ...{ audits: [], intervals: [{ start: at - HOUR_MS, end: at }] },
  }));
  const events = models.map((result) => ({
    ...{ at, event: 'model.built', environment: 'prod', runId: run.id, model: result.name },
    data: { runId: run.id, result },
  }));
  await state.journal.finishRun({ ...run, status: 'succeeded', models, endedAt: at + 1_000 } as Run, events);
}

/** What the disk holds, the log included once it is written back. */
const megabytes = (): number =>
  [file, `${file}-wal`].reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  ) /
  1024 ** 2;

test('the janitor keeps what retention says and what is needed, and gives the room back', async () => {
  for (let index = 0; index < RUNS; index++) await addRun(index);
  await state.journal.takeLease({ name: 'table:m.gone__1', holder: 'x', who: 'x', now: NOW - 60 * DAY_MS });
  await state.journal.releaseLease('table:m.gone__1', 'x');
  await state.journal.startRun(
    {
      ...{ id: 'living', kind: 'run', environment: 'dev', who: 'x', startedAt: 0, executionTime: 0 },
      ...{ status: 'running', models: [] },
    },
    { now: realClock.now(), events: [] },
  );
  const before = megabytes();
  const world = {
    ...{ state, config: { retention: DEFAULTS } },
    clock: { ...realClock, now: () => NOW },
  } as unknown as OpenedWorld;
  const removed = await trimState(world);
  await state.compact();
  const after = megabytes();
  console.log(
    `${RUNS} runs of ${MODELS} models: ${before.toFixed(1)} MB before the janitor, ${after.toFixed(1)} MB after, ${removed} records removed`,
  );
  expect(after).toBeLessThan(before * 0.75);
  const kept = await state.journal.runs({ environment: 'prod', limit: RUNS });
  const young = Array.from({ length: RUNS }, (_, index) => index).filter(
    (index) => startOf(index) >= NOW - 90 * DAY_MS,
  );
  expect(kept.map(({ id }) => id)).toEqual(young.map(idOf).reverse());
  const [first] = await state.events.events({ limit: 1 });
  expect(first?.at).toBeGreaterThanOrEqual(NOW - 30 * DAY_MS);
  expect(await state.journal.run('living')).toBeDefined();
  expect(await trimState(world)).toBe(0);
});

test('the newest runs of an environment stay, however old they are', async () => {
  const everything = NOW + 1_000 * DAY_MS;
  const bounds = {
    ...{ runs: everything, events: everything, plans: everything },
    ...{ statements: everything, leases: everything, auditLog: everything, quality: everything },
  };
  while ((await state.trim(bounds)) > 0);
  const kept = await state.journal.runs({ environment: 'prod', limit: RUNS });
  expect(kept.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, age) => idOf(RUNS - 1 - age)));
  expect(await state.journal.run('living')).toBeDefined();
});

test('a page of runs is read behind an id, by status and environment', async () => {
  const page = await state.journal.runs({
    ...{ environment: 'prod', status: 'succeeded', before: idOf(RUNS - 3), limit: 2 },
  });
  expect(page.map(({ id }) => id)).toEqual([idOf(RUNS - 4), idOf(RUNS - 5)]);
});
