/**
 * prod empties a column of `e` while dev writes `b`, which the rows of dev's view `x` over `e` do not come from: only its
 * audit looks there. Whoever is second must see what the first one did.
 *
 *   prod: e loses n ──▶ audit of dev's x: no row without n while b has one without m
 *   dev:  b gets a row without m (stands before its commit)
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gate, withFaults } from '../support/execution-faults.ts';
import {
  apply,
  days,
  type Models,
  planFor,
  projectOf,
  type TestPlace,
  type TestWorld,
  testPlace,
} from '../support/execution-support.ts';

const AUDITS: readonly (readonly [how: string, text: string])[] = [
  ['names it', 'SELECT 1 FROM s.b WHERE m IS NULL'],
  ['names a view over it', 'SELECT 1 FROM s.w WHERE m IS NULL'],
  ['could name it by a macro', 'SELECT 1 FROM @IF(1 = 1, s.b, s.w) AS t WHERE m IS NULL'],
];
const event = (column: string): Models => ({
  's.e': [
    'INCREMENTAL_BY_TIME_RANGE (time_column day)',
    `SELECT CAST(day AS DATE) AS day, ${column} FROM RANGE(@start_at::TIMESTAMP, @end_before::TIMESTAMP, INTERVAL 1 DAY) AS r(day)`,
    "start '2026-01-01'",
  ],
});
const DEV: Models = {
  's.b': ['FULL', 'SELECT m FROM raw.b'],
  's.w': ['VIEW', 'SELECT m FROM s.b'],
  's.x': ['VIEW', 'SELECT n FROM s.e', 'audits (calm)'],
};

let place: TestPlace;
let world: TestWorld;
beforeEach(async () => {
  place = testPlace();
  world = await place.open();
  await world.engine.write([], (session) =>
    session.execute('CREATE SCHEMA raw; CREATE TABLE raw.b AS SELECT 1 AS m'),
  );
});
afterEach(() => place.remove());

test.each(AUDITS)(
  'a promotion that empties a column waits for a write of a table that only an audit reads: it %s',
  async (_, text) => {
    const audit = `AUDIT (name calm);\nSELECT * FROM @this_model WHERE n IS NULL AND EXISTS (${text})\n`;
    const old = await projectOf(event('1 AS n'));
    const dev = await projectOf({ ...event('1 AS n'), ...DEV }, { 'audits/calm.sql': audit });
    const environment = 'dev';
    for (const plan of [
      await planFor(world, old, { fill: { 's.e': days(0, 2) } }),
      await planFor(world, dev, { environment, fill: { 's.e': days(0, 2), 's.b': days(0, 1) } }),
    ])
      expect((await apply(world, plan)).run.error).toBeUndefined();

    await world.engine.write([], (session) => session.execute('UPDATE raw.b SET m = NULL'));
    const door = gate();
    const held = withFaults(world, {
      async before(__, method) {
        if (method === 'recordLedger') await door.pass();
      },
    });
    const restated = { environment, isPromoted: false, restate: { 's.b': days(0, 1) } };
    const sibling = apply(held, await planFor(world, dev, restated));
    await door.reached;

    const narrow = await projectOf(event('1::TINYINT AS n'));
    const version = old.entries[0]?.version ?? '';
    const { fingerprint = '' } = narrow.entries[0] ?? {};
    const inherited = {
      snapshots: narrow.snapshots.map(({ snapshot, content }) => ({
        content,
        snapshot: { ...snapshot, version },
      })),
      entries: narrow.entries.map((entry) => ({ ...entry, version })),
    };
    const migration = { table: { model: 's.e', version }, fingerprint, allowDestructive: true };
    const plan = await planFor(world, inherited, { more: { migrations: [migration] } });
    const { run, events } = await apply(world, plan, {
      watch({ event: name }) {
        if (name === 'model.waiting') door.open();
      },
    });
    door.open();
    expect((await sibling).run.error).toBeUndefined();
    expect(events).toContainEqual(expect.objectContaining({ event: 'model.waiting', model: 's.b' }));
    expect(run.error?.code).toBe('audit.failed');
    expect(await world.rows('SELECT DISTINCT n FROM s__dev.x')).toEqual(['1']);
  },
);
