/** What readers see of rows that are held back: masks and row policies are applied by the engine, so no clear value leaves it. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listQuarantine } from '../../src/operations/change/list-quarantine.ts';
import { showQuarantine } from '../../src/operations/change/show-quarantine.ts';
import type { OpenedWorldReader } from '../../src/operations/open-world.ts';
import {
  apply,
  days,
  naming,
  planFor,
  type TestPlace,
  type TestWorld,
  testPlace,
} from '../support/execution-support.ts';
import { fillSource, heldProject, SOURCE } from '../support/held-world.ts';

let place: TestPlace;
let world: TestWorld;
let reader: OpenedWorldReader;
beforeEach(async () => {
  place = testPlace();
  world = await place.open();
  reader = { ...world, naming } as unknown as OpenedWorldReader;
  await world.engine.write([], (session) => session.execute(SOURCE));
  await fillSource(
    world,
    "('2026-01-01', 0, 'secret a'), ('2026-01-02', -1, 'secret b'), ('2026-01-02', 3, 'c')",
  );
  await apply(world, await planFor(world, await heldProject('FULL'), { fill: { 's.m': days(0, 3) } }));
});
afterEach(() => place.remove());

const asked = { environment: 'prod', model: 's.m', selection: {}, limit: 10 };

test('the owner sees rows with what they fail, newest first, and how many there are', async () => {
  const all = await showQuarantine(reader, asked);
  expect(all.columns.map(({ name }) => name)).toEqual(['d', 'i', 'c']);
  expect(all.rows.map(({ audits }) => audits)).toEqual([['positive'], ['positive']]);
  expect(all.rows.map(({ cells }) => cells.slice(1)).sort()).toEqual([
    [-1, 'secret b'],
    [0, 'secret a'],
  ]);
  expect(await showQuarantine(reader, { ...asked, limit: 1 })).toMatchObject({ total: 2, rows: [{}] });
  expect(await showQuarantine(reader, { ...asked, selection: { audit: 'nosuch' } })).toMatchObject({
    total: 0,
    rows: [],
  });
});

test('a reader sees masks in the place of values, and only rows of a policy', async () => {
  const limits = { masks: new Map([['c', "'***'"]]), condition: 'i = 0' };
  const shown = await showQuarantine(reader, { ...asked, limits });
  expect(shown).toMatchObject({ total: 1, rows: [{ cells: ['2026-01-01', 0, '***'] }] });
  expect(shown.columns.map(({ name }) => name)).toEqual(['d', 'i', 'c']);
  expect(JSON.stringify(shown)).not.toContain('secret');
  const groups = await listQuarantine(reader, { environment: 'prod', limitsOf: () => limits });
  expect(groups.map(({ rows }) => rows)).toEqual([1]);
});

test('the list has the rows of each run, interval and set of audits', async () => {
  const [group, ...others] = await listQuarantine(reader, { environment: 'prod' });
  expect(others).toEqual([]);
  expect(group).toMatchObject({ model: 's.m', rows: 2, audits: ['positive'], interval: days(0, 3)[0] });
  expect(await listQuarantine(reader, { environment: 'prod', model: 's.m' })).toHaveLength(1);
  await expect(listQuarantine(reader, { environment: 'nosuch' })).rejects.toMatchObject({
    code: 'environment.unknown',
  });
});
