import { describe, expect, test } from 'vitest';
import { modelFile } from '../../../tests/support/plan/compile-text.ts';
import { brief, type PlanRequest, PlanWorld, stageWords } from '../../../tests/support/plan/plan-world.ts';
import type { Plan, Stage } from '../../domain/plan.ts';

const day = (n: number): number => Date.UTC(2024, 0, n);
const incremental = 'INCREMENTAL_BY_TIME_RANGE (time_column d)';
const START = "start '2024-01-01'";

/** raw.a (by day) ─▶ stg.b (by day) ─▶ marts.v (view) ─▶ marts.f (FULL) */
function files(
  a = "SELECT DATE '2024-01-01' AS d, 1 AS x",
  options = '',
  properties = '',
): Record<string, string> {
  const kind = `INCREMENTAL_BY_TIME_RANGE (time_column d${options})`;
  return {
    'models/a.sql': modelFile('raw.a', kind, a, `${START}${properties}`),
    'models/b.sql': modelFile('stg.b', incremental, 'SELECT d, x FROM raw.a', START),
    'models/v.sql': modelFile('marts.v', 'VIEW', 'SELECT d, x FROM stg.b'),
    'models/f.sql': modelFile('marts.f', 'FULL', 'SELECT d, x FROM marts.v', START),
  };
}

const CHANGED = "SELECT DATE '2024-01-01' AS d, 2 AS x";
const WIDER = "SELECT DATE '2024-01-01' AS d, 2 AS x, 3 AS y";
const forward = { options: { isForwardOnly: true } };

async function built(...given: Parameters<typeof files>): Promise<PlanWorld> {
  const world = new PlanWorld();
  await world.planAndApply(files(...given));
  return world;
}

const errorsOf = async (world: PlanWorld, project: Record<string, string>, request = {}) =>
  (await world.plan(await world.compile(project), request)).diagnostics.map(
    ({ code, severity }) => `${severity} ${code}`,
  );

