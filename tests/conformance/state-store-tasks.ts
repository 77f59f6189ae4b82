import { once } from 'node:events';
/** What processes do to one state at the same time. Each line they print was acknowledged by the store before. */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StateStore } from '../../src/domain/state-store.ts';
import { profileOf, resultOf } from './quality-store-fixtures.ts';
import { fuzzState } from './state-fuzz.ts';
import { day, environmentOf, intentOf, ledgerRow, planOf, runOf, table } from './state-store-fixtures.ts';

interface Task {
  readonly task: string;
  /** Of this process. */
  readonly name: string;
  readonly argument: number;
}

export async function performTask(state: StateStore, { task, name, argument }: Task): Promise<void> {
  if (task === 'start-run') return startRun(state, name, argument);
  if (task === 'take-leases') return takeLeases(state, name, argument);
  if (task === 'fuzz') return fuzzState(state, name, argument);
  if (task === 'count') return count(state, name, argument);
  if (task === 'change-for-ever') return changeForEver(state, argument);
  throw new Error(`unknown task ${task}`);
}

function print(line: string | number): void {
  writeSync(1, `${line}\n`);
}

/** Waits for the given instant, tries to have the environment, and stays until its input ends; for the store it is that instant also in a process that came late. */
async function startRun(state: StateStore, name: string, at: number): Promise<void> {
  await sleep(Math.max(0, at - Date.now()));
  print((await state.journal.startRun(runOf(name), { now: at, events: [] })).kind);
  process.stdin.resume();
  await once(process.stdin, 'end');
}

/** Prints the token of each grant. */
async function takeLeases(state: StateStore, name: string, grants: number): Promise<void> {
  for (let granted = 0; granted < grants; ) {
    const request = { name: 'scheduler', holder: name, who: name, now: Date.now() };
    const answer = await state.journal.takeLease(request);
    if (answer.kind === 'held') {
      await sleep(1);
      continue;
    }
    granted++;
    print(answer.leases[0]?.token ?? -1);
    await state.journal.releaseLease('scheduler', name);
  }
}

/** Each process adds ledger rows of its own to one table. */
async function count(state: StateStore, name: string, times: number): Promise<void> {
  const first = Number(name) * times;
  for (let index = first; index < first + times; index++) {
    await state.journal.finishBackfill('none', {
      rows: [ledgerRow('a.one', day(index), { token: 1, dataVersion: String(index + 1) })],
      events: [{ at: index, event: 'model.built', data: index }],
    });
  }
}

/** Goes round and round through all that a run does to the state, beginning where the last process was killed. */
async function changeForEver(state: StateStore, first: number): Promise<void> {
  for (let index = first; ; index++) {
    const run = runOf(`run-${index}`, { planId: `plan-${index}`, startedAt: index });
    // A killed predecessor held the leases; an hour a round makes them expire.
    const now = index * 3_600_000;
    const event = (name: string): { at: number; event: string; data: number } => ({
      at: index,
      event: name,
      data: index,
    });
    const base = (await state.snapshots.environment('dev'))?.promotionId;
    await state.journal.startRun(run, { now, events: [event('run.started')] });
    const target = environmentOf(['a.one'], { promotionId: `promotion-${index}` });
    const plan = planOf([`a.m${index}`], {
      id: `plan-${index}`,
      target,
      ...(base === undefined ? {} : { basePromotionId: base }),
      restatements: [{ table: table('a.other'), ranges: [day(index)] }],
    });
    await state.snapshots.beginPlan(plan, run, [event('plan.begun')]);
    const tables = [table('a.one'), table('a.two')];
    await state.journal.startBackfill(intentOf(`i-${index}`, run), { tables, who: 'x', now });
    await state.journal.finishBackfill(`i-${index}`, {
      rows: ['a.one', 'a.two'].map((model) =>
        ledgerRow(model, day(index * 2), { token: index, dataVersion: String(index + 1) }),
      ),
      events: [event('model.built')],
    });
    await state.snapshots.beginPromotion({ target, runId: run.id });
    await state.snapshots.finishPromotion(target, index, [event('environment.promoted')]);
    // Every third round passes.
    const outcome = index % 3 === 0 ? 'pass' : 'fail';
    const id = `c_${String(index).padStart(8, '0')}`;
    await state.quality.recordResults([resultOf(id, { outcome, at: index })], [event('check.finished')]);
    await state.quality.recordProfiles([profileOf(`f_${id}`, { at: index })], [event('profile.made')]);
    await state.journal.finishRun({ ...run, status: 'succeeded' }, [event('run.finished')]);
    print(index);
  }
}
