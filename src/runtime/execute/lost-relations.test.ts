/** A warehouse of two files: what an empty second one says, and what one says that is not attached. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  apply,
  days,
  naming,
  planFor,
  projectOf,
  realClock,
  type TestPlace,
  testPlace,
} from '../../../tests/support/execution-support.ts';
import { duckdbEngine } from '../../adapters/engines/duckdb/duckdb-connection.ts';
import { sqliteStateStore } from '../../adapters/state/sqlite/sqlite-state-store.ts';
import type { World } from '../world.ts';
import { recoverState } from './recover.ts';

const BOTH = { first: 'first.duckdb', second: 'second.duckdb' };
const ALONE = { first: 'first.duckdb' };
const MODELS = { prod: 's.near', dev: 'second.s.far' };

let place: TestPlace;
const opened: World[] = [];
beforeEach(() => {
  place = testPlace();
});
afterEach(async () => {
  await closeAll();
  await place.remove();
});

async function closeAll(): Promise<void> {
  for (const { engine, state } of opened.splice(0)) await Promise.all([engine.close(), state.close()]);
}

async function open(catalogs: Readonly<Record<string, string>>, idleMs = 1): Promise<World> {
  const { folder } = place;
  const world: World = {
    engine: await duckdbEngine({ database: '', folder, connection: { catalogs }, idleMs, who: 'test' }),
    state: await sqliteStateStore({ file: join(folder, 'state.db') }),
    clock: realClock,
    userCodeOf: () => {
      throw new Error('these projects have no code');
    },
    variables: {},
    names: { state: 'state.db', warehouse: 'first.duckdb' },
  };
  opened.push(world);
  return world;
}

async function filled({ state }: World): Promise<readonly string[]> {
  return [...(await state.journal.intervals()).keys()].map((key) => key.split('__')[0] as string).sort();
}

async function filledWorld(idleMs = 1): Promise<World> {
  const world = await open(BOTH, idleMs);
  for (const [environment, model] of Object.entries(MODELS)) {
    const project = await projectOf({ [model]: ['FULL', 'SELECT 1 AS n'] });
    const plan = await planFor(world, project, { environment, fill: { [model]: days(0, 1) } });
    expect((await apply(world, plan)).run.error).toBeUndefined();
  }
  expect(await filled(world)).toEqual(['s.near', 'second.s.far']);
  return world;
}

test('a catalog that lost all its tables, and whose ledger forgot them, counts as empty', async () => {
  const world = await filledWorld();
  for (const sql of [
    'DROP SCHEMA second.s__dev CASCADE',
    'DROP SCHEMA second.plinth__s CASCADE',
    'DELETE FROM second.main.plinth__ledger',
  ])
    await world.engine.write([{ table: { model: 'second.s.far', version: 'x' }, token: 1 }], (session) =>
      session.execute(sql),
    );
  expect(await recoverState(world)).toMatchObject({ hasChangedState: true });
  expect(await filled(world)).toEqual(['s.near']);
  expect(await recoverState(world, naming('dev'))).toMatchObject({ hasChangedState: false });
});

test.each([
  ['when the process that had it open is gone', 1],
  ['while the process that had it open waits for others to come', 5_000],
])('a file that was removed and is new now counts as empty, %s', async (_, idleMs) => {
  await filledWorld(idleMs);
  await closeAll();
  rmSync(join(place.folder, 'second.duckdb'));
  const world = await open(BOTH, idleMs);
  await recoverState(world);
  expect(await filled(world)).toEqual(['s.near']);
});

test('a catalog that is not attached keeps what state knows of its tables', async () => {
  await filledWorld();
  await closeAll();
  const world = await open(ALONE);
  await recoverState(world);
  expect(await filled(world)).toEqual(['s.near', 'second.s.far']);
  await closeAll();
  const again = await open(BOTH);
  await recoverState(again);
  expect(await filled(again)).toEqual(['s.near', 'second.s.far']);
});