describe('forward-only', () => {
  test('in prod every table is kept, and nothing is filled again', async () => {
    const world = await built();
    const before = ['raw.a', 'stg.b', 'marts.f'].map((name) => world.versionOf(name));
    const plan = await world.planAndApply(files(CHANGED), forward);
    expect(brief(plan.changes)).toEqual([
      'marts.f indirect/indirect-non-breaking',
      'marts.v indirect/indirect-non-breaking',
      'raw.a direct/forward-only',
      'stg.b indirect/indirect-non-breaking',
    ]);
    expect(['raw.a', 'stg.b', 'marts.f'].map((name) => world.versionOf(name))).toEqual(before);
    expect(plan.missing).toEqual([]);
  });
  test('a change that is not forward-only reaches what reads it, below a forward-only one as anywhere', async () => {
    const project = (a: string, x: string): Record<string, string> => ({
      ...files(a, ', forward_only true'),
      'models/v.sql': modelFile('marts.v', 'VIEW', `SELECT d, ${x} AS x FROM stg.b`),
      'models/g.sql': modelFile('marts.g', 'FULL', 'SELECT d, x FROM marts.f', START),
    });
    const world = new PlanWorld();
    await world.planAndApply(project("SELECT DATE '2024-01-01' AS d, 1 AS x", 'x'));
    const [kept, rebuilt] = [world.versionOf('stg.b'), world.versionOf('marts.f')];
    const plan = await world.planAndApply(project(CHANGED, 'x + 1'));
    expect(brief(plan.changes)).toEqual([
      'marts.f indirect/indirect-breaking',
      'marts.g indirect/indirect-breaking',
      'marts.v direct/breaking',
      'raw.a direct/forward-only',
      'stg.b indirect/indirect-non-breaking',
    ]);
    expect(world.versionOf('stg.b')).toBe(kept);
    expect(world.versionOf('marts.f')).not.toBe(rebuilt);
  });
  test('elsewhere it and everything below it is built in tables of its own', async () => {
    const world = await built();
    const prodView = world.versionOf('marts.v');
    const plan = await world.planAndApply(files(CHANGED), { environment: 'dev', ...forward });
    for (const name of ['raw.a', 'stg.b', 'marts.f'])
      expect(world.versionOf(name, 'dev')).toMatch(/^[a-z2-7]{26}__dev$/);
    expect(world.versionOf('marts.v', 'dev')).not.toBe(prodView);
    expect(plan.missing.map(({ model }) => model).sort()).toEqual(['marts.f', 'raw.a', 'stg.b']);
    const again = await world.planAndApply(files(CHANGED), { environment: 'dev' });
    expect(again.stages).toEqual([]);
  });
  test('elsewhere the last interval is made of it and what reads it; --start and --end say more', async () => {
    const filled = async (
      options: NonNullable<PlanRequest['options']>,
      ...given: readonly NonNullable<PlanRequest['options']>[]
    ): Promise<Record<string, unknown>> => {
      const world = await built();
      const first = { environment: 'dev', options: { isForwardOnly: true, ...options } };
      let plan = await world.planAndApply(files(CHANGED), first);
      for (const more of given)
        plan = await world.planAndApply(files(CHANGED), { environment: 'dev', options: more });
      return Object.fromEntries(plan.missing.map(({ model, ranges }) => [model, ranges]));
    };
    const range = (from: number, to: number) => [{ start: day(from), end: day(to) }];
    const both = (from: number, to: number) => ({ 'raw.a': range(from, to), 'stg.b': range(from, to) });
    expect(await filled({})).toMatchObject(both(10, 11));
    expect(await filled({ end: '2024-01-07' })).toMatchObject(both(7, 8));
    expect(await filled({ start: '2024-01-05' })).toMatchObject(both(5, 11));
    expect(await filled({ effectiveFrom: '2024-01-08' })).toMatchObject(both(8, 11));
    expect(await filled({ effectiveFrom: '2024-01-08', start: '2024-01-03' })).toMatchObject(both(3, 11));
    // What dev has can be extended later, too.
    expect(await filled({}, { start: '2024-01-08' })).toMatchObject(both(8, 10));
    expect(await filled({}, {})).toEqual({});
  });
  test('what dev tried goes to prod into the kept table', async () => {
    const world = await built();
    const version = world.versionOf('raw.a');
    const dev = await world.planAndApply(files(CHANGED), { environment: 'dev', ...forward });
    const prod = await world.planAndApply(files(CHANGED));
    expect(prod.changes.find(({ name }) => name === 'raw.a')).toMatchObject({
      category: 'forward-only',
      reason: `decided by plan ${dev.id}`,
    });
    expect(world.versionOf('raw.a')).toBe(version);
    expect(prod.missing).toEqual([]);
  });
  test('metadata over a forward-only change shares its table outside prod, also in another environment', async () => {
    const world = await built();
    await world.planAndApply(files(CHANGED), { environment: 'dev', ...forward });
    const table = world.versionOf('raw.a', 'dev');
    await world.planAndApply(files(CHANGED, '', ', owner mara'), { environment: 'dev' });
    expect(world.versionOf('raw.a', 'dev')).toBe(table);
    await world.planAndApply(files(CHANGED, '', ', owner mara'), { environment: 'other' });
    expect(world.versionOf('raw.a', 'other')).toBe(table);
  });
  test('a model may ask for it itself', async () => {
    const world = await built(undefined, ', forward_only true');
    const plan = await world.planAndApply(files(CHANGED, ', forward_only true'));
    expect(plan.changes.find(({ name }) => name === 'raw.a')).toMatchObject({
      category: 'forward-only',
      reason: 'the model is forward-only',
    });
  });
  test('a forward-only model below a breaking change keeps its table, and has its own outside prod', async () => {
    const world = new PlanWorld();
    const with_b = (a: string) => ({
      ...files(a),
      'models/b.sql': modelFile(
        'stg.b',
        'INCREMENTAL_BY_TIME_RANGE (time_column d, forward_only true)',
        'SELECT d, x FROM raw.a',
        START,
      ),
    });
    await world.planAndApply(with_b("SELECT DATE '2024-01-01' AS d, 1 AS x"));
    const dev = await world.planAndApply(with_b(CHANGED), { environment: 'dev' });
    expect(dev.changes.find(({ name }) => name === 'stg.b')).toMatchObject({
      change: 'indirect',
      category: 'forward-only',
    });
    expect(world.versionOf('stg.b', 'dev')).toMatch(/__dev$/);
    expect(world.versionOf('raw.a', 'dev')).not.toMatch(/__dev$/);
  });
  test('a text that returns after a forward-only change is not taken for the old table’s content', async () => {
    const world = await built();
    const first = world.versionOf('raw.a');
    await world.planAndApply(files(CHANGED), forward);
    const plan = await world.planAndApply(files(undefined, '', ', owner mara'));
    expect(plan.changes.find(({ name }) => name === 'raw.a')?.category).toBe('breaking');
    expect(world.versionOf('raw.a')).not.toBe(first);
    expect(plan.missing.map(({ model }) => model)).toContain('raw.a');
    // What lies below had tables that have gone on meanwhile.
    expect(plan.restatements).toEqual([]);
    expect(plan.missing.map(({ model }) => model).sort()).toEqual(['marts.f', 'raw.a', 'stg.b']);
  });
});

