/** Tables and views that somebody dropped in the warehouse while ledger and state say that they are filled. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recoverState } from '../../src/runtime/execute/recover.ts';
import { withFaults } from '../support/execution-faults.ts';
import {
  apply,
  days,
  naming,
  planFor,
  projectOf,
  type TestPlace,
  type TestWorld,
  testPlace,
} from '../support/execution-support.ts';

let place: TestPlace;
let world: TestWorld;
beforeEach(async () => {
  place = testPlace();
  world = await place.open();
});
afterEach(() => place.remove());

const DAYS = 'FROM RANGE(@start_at::TIMESTAMP, @end_before::TIMESTAMP, INTERVAL 1 DAY) AS r(day)';
const MODELS = {
  's.days': ['INCREMENTAL_BY_TIME_RANGE (time_column day)', `SELECT CAST(day AS DATE) AS day ${DAYS}`],
  's.log': ['INCREMENTAL_UNMANAGED', 'SELECT day FROM s.days'],
  's.sum': ['FULL', 'SELECT COUNT(*) AS n FROM s.days'],
  's.shown': ['VIEW', 'SELECT n FROM s.sum'],
} as const;
const FILL = { 's.days': days(0, 3), 's.log': days(0, 3), 's.sum': days(0, 3) };

async function drop(model: string): Promise<void> {
  const [sql] = await world.rows(
    `SELECT 'DROP TABLE ' || schema_name || '.' || table_name FROM duckdb_tables() WHERE starts_with(table_name, '${model}__')
     UNION ALL SELECT 'DROP VIEW ' || schema_name || '.' || view_name FROM duckdb_views() WHERE starts_with(view_name, '${model}__')`,
  );
  await world.engine.write([], (session) => session.execute(sql as string));
}

const ledger = (): Promise<readonly string[]> =>
  world.rows('SELECT DISTINCT model FROM plinth__ledger ORDER BY model');
const filled = async (): Promise<readonly string[]> =>
  [...(await world.state.journal.intervals()).keys()].map((key) => key.split('__')[0] as string).sort();

test.each(['days', 'log', 'sum', 'shown'])(
  'a dropped %s counts as empty in ledger and state, once, and is filled again exactly',
  async (name) => {
    const project = await projectOf(MODELS);
    await apply(world, await planFor(world, project, { fill: FILL }));
    const others = (await filled()).filter((model) => model !== `s.${name}`);
    await drop(name);
    const found = await recoverState(world, naming('prod'));
    expect(found.lostTables.map(({ model }) => model)).toEqual([`s.${name}`]);
    expect(found).toMatchObject({ hasChangedState: true, lostViews: [] });
    expect(await ledger()).toEqual(others);
    expect(await filled()).toEqual(others);
    expect(await recoverState(world, naming('prod'))).toMatchObject({
      lostTables: [],
      hasChangedState: false,
    });
    const again = await planFor(world, project, { fill: { [`s.${name}`]: days(0, 3) } });
    expect((await apply(world, again)).run.status).toBe('succeeded');
    expect(await world.rows('SELECT count(*) FROM s.days')).toEqual(['3']);
    expect(await world.rows('SELECT count(*) FROM s.log')).toEqual(['3']);
    expect(await world.rows('SELECT n FROM s.shown')).toEqual(['3']);
  },
);

test('a recovery that died between ledger and state leaves no table that counts as filled and is not there', async () => {
  const project = await projectOf(MODELS);
  await apply(world, await planFor(world, project, { fill: FILL }));
  await drop('days');
  let isDead = false;
  const dying = withFaults(world, {
    before(port, method) {
      isDead ||= port === 'journal' && method === 'reconcile';
      if (isDead) throw new Error('killed');
    },
  });
  await expect(recoverState(dying)).rejects.toThrow('killed');
  expect(await ledger()).not.toContain('s.days');
  expect(await filled()).toContain('s.days');
  expect(await recoverState(world)).toMatchObject({ hasChangedState: true });
  expect(await filled()).not.toContain('s.days');
});

test('a table that somebody is writing at this moment is left to them', async () => {
  const project = await projectOf(MODELS);
  await apply(world, await planFor(world, project, { fill: FILL }));
  await drop('days');
  const [entry] = project.entries.filter(({ model }) => model === 's.days');
  const name = `table:s.days__${entry?.version}`;
  const lease = { name, holder: 'another', who: 'another run', now: Date.now() };
  expect((await world.state.journal.takeLease(lease)).kind).toBe('granted');
  expect((await recoverState(world)).lostTables).toEqual([]);
  expect(await ledger()).toContain('s.days');
  await world.state.journal.releaseLease(name, 'another');
  expect((await recoverState(world)).lostTables).toHaveLength(1);
});

test('dropped views are named, also of an environment that shares its tables', async () => {
  const project = await projectOf(MODELS);
  await apply(world, await planFor(world, project, { fill: FILL }));
  await apply(world, await planFor(world, project, { environment: 'dev' }));
  await world.engine.write([], (session) => session.execute('DROP VIEW s__dev.sum'));
  expect((await recoverState(world, naming('prod'))).lostViews).toEqual([]);
  expect((await recoverState(world, naming('dev'))).lostViews).toEqual(['s.sum']);
  expect((await recoverState(world, naming('none'))).lostViews).toEqual([]);
});
