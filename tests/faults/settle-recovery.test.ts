/** A release or discard whose process dies after any call: no row is lost or doubled, and what was done is in the log, once. */
import { afterEach, describe, expect, test } from 'vitest';
import { failure } from '../../src/domain/failure.ts';
import { recover } from '../../src/runtime/execute/recover.ts';
import type { World } from '../../src/runtime/world.ts';
import { Killed, killAfter, type Port, withFaults } from '../support/execution-faults.ts';
import {
  apply,
  days,
  planFor,
  shiftedClock,
  type TestPlace,
  type TestProject,
  type TestWorld,
  testPlace,
} from '../support/execution-support.ts';
import { fillSource, heldProject, SOURCE, settled, whereRowsAre } from '../support/held-world.ts';
import { IS_LONG } from '../support/long-form.ts';

let places: TestPlace[] = [];
afterEach(async () => {
  for (const place of places) await place.remove();
  places = [];
});

const ROWS =
  "('2026-01-01', 1, 'a'), ('2026-01-02', 0, 'b'), ('2026-01-02', -5, 'c'), ('2026-01-03', 2, 'd')";
const INPUT = 4;
const WRITES =
  /^(?:start|finish|begin|drop|forget|record|replace|insert|create|remove|write|release|raise|merge|ledger)/;
const isCounted = (_: Port, method: string): boolean => WRITES.test(method);
const MODELS = { 's.total': ['FULL', 'SELECT COUNT(*) AS n FROM s.m'] } as const;

type Decision = 'release' | 'discard';

/** Releases what is 0 by now, or discards it: the other held row stays. */
function decide(world: World, decision: Decision): ReturnType<typeof settled> {
  return settled(world, decision, decision === 'release' ? {} : { selection: { where: 'i = 0' } });
}

async function planned(kind: string): Promise<{ place: TestPlace; world: TestWorld; project: TestProject }> {
  const place = testPlace();
  places.push(place);
  const world = await place.open();
  await world.engine.write([], (session) => session.execute(SOURCE));
  await fillSource(world, ROWS);
  const fill = { 's.m': days(0, 3), 's.total': days(0, 3) };
  await apply(world, await planFor(world, await heldProject(kind, { models: MODELS }), { fill }));
  const project = await heldProject(kind, { models: MODELS, least: -1 });
  await apply(world, await planFor(world, project));
  return { place, world, project };
}

async function balanceOf(world: TestWorld, project: TestProject): Promise<number> {
  const { published, held, decided } = await whereRowsAre(world, project);
  const discarded = decided.filter((line) => line.startsWith('discard'));
  return (
    published.length + held.length + discarded.reduce((sum, line) => sum + Number(line.split(',')[1]), 0)
  );
}

/** Answers with the call after which it died; undefined past the last one. */
async function killAndRecover(kind: string, decision: Decision, step: number): Promise<string | undefined> {
  const { place, world, project } = await planned(kind);
  const faults = killAfter(step, isCounted);
  const end = await decide(withFaults(world, faults), decision).then(
    ({ run }) => run.status,
    (error: unknown) => error,
  );
  if (faults.calls.length < step) {
    expect(end).toBe('succeeded');
    return undefined;
  }
  const at = faults.calls.at(-1);
  expect(end, at).toBeInstanceOf(Killed);
  await world.close();
  const clock = shiftedClock();
  clock.shift(10_000);
  const second = await place.open({ clock });
  expect(await balanceOf(second, project), `${at}, right after`).toBe(INPUT);
  await recover(second);
  expect(await balanceOf(second, project), `${at}, recovered`).toBe(INPUT);
  const { decided } = await whereRowsAre(second, project);
  const logged = (): Promise<readonly unknown[]> =>
    second.state.events.events({ types: ['quarantine.*'], limit: 10 });
  expect(await logged(), `${at}, logged`).toHaveLength(decided.length);
  if (decided.length === 0) await decide(second, decision);
  else if (decision === 'discard')
    await expect(decide(second, decision)).rejects.toMatchObject({ code: 'quarantine.nothing-held' });
  else
    expect((await decide(second, decision)).run).toMatchObject({
      status: 'succeeded',
      models: [{ rows: 0 }],
    });
  expect(await whereRowsAre(second, project), at).toMatchObject({
    published: decision === 'release' ? ['0,b', '1,a', '2,d'] : ['1,a', '2,d'],
    held: ['-5,c,positive'],
  });
  expect(await logged(), at).toHaveLength(1);
  const restated = (await second.state.journal.restatements()).map(({ table }) => table.model);
  expect(restated, at).toEqual(decision === 'release' ? ['s.total'] : []);
  expect(await second.state.journal.leases()).toEqual([]);
  expect(await second.state.journal.intents()).toEqual([]);
  const ledger = await second.engine.ledger();
  const versions = await second.state.journal.dataVersions();
  for (const { table, dataVersion } of ledger)
    expect(versions.get(`${table.model}__${table.version}`), at).toBe(dataVersion);
  return at;
}

const KINDS = [
  'INCREMENTAL_BY_TIME_RANGE (time_column d)',
  'INCREMENTAL_BY_UNIQUE_KEY (unique_key c)',
  'INCREMENTAL_UNMANAGED',
];

describe.each(['release', 'discard'] as const)('a process that dies while it would %s rows', (decision) => {
  // The kinds differ in how rows are published only, so each gets a ninth of the deaths in the short form.
  test.each(KINDS)(
    'of %s',
    async (kind) => {
      const [first, stride] = IS_LONG ? [1, 1] : [1 + 3 * KINDS.indexOf(kind), 3 * KINDS.length];
      const died: string[] = [];
      for (let step = first; ; step += stride) {
        const at = await killAndRecover(kind, decision, step);
        if (at === undefined) break;
        died.push(at);
      }
      expect(died.length).toBeGreaterThan(IS_LONG ? 12 : 1);
    },
    300_000,
  );
});

describe('a commit whose answer is lost', () => {
  test.each(['release', 'discard'] as const)('%s is done once', async (decision) => {
    const { world, project } = await planned('INCREMENTAL_UNMANAGED');
    let lost = 0;
    const faulty = withFaults(world, {
      after(port, method) {
        if (port !== 'engine' || method !== 'write' || lost++ > 0) return;
        throw failure('engine.lost', { detail: 'test' }, { isRetryable: true });
      },
    });
    const { run } = await decide(faulty, decision);
    expect([run.status, lost]).toEqual(['succeeded', decision === 'release' ? 1 : 2]);
    expect(await balanceOf(world, project)).toBe(INPUT);
    expect((await whereRowsAre(world, project)).decided).toHaveLength(1);
  });
});
