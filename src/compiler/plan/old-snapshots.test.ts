/** States of before: snapshots that do not say what they were made of, and count of external tables only what a star takes over. */
import { expect, test } from 'vitest';
import { modelFile } from '../../../tests/support/plan/compile-text.ts';
import { brief, PlanWorld } from '../../../tests/support/plan/plan-world.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { leftBehind } from './left-behind.ts';

const files = (type = 'INT', y = 1): Record<string, string> => ({
  'external_models.yaml': `- name: raw.t\n  columns: {a: INT, b: ${type}}\n`,
  'models/a.sql': modelFile('s.a', 'FULL', 'SELECT a FROM raw.t'),
  'models/b.sql': modelFile('s.b', 'FULL', 'SELECT b FROM raw.t'),
  'models/star.sql': modelFile('s.star', 'FULL', 'SELECT * FROM raw.t'),
  'models/below.sql': modelFile(
    's.below',
    'FULL',
    `SELECT x.a, ${y} AS y FROM s.a AS x JOIN s.star AS z ON x.a = z.a`,
  ),
});
const STARS = new Set(['s.star']);

/** The same world as an older program would have left it. */
function aged(world: PlanWorld): void {
  const fresh = [...world.snapshots.values()];
  const old = new Map<string, Snapshot>();
  const prints = new Map<string, string>();
  for (const snapshot of fresh) {
    const { inputs: _, ...rest } = snapshot;
    const parts = snapshot.parents.flatMap((name) => {
      const parent = old.get(name)!;
      if (parent.kind !== 'external') return [name, parent.dataHash, parent.parentsHash];
      return STARS.has(snapshot.model) ? [name, 'a', 'b'] : [];
    });
    const parentsHash = hash128(...parts);
    const fingerprint = hash128(rest.dataHash, parentsHash, rest.metadataHash);
    old.set(snapshot.model, { ...rest, parentsHash, fingerprint });
    prints.set(snapshot.fingerprint, fingerprint);
    world.contents.set(fingerprint, world.contents.get(snapshot.fingerprint)!);
  }
  world.snapshots.clear();
  for (const snapshot of old.values()) world.snapshots.set(snapshot.fingerprint, snapshot);
  world.environments = world.environments.map((environment) => ({
    ...environment,
    entries: environment.entries.map((entry) => ({ ...entry, fingerprint: prints.get(entry.fingerprint)! })),
  }));
}

async function oldWorld(): Promise<PlanWorld> {
  const world = new PlanWorld();
  await world.planAndApply(files());
  aged(world);
  return world;
}

test('nothing is taken for a change', async () => {
  const world = await oldWorld();
  const plan = await world.planAndApply(files());
  expect(plan.changes).toEqual([]);
  expect(plan.stages).toEqual([]);
});

test('a change gets its category like any other, and leaves alone what it does not reach', async () => {
  const world = await oldWorld();
  expect(brief((await world.planAndApply(files('INT', 2))).changes)).toEqual(['s.below direct/breaking']);
  expect((await world.planAndApply(files('INT', 2))).stages).toEqual([]);
  expect(brief((await world.planAndApply(files('BIGINT', 2))).changes)).toEqual([
    'raw.t direct/breaking',
    's.a indirect/indirect-non-breaking',
    's.b indirect/indirect-breaking',
    's.below indirect/indirect-non-breaking',
    's.star indirect/indirect-breaking',
  ]);
});

test('a selection leaves readers behind, too', async () => {
  const world = await oldWorld();
  const changed = { ...files(), 'models/a.sql': modelFile('s.a', 'FULL', 'SELECT a * 2 AS a FROM raw.t') };
  const { plan, diagnostics } = await world.plan(await world.compile(changed), {
    options: { selection: 's.a' },
  });
  expect(diagnostics.map(({ code }) => code)).toEqual(['plan.left-behind']);
  world.apply(plan);
  expect(leftBehind(plan.target.entries, world.snapshots)).toEqual(new Map([['s.below', ['s.a']]]));
  expect(brief((await world.planAndApply(changed)).changes)).toEqual(['s.below indirect/indirect-breaking']);
});
