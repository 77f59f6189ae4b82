/** Rows that were held back, released by the rules of each kind or discarded: which, how often, and what follows from it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tableKey } from '../../src/domain/relation.ts';
import {
  apply,
  days,
  planFor,
  type TestPlace,
  type TestWorld,
  testPlace,
} from '../support/execution-support.ts';
import { fillSource, heldProject, SOURCE, settled, whereRowsAre } from '../support/held-world.ts';

let place: TestPlace;
let world: TestWorld;
beforeEach(async () => {
  place = testPlace();
  world = await place.open();
  await world.engine.write([], (session) => session.execute(SOURCE));
});
afterEach(() => place.remove());

const KINDS = [
  'FULL',
  'INCREMENTAL_BY_TIME_RANGE (time_column d)',
  'INCREMENTAL_BY_UNIQUE_KEY (unique_key c)',
  'INCREMENTAL_BY_PARTITION; partitioned_by (c)',
  'INCREMENTAL_UNMANAGED',
  'INCREMENTAL_UNMANAGED (insert_overwrite true); partitioned_by (c)',
  'SCD_TYPE_2_BY_COLUMN (unique_key c, columns [i], invalidate_hard_deletes true)',
];
const ROWS = "('2026-01-01', 1, 'a'), ('2026-01-02', 0, 'b'), ('2026-01-02', -5, 'c')";
const FILL = { fill: { 's.m': days(0, 3) } };

describe.each(KINDS)('%s', (kind) => {
  test('rows stay while they fail, come when their audit lets them, and with a reason in any case', async () => {
    await fillSource(world, ROWS);
    const strict = await heldProject(kind);
    await apply(world, await planFor(world, strict, FILL));
    const first = await whereRowsAre(world, strict);
    expect(first).toMatchObject({ published: ['1,a'], held: ['-5,c,positive', '0,b,positive'], decided: [] });

    const none = await settled(world, 'release');
    expect(none.run).toMatchObject({
      status: 'succeeded',
      models: [{ rows: 0, balance: { input: 2, published: 0, quarantined: 2 } }],
    });
    expect(await whereRowsAre(world, strict)).toEqual(first);

    const lax = await heldProject(kind, { least: -1 });
    await apply(world, await planFor(world, lax));
    const one = await settled(world, 'release');
    expect(one.run.error).toBeUndefined();
    expect(one.events).toContainEqual(
      expect.objectContaining({
        event: 'quarantine.released',
        model: 's.m',
        rows: 1,
        accepted: 0,
        who: 'mara',
      }),
    );
    const second = await whereRowsAre(world, lax);
    expect(second).toMatchObject({
      published: ['0,b', '1,a'],
      held: ['-5,c,positive'],
      decided: ['release,1,0,null,mara'],
      filled: first.filled,
    });
    expect(second.dataVersion).not.toBe(first.dataVersion);

    await expect(settled(world, 'release', { isAccepted: true })).rejects.toMatchObject({
      code: 'quarantine.no-reason',
    });
    await settled(world, 'release', { isAccepted: true, reason: 'sales said so' });
    expect(await whereRowsAre(world, lax)).toMatchObject({
      published: ['-5,c', '0,b', '1,a'],
      held: [],
      decided: ['release,1,0,null,mara', 'release,1,1,sales said so,mara'],
    });
    expect(await world.state.journal.leases()).toEqual([]);
    expect(await world.state.journal.intents()).toEqual([]);
    const [known] = [...(await world.state.journal.dataVersions()).values()];
    expect(known).toBe((await whereRowsAre(world, lax)).dataVersion);
  });

  test('what is discarded is gone and counted; the table is not touched', async () => {
    await fillSource(world, ROWS);
    const project = await heldProject(kind);
    await apply(world, await planFor(world, project, FILL));
    const before = await whereRowsAre(world, project);
    const { events } = await settled(world, 'discard', { selection: { where: "c = 'b'" }, reason: 'twice' });
    expect(events).toContainEqual(
      expect.objectContaining({ event: 'quarantine.discarded', rows: 1, reason: 'twice', who: 'mara' }),
    );
    expect(await whereRowsAre(world, project)).toEqual({
      ...before,
      held: ['-5,c,positive'],
      decided: ['discard,1,0,twice,mara'],
    });
    const [logged] = await world.state.events.events({ types: ['quarantine.discarded'], limit: 5 });
    expect(logged).toMatchObject({ model: 's.m', data: { rows: 1, reason: 'twice', who: 'mara' } });
  });
});

describe('keys', () => {
  test.each([
    ['INCREMENTAL_BY_UNIQUE_KEY (unique_key c)', ['0,a', '2,b']],
    ['SCD_TYPE_2_BY_COLUMN (unique_key c, columns [i], invalidate_hard_deletes true)', ['0,a', '1,a', '2,b']],
  ])(
    '%s: a row that is released is newer than the published row of its key, and no other key is gone',
    async (kind, expected) => {
      const strict = await heldProject(kind);
      await fillSource(world, "('2026-01-01', 1, 'a'), ('2026-01-01', 2, 'b')");
      await apply(world, await planFor(world, strict, { fill: { 's.m': days(0, 1) } }));
      await world.engine.write([], (session) =>
        session.execute("DELETE FROM x.src WHERE c = 'a'; INSERT INTO x.src VALUES ('2026-01-02', 0, 'a')"),
      );
      await apply(world, await planFor(world, strict, { fill: { 's.m': days(1, 2) } }));
      expect(await whereRowsAre(world, strict)).toMatchObject({
        published: ['1,a', '2,b'],
        held: ['0,a,positive'],
      });
      const lax = await heldProject(kind, { least: -1 });
      await apply(world, await planFor(world, lax));
      expect((await settled(world, 'release')).run.error).toBeUndefined();
      expect(await whereRowsAre(world, lax)).toMatchObject({ published: expected, held: [] });
    },
  );

  test('two different held rows of one key are refused, and both stay', async () => {
    const kind = 'INCREMENTAL_BY_UNIQUE_KEY (unique_key c)';
    await fillSource(world, "('2026-01-01', 0, 'a'), ('2026-01-01', -1, 'a')");
    const project = await heldProject(kind);
    await apply(world, await planFor(world, project, FILL));
    const { run } = await settled(world, 'release', { isAccepted: true, reason: 'r' });
    expect(run.error).toMatchObject({ code: 'audit.duplicate-key' });
    expect(await whereRowsAre(world, project)).toMatchObject({
      published: [],
      held: ['-1,a,positive', '0,a,positive'],
      decided: [],
    });
  });
});

describe('what readers may see', () => {
  test('an audit that blocks keeps released rows out, all of them', async () => {
    await fillSource(world, `${ROWS}, ('2026-01-02', 0, 'a')`);
    const audits = ', unique_values(columns := (c))';
    const strict = await heldProject('FULL', { audits });
    await apply(world, await planFor(world, strict, FILL));
    const before = await whereRowsAre(world, strict);
    const { run } = await settled(world, 'release', { isAccepted: true, reason: 'r' });
    expect(run.error).toMatchObject({ code: 'audit.failed' });
    expect(await whereRowsAre(world, strict)).toEqual(before);
  });

  test('an audit that compares rows is asked of the table as it would be', async () => {
    const audit =
      'SELECT * FROM @this_model AS t WHERE t.i < 0 OR (SELECT COUNT(*) FROM @this_model AS o WHERE o.c = t.c) > 1';
    await fillSource(world, "('2026-01-01', 1, 'a'), ('2026-01-01', 1, 'b'), ('2026-01-01', 2, 'b')");
    const project = await heldProject('FULL', { audit });
    await apply(world, await planFor(world, project, FILL));
    await settled(world, 'release');
    expect((await whereRowsAre(world, project)).held).toEqual(['1,b,positive', '2,b,positive']);
    await settled(world, 'discard', { selection: { where: 'i = 2' } });
    await settled(world, 'release');
    expect(await whereRowsAre(world, project)).toMatchObject({ published: ['1,a', '1,b'], held: [] });
  });

  test('a row that could stop every later write is not accepted', async () => {
    await fillSource(world, ROWS);
    const query = "SELECT d, i, c FROM x.src;\nUPDATE @this_model SET c = 'z' WHERE i > 100";
    const project = await heldProject('FULL', { query });
    await apply(world, await planFor(world, project, FILL));
    const { run } = await settled(world, 'release', { isAccepted: true, reason: 'r' });
    expect(run.error).toMatchObject({ code: 'quarantine.cannot-accept' });
  });

  test('tables below are filled again for the interval that got rows, in all environments', async () => {
    const models = {
      's.same': [
        'INCREMENTAL_BY_TIME_RANGE (time_column d)',
        'SELECT d, i FROM s.m WHERE d BETWEEN @start_ds AND @end_ds',
      ],
      's.shown': ['VIEW', 'SELECT i FROM s.m'],
      's.total': ['FULL', 'SELECT COUNT(*) AS n FROM s.shown'],
      's.beside': ['FULL', 'SELECT COUNT(*) AS n FROM x.src'],
    } as const;
    const kind = 'INCREMENTAL_BY_TIME_RANGE (time_column d, batch_size 1)';
    const fill = { 's.m': days(0, 3), 's.same': days(0, 3), 's.total': days(0, 3), 's.beside': days(0, 3) };
    await fillSource(world, ROWS);
    const project = await heldProject(kind, { models });
    await apply(world, await planFor(world, project, { fill }));
    await settled(world, 'discard', { selection: { where: 'i = 0' } });
    expect(await world.state.journal.restatements()).toEqual([]);
    await settled(world, 'release', { isAccepted: true, reason: 'r' });
    const waiting = await world.state.journal.restatements();
    expect(waiting.map(({ table, ranges }) => [table.model, ranges])).toEqual([
      ['s.same', days(1, 2)],
      ['s.total', days(0, 3)],
    ]);
    const key = tableKey({
      model: 's.m',
      version: project.entries.find(({ model }) => model === 's.m')?.version ?? '',
    });
    expect((await world.state.journal.intervals()).get(key)).toEqual(days(0, 3));
  });
});

describe('what is asked for', () => {
  test.each([
    [{ where: 'i <' }, 'quarantine.bad-condition'],
    [{ where: 'i = 0) OR (TRUE' }, 'quarantine.bad-condition'],
    [{ where: 'nosuch = 0' }, 'quarantine.bad-condition'],
    [{ where: 'random() < 2' }, 'quarantine.bad-condition'],
    [{ where: 'i IN (SELECT i FROM x.src)' }, 'quarantine.bad-condition'],
    [{ where: 'i = 99' }, 'quarantine.nothing-held'],
    [{ runId: "no' such" }, 'quarantine.nothing-held'],
    [{ audit: 'nosuch' }, 'quarantine.nothing-held'],
  ])('%o is refused as %s', async (selection, code) => {
    await fillSource(world, ROWS);
    await apply(world, await planFor(world, await heldProject('FULL'), FILL));
    await expect(settled(world, 'discard', { selection })).rejects.toMatchObject({ code });
  });

  test('rows are chosen by run, audit and condition together', async () => {
    await fillSource(world, ROWS);
    const project = await heldProject('FULL');
    const { run } = await apply(world, await planFor(world, project, FILL));
    const selection = { runId: run.id, audit: 'positive', where: "c = 'c'" };
    await settled(world, 'discard', { selection });
    expect((await whereRowsAre(world, project)).held).toEqual(['0,b,positive']);
  });
});
