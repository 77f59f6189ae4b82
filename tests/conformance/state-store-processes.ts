/** What must hold when several processes have one state open, and when they are killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { tableKey } from '../../src/domain/relation.ts';
import type { StateStore } from '../../src/domain/state-store.ts';
import { IS_LONG } from '../support/long-form.ts';
import { seededNumbers } from '../support/seeded-bits.ts';
import { DAY, snapshotOf, table } from './state-store-fixtures.ts';

/** A store, and a program that opens it in a process of its own and calls `performTask`. */
export interface StateStoreWithProgram {
  newPlace(): string;
  open(place: string): Promise<StateStore>;
  readonly program: URL;
  /** A process is killed within this time of its first change: long enough for a few. */
  readonly killedWithinMs?: number;
}

const PROCESSES = 4;
const KILLS = IS_LONG ? 30 : 8;
/** Starting a process takes a second on a busy machine. */
const TIMEOUT_MS = 240_000;

export function describeStateStoreProcesses(name: string, store: StateStoreWithProgram): void {
  const begin = (
    ...given: readonly (string | number)[]
  ): { child: ChildProcess; lines: Promise<string[]> } => {
    const child = spawn(process.execPath, [fileURLToPath(store.program), ...given.map(String)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const lines = new Promise<string[]>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => {
        if (code === 0 || signal === 'SIGKILL') resolve(text.split('\n').filter((line) => line !== ''));
        else reject(new Error(`the process ended with ${code ?? signal}`));
      });
    });
    return { child, lines };
  };
  const inProcesses = (place: string, task: string, argument: number): Promise<string[][]> =>
    Promise.all(Array.from({ length: PROCESSES }, (_, index) => begin(place, task, index, argument).lines));

  describe(`${name}, used by several processes`, { timeout: TIMEOUT_MS }, () => {
    test('of four that want one environment at the same instant exactly one has it', async () => {
      const place = store.newPlace();
      const at = Date.now() + 1500;
      const begun = Array.from({ length: PROCESSES }, (_, index) => begin(place, 'start-run', index, at));
      // A process that ends gives up what it has: all stay until all were answered.
      await Promise.all(
        begun.map(({ child }) => new Promise((resolve) => child.stdout?.once('data', resolve))),
      );
      for (const { child } of begun) child.stdin?.end();
      const answers = (await Promise.all(begun.map(({ lines }) => lines))).flat();
      expect(answers.sort()).toEqual(['granted', 'held', 'held', 'held']);
    });

    test('tokens of one lease are never given twice, and each process sees its own grow', async () => {
      const place = store.newPlace();
      const perProcess = (await inProcesses(place, 'take-leases', 50)).map((lines) => lines.map(Number));
      for (const tokens of perProcess) expect(tokens).toEqual(tokens.toSorted((a, b) => a - b));
      const all = perProcess.flat().sort((a, b) => a - b);
      expect(all).toEqual(Array.from({ length: PROCESSES * 50 }, (_, index) => index + 1));
    });

    test('changes of four processes to one table all count', async () => {
      const place = store.newPlace();
      await inProcesses(place, 'count', 100);
      const state = await store.open(place);
      expect((await state.journal.intervals()).get(tableKey(table('a.one')))).toEqual([
        { start: 0, end: PROCESSES * 100 * DAY },
      ]);
      const version = (await state.journal.dataVersions()).get(tableKey(table('a.one')));
      expect(version?.split(':')[0]).toBe(String(PROCESSES * 100));
      expect(await state.events.events({ limit: 9999 })).toHaveLength(PROCESSES * 100);
      await state.close();
    });

    test(`after each of ${KILLS} kills every change is there whole or not at all, and none that was acknowledged is lost`, async () => {
      const place = store.newPlace();
      const random = seededNumbers(20261116);
      let first = 1;
      let rounds = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        const { child, lines } = begin(place, 'change-for-ever', 'x', first);
        await new Promise<void>((resolve) => child.stdout?.once('data', () => resolve()));
        await new Promise((resolve) => setTimeout(resolve, random() * (store.killedWithinMs ?? 50)));
        child.kill('SIGKILL');
        const acknowledged = Number((await lines).at(-1));
        const state = await store.open(place);
        const last = await expectWhole(state, acknowledged);
        await state.close();
        rounds += last - first;
        first = last + 1;
      }
      expect(rounds).toBeGreaterThan(KILLS);
    });
  });
}