describe('taking back a forward-only change', () => {
  const NAMES = ['raw.a', 'stg.b', 'marts.f'];
  const tables = (world: PlanWorld, environment = 'prod') =>
    NAMES.map((name) => world.versionOf(name, environment));
  const models = ({ missing }: Pick<Plan, 'missing'>) => missing.map(({ model }) => model).sort();

  test('is a change like any other: other rows are in other tables', async () => {
    const world = await built();
    const first = tables(world);
    await world.planAndApply(files(CHANGED), forward);
    const plan = await world.planAndApply(files());
    expect(brief(plan.changes)).toEqual([
      'marts.f indirect/indirect-breaking',
      'marts.v indirect/indirect-breaking',
      'raw.a direct/breaking',
      'stg.b indirect/indirect-breaking',
    ]);
    expect(models(plan)).toEqual([...NAMES].sort());
    for (const [at, table] of tables(world).entries()) expect(table).not.toBe(first[at]);
    // It stands: nothing more is to be done, here or elsewhere.
    expect((await world.planAndApply(files())).stages).toEqual([]);
    const dev = await world.planAndApply(files(), { environment: 'dev' });
    expect(dev.missing).toEqual([]);
    expect(tables(world, 'dev')).toEqual(tables(world));
  });
  test('what dev rebuilt is promoted without work', async () => {
    const world = await built();
    await world.planAndApply(files(CHANGED), forward);
    const dev = await world.planAndApply(files(), { environment: 'dev' });
    expect(models(dev)).toEqual([...NAMES].sort());
    const prod = await world.planAndApply(files());
    expect(prod.missing).toEqual([]);
    expect(tables(world)).toEqual(tables(world, 'dev'));
  });
  test('any number of times, each in tables that nothing else has written', async () => {
    const world = await built();
    const seen = new Set(tables(world));
    for (const text of [CHANGED, WIDER, CHANGED, WIDER]) {
      const other = text.replace('2 AS x', `${seen.size} AS x`);
      await world.planAndApply(files(other), forward);
      const plan = await world.planAndApply(files());
      expect(models(plan)).toEqual([...NAMES].sort());
      for (const table of tables(world)) {
        expect(seen.has(table)).toBe(false);
        seen.add(table);
      }
    }
  });
  test('forward-only again it keeps the table, and the plan says that rows stay', async () => {
    const world = await built();
    const first = tables(world);
    await world.planAndApply(files(CHANGED), forward);
    const { plan, diagnostics } = await world.plan(await world.compile(files()), forward);
    expect(diagnostics.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      'warning plan.rows-stay',
    ]);
    world.apply(plan);
    expect(tables(world)).toEqual(first);
    expect((await world.planAndApply(files())).stages).toEqual([]);
  });
  test('a category may be chosen for it, as for any other', async () => {
    const world = await built();
    const first = world.versionOf('raw.a');
    await world.planAndApply(files(CHANGED), forward);
    for (const category of ['breaking', 'non-breaking', 'forward-only'] as const) {
      const { plan, diagnostics } = await world.plan(await world.compile(files()), {
        options: { categories: { 'raw.a': category } },
      });
      expect(plan.changes.find(({ name }) => name === 'raw.a')).toMatchObject({ category });
      expect(diagnostics.map(({ code }) => code)).toEqual(
        category === 'forward-only' ? ['plan.rows-stay'] : [],
      );
      const { version } = plan.target.entries.find(({ model }) => model === 'raw.a')!;
      expect(version === first).toBe(category === 'forward-only');
    }
  });
  test('of dev alone, dev shows again what prod has', async () => {
    const world = await built();
    await world.planAndApply(files(CHANGED), { environment: 'dev', ...forward });
    const plan = await world.planAndApply(files(), { environment: 'dev' });
    expect(plan.missing).toEqual([]);
    expect(tables(world, 'dev')).toEqual(tables(world));
  });
  test('by prod rebuilds what dev has shared meanwhile, and only that', async () => {
    const world = await built();
    const first = tables(world);
    await world.planAndApply(files(), { environment: 'dev' });
    expect(tables(world, 'dev')).toEqual(first);
    await world.planAndApply(files(CHANGED), forward);
    const { plan } = await world.plan(await world.compile(files()), { environment: 'dev' });
    expect(brief(plan.changes)).toEqual([
      'marts.f indirect/indirect-breaking',
      'marts.v indirect/indirect-breaking',
      'raw.a direct/breaking',
      'stg.b indirect/indirect-breaking',
    ]);
    expect(models(plan)).toEqual([...NAMES].sort());
    await world.planAndApply(files());
    const dev = await world.planAndApply(files(), { environment: 'dev' });
    expect(dev.missing).toEqual([]);
    expect(tables(world, 'dev')).toEqual(tables(world));
    expect((await world.planAndApply(files(), { environment: 'dev' })).stages).toEqual([]);
  });
  test('that only dev has tried rebuilds nothing elsewhere, also when prod has left the table', async () => {
    const world = await built();
    await world.planAndApply(files(), { environment: 'other' });
    await world.planAndApply(files(CHANGED), { environment: 'dev', ...forward });
    expect((await world.planAndApply(files(), { environment: 'other' })).stages).toEqual([]);
    await world.planAndApply(files(WIDER));
    expect((await world.planAndApply(files(), { environment: 'other' })).stages).toEqual([]);
  });
  test('no hint offers a category that an earlier plan has decided', async () => {
    const world = await built(WIDER);
    const options = { isForwardOnly: true, allowDestructiveModels: ['raw.a'] };
    await world.planAndApply(files(CHANGED), { environment: 'dev', options });
    const { diagnostics } = await world.plan(await world.compile(files(CHANGED)), {});
    expect(diagnostics).toEqual([
      expect.objectContaining({
        code: 'plan.destructive-change',
        hint: expect.not.stringContaining('category'),
      }),
    ]);
  });
});

describe('columns of a kept table', () => {
  const migrate = (stages: readonly Stage[]) => stages.filter(({ kind }) => kind === 'migrate');
  test('a new column is a migration in prod, and none elsewhere', async () => {
    const world = await built();
    const version = world.versionOf('raw.a');
    const dev = await world.planAndApply(files(WIDER), { environment: 'dev', ...forward });
    expect(migrate(dev.stages)).toEqual([]);
    const prod = await world.planAndApply(files(WIDER));
    expect(migrate(prod.stages)).toMatchObject([
      { table: { model: 'raw.a', version }, allowDestructive: false },
    ]);
    expect(stageWords(prod)).toEqual(['create-schemas', 'migrate', 'promote']);
    expect(
      world.environments.find(({ name }) => name === 'prod')?.entries.find(({ model }) => model === 'raw.a')
        ?.columns,
    ).toEqual(['d', 'x', 'y']);
  });
  test('a dropped column is refused where it is first planned', async () => {
    const world = await built(WIDER);
    const narrower = files(CHANGED);
    expect(await errorsOf(world, narrower, { environment: 'dev', ...forward })).toEqual([
      'error plan.destructive-change',
    ]);
    expect(await errorsOf(world, narrower, forward)).toEqual(['error plan.destructive-change']);
  });
  test('unless the user allows it', async () => {
    const world = await built(WIDER);
    const options = { isForwardOnly: true, allowDestructiveModels: ['raw.a'] };
    const plan = await world.planAndApply(files(CHANGED), { options });
    expect(migrate(plan.stages)).toMatchObject([{ allowDestructive: true }]);
  });
  test.each([
    ['warn', ['warning plan.destructive-change']],
    ['allow', []],
    ['ignore', []],
  ])('or the model does: %s', async (policy, expected) => {
    const world = await built(WIDER, `, on_destructive_change ${policy}`);
    expect(await errorsOf(world, files(CHANGED, `, on_destructive_change ${policy}`), forward)).toEqual(
      expected,
    );
  });
  test('a type that holds fewer values is a loss, one that holds more is not', async () => {
    const of = (type: string) => files(`SELECT DATE '2024-01-01' AS d, 1::${type} AS x`);
    const world = new PlanWorld();
    await world.planAndApply(of('INTEGER'));
    expect(await errorsOf(world, of('SMALLINT'), forward)).toContain('error plan.destructive-change');
    expect(await errorsOf(world, of('BIGINT'), forward)).toEqual([]);
  });
  test('a column more can be refused or left out by the model', async () => {
    const error = await built(undefined, ', on_additive_change error');
    expect(await errorsOf(error, files(WIDER, ', on_additive_change error'), forward)).toEqual([
      'error plan.additive-change',
    ]);
    const ignore = await built(undefined, ', on_additive_change ignore');
    const plan = await ignore.planAndApply(files(WIDER, ', on_additive_change ignore'), forward);
    expect(plan.target.entries.find(({ model }) => model === 'raw.a')?.columns).toEqual(['d', 'x']);
  });
});