/** Checks that what belongs together is together; answers with the number of the last round that began. */
async function expectWhole(state: StateStore, acknowledged: number): Promise<number> {
  const events = await state.events.events({ limit: 1_000_000 });
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  const told = (event: string): number[] =>
    events.filter((each) => each.event === event).map(({ data }) => data as number);

  const runs = await state.journal.runs({ limit: 1_000_000 });
  expect(runs.map(({ id }) => id).sort()).toEqual(
    told('run.started')
      .map((index) => `run-${index}`)
      .sort(),
  );
  const finished = runs.filter(({ status }) => status === 'succeeded').map(({ startedAt }) => startedAt);
  expect(finished.sort((a, b) => a - b)).toEqual(told('run.finished'));
  expect(Math.max(...finished)).toBeGreaterThanOrEqual(acknowledged);

  const begun = told('plan.begun');
  const plans = await state.snapshots.plans({ limit: 1_000_000 });
  expect(plans.map(({ id }) => id).sort()).toEqual(begun.map((index) => `plan-${index}`).sort());
  const snapshots = await state.snapshots.snapshots();
  const expected = begun.map((index) => snapshotOf(`a.m${index}`).fingerprint);
  expect(snapshots.map(({ fingerprint }) => fingerprint).sort()).toEqual(expected.sort());
  expect((await state.snapshots.contents(expected)).size).toBe(begun.length);
  expect((await state.journal.restatements())[0]?.ranges).toHaveLength(rangesOfDays(begun));

  const built = told('model.built');
  for (const model of ['a.one', 'a.two']) {
    const key = tableKey(table(model));
    expect((await state.journal.intervals()).get(key)).toHaveLength(built.length);
    const xor = built.reduce((sum, index) => sum ^ BigInt(index + 1), 0n);
    expect((await state.journal.dataVersions()).get(key)).toBe(`${built.length}:${xor}`);
  }
  for (const { id } of await state.journal.intents()) expect(built).not.toContain(Number(id.slice(2)));

  const promoted = told('environment.promoted');
  const history = await state.snapshots.promotions('dev');
  expect(history.map(({ at }) => at)).toEqual(promoted.toReversed());
  expect((await state.snapshots.environment('dev'))?.promotionId).toBe(`promotion-${promoted.at(-1)}`);
  for (const { target } of await state.journal.promotionIntents()) {
    expect(promoted).not.toContain(Number(target.promotionId.split('-')[1]));
  }
  await expectWholeQuality(state, told('check.finished'));
  const profiles = await state.quality.profiles({ environment: 'prod', limit: 1_000_000 });
  expect(profiles.map(({ at }) => at)).toEqual(told('profile.made').toReversed());
  return Math.max(...told('run.started'));
}

/** Results, incidents and their events are there together, or not at all. */
async function expectWholeQuality(state: StateStore, checked: readonly number[]): Promise<void> {
  const scope = { environment: 'prod', limit: 1_000_000 };
  expect((await state.quality.results(scope)).map(({ at }) => at)).toEqual(checked.toReversed());
  const passes = checked.map((index) => index % 3 === 0);
  // A stretch of failures between passes is an incident.
  const opened = checked.filter((_, at) => passes[at] === false && passes[at - 1] !== false);
  const closed = checked.filter((_, at) => passes[at] === true && passes[at - 1] === false);
  const incidents = (await state.quality.incidents(scope)).toReversed();
  expect(incidents.map(({ openedAt }) => openedAt)).toEqual(opened);
  expect(incidents.flatMap(({ closedAt }) => closedAt ?? [])).toEqual(closed);
  const failures = incidents.reduce((sum, each) => sum + each.failures, 0);
  expect(failures).toBe(passes.filter((each) => !each).length);
  const told = await state.events.events({ types: ['incident.*', 'dq.*'], limit: 1_000_000 });
  const at = (event: string): readonly number[] =>
    told.flatMap((each) => (each.event === event ? [each.at] : []));
  expect([at('incident.opened'), at('dq.failed')]).toEqual([opened, opened]);
  expect([at('incident.closed'), at('dq.recovered')]).toEqual([closed, closed]);
}

/** How many ranges remain when neighbouring days are joined. */
function rangesOfDays(days: readonly number[]): number {
  return days.filter((day) => !days.includes(day - 1)).length;
}