describe('--effective-from', () => {
  test('fills the kept table again from there when the change reaches prod, and starts there elsewhere', async () => {
    const world = await built();
    const options = { isForwardOnly: true, effectiveFrom: '2024-01-08' };
    const dev = await world.planAndApply(files(CHANGED), { environment: 'dev', options });
    expect(dev.missing.find(({ model }) => model === 'raw.a')?.ranges).toEqual([
      { start: day(8), end: day(11) },
    ]);
    const prod = await world.planAndApply(files(CHANGED));
    expect(prod.restatements.map(({ table, ranges }) => [table.model, ranges])).toContainEqual([
      'raw.a',
      [{ start: day(8), end: day(11) }],
    ]);
    expect(prod.missing.find(({ model }) => model === 'raw.a')?.ranges).toEqual([
      { start: day(8), end: day(11) },
    ]);
  });
  test('counts in the plan that gives it, also for a change that another environment has planned without it', async () => {
    const world = await built();
    await world.planAndApply(files(CHANGED), { environment: 'dev', ...forward });
    const options = { isForwardOnly: true, effectiveFrom: '2024-01-08' };
    const prod = await world.planAndApply(files(CHANGED), { options });
    expect(prod.restatements.map(({ table, ranges }) => [table.model, ranges])).toContainEqual([
      'raw.a',
      [{ start: day(8), end: day(11) }],
    ]);
  });
  test('has no meaning without --forward-only', async () => {
    const world = await built();
    expect(await errorsOf(world, files(CHANGED), { options: { effectiveFrom: '2024-01-08' } })).toEqual([
      'error plan.effective-from',
    ]);
  });
});
