import { describe, expect, test } from 'vitest';
import { modelFile } from '../../../tests/support/plan/compile-text.ts';
import { brief, NOW, PlanWorld, stageWords } from '../../../tests/support/plan/plan-world.ts';
import type { PlanOptions } from '../../domain/plan.ts';

const DAY = 86_400_000;
const day = (n: number): number => Date.UTC(2024, 0, n);
const incremental = 'INCREMENTAL_BY_TIME_RANGE (time_column d)';

/** raw.a (FULL) ─▶ stg.b (by day) ─▶ marts.v (view); raw.z stands alone. */
function files(changes: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    'models/a.sql': modelFile(
      'raw.a',
      'FULL',
      "SELECT DATE '2024-01-01' AS d, 1 AS x, 2 AS y",
      "start '2024-01-01'",
    ),
    'models/b.sql': modelFile(
      'stg.b',
      incremental,
      'SELECT d, x FROM raw.a WHERE d BETWEEN @start_date AND @end_date',
      "start '2024-01-01'",
    ),
    'models/v.sql': modelFile('marts.v', 'VIEW', 'SELECT d, x FROM stg.b'),
    'models/z.sql': modelFile('raw.z', 'FULL', 'SELECT 1 AS one'),
    ...changes,
  };
}

describe('a first plan', () => {
  test('adds everything, fills it up to now and promotes it', async () => {
    const world = new PlanWorld();
    const plan = await world.planAndApply(files());
    expect(brief(plan.changes)).toEqual([
      'marts.v added/null',
      'raw.a added/null',
      'raw.z added/null',
      'stg.b added/null',
    ]);
    expect(plan.missing.find(({ model }) => model === 'stg.b')?.ranges).toEqual([
      { start: day(1), end: day(11) },
    ]);
    expect(stageWords(plan)).toEqual([
      'create-schemas',
      expect.stringMatching(/^backfill raw/),
      expect.stringMatching(/^backfill/),
      expect.stringMatching(/^backfill/),
      'backfill marts.v',
      'promote',
    ]);
    expect(plan.target.entries.map(({ model }) => model).sort()).toEqual([
      'marts.v',
      'raw.a',
      'raw.z',
      'stg.b',
    ]);
    expect(plan.basePromotionId).toBeUndefined();
  });
  test('planning the same again does nothing', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files());
    const again = await world.planAndApply(files());
    expect([again.changes, again.stages, again.missing, again.snapshots]).toEqual([[], [], [], []]);
    const later = await world.plan(await world.compile(files()), { now: NOW + 3 * DAY });
    expect(later.plan.stages).toEqual([]);
  });
  test('with --run what cron made due meanwhile is filled as well', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files());
    const { plan } = await world.plan(await world.compile(files()), {
      now: NOW + DAY,
      options: { withRun: true },
    });
    expect(plan.changes).toEqual([]);
    expect(plan.missing.map(({ model }) => model).sort()).toEqual(['raw.a', 'raw.z', 'stg.b']);
  });
});

describe('dev and prod', () => {
  test('a new environment shares every table, and promoting what it built does no work', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files());
    const dev = await world.planAndApply(files(), { environment: 'dev' });
    expect([dev.changes, stageWords(dev)]).toEqual([[], ['create-schemas', 'promote']]);
    const changed = files({
      'models/a.sql': modelFile(
        'raw.a',
        'FULL',
        "SELECT DATE '2024-01-01' AS d, 7 AS x, 2 AS y",
        "start '2024-01-01'",
      ),
    });
    const work = await world.planAndApply(changed, { environment: 'dev' });
    expect(brief(work.changes)).toEqual([
      'marts.v indirect/indirect-breaking',
      'raw.a direct/breaking',
      'stg.b indirect/indirect-breaking',
    ]);
    const prod = await world.planAndApply(changed);
    expect(brief(prod.changes)).toEqual(brief(work.changes));
    expect(stageWords(prod)).toEqual(['create-schemas', 'promote']);
    expect(prod.changes[0]?.reason).toBe(`decided by plan ${work.id}`);
    expect(prod.snapshots).toEqual([]);
    expect(world.versionOf('stg.b')).toBe(world.versionOf('stg.b', 'dev'));
  });
});

test('an environment that has expired is made to live again by planning it', async () => {
  const world = new PlanWorld();
  await world.planAndApply(files());
  const dev = await world.planAndApply(files(), { environment: 'dev' });
  expect(dev.target.expiresAt).toBe(NOW + 7 * DAY);
  expect((await world.planAndApply(files(), { environment: 'dev', now: NOW + DAY })).stages).toEqual([]);
  const again = await world.planAndApply(files(), { environment: 'dev', now: NOW + 8 * DAY });
  expect(again.stages).toMatchObject([{ kind: 'promote', views: [], removed: [] }]);
  expect(again.target.expiresAt).toBe(NOW + 15 * DAY);
});

describe('categories', () => {
  const after = async (change: Readonly<Record<string, string>>, request = {}) => {
    const world = new PlanWorld();
    await world.planAndApply(files());
    const before = new Map(['raw.a', 'stg.b', 'marts.v'].map((name) => [name, world.versionOf(name)]));
    const plan = await world.planAndApply(files(change), request);
    const kept = [...before]
      .filter(([name, version]) => world.versionOf(name) === version)
      .map(([name]) => name);
    return { plan, kept };
  };
  const a = (query: string, properties = "start '2024-01-01'") => ({
    'models/a.sql': modelFile('raw.a', 'FULL', query, properties),
  });

  test('a column more is non-breaking and rebuilds nothing below', async () => {
    const { plan, kept } = await after(a("SELECT DATE '2024-01-01' AS d, 1 AS x, 2 AS y, 3 AS z"));
    expect(brief(plan.changes)).toEqual([
      'marts.v indirect/indirect-non-breaking',
      'raw.a direct/non-breaking',
      'stg.b indirect/indirect-non-breaking',
    ]);
    expect(kept).toEqual(['stg.b', 'marts.v']);
    expect(plan.missing.map(({ model }) => model)).toEqual(['raw.a']);
    const direct = plan.changes.find(({ change }) => change === 'direct');
    expect(direct?.columns).toEqual({ added: ['z'], removed: [], changed: [] });
    expect(direct?.sqlDiff).toContain('+');
    expect(plan.changes.find(({ name }) => name === 'marts.v')?.because).toEqual(['stg.b', 'raw.a']);
  });
  test('a changed column that nobody reads is breaking and rebuilds nothing below', async () => {
    const { plan, kept } = await after(a("SELECT DATE '2024-01-01' AS d, 1 AS x, 5 AS y"));
    expect(brief(plan.changes)).toEqual([
      'marts.v indirect/indirect-non-breaking',
      'raw.a direct/breaking',
      'stg.b indirect/indirect-non-breaking',
    ]);
    expect(kept).toEqual(['stg.b', 'marts.v']);
    expect(plan.changes.find(({ name }) => name === 'stg.b')?.reason).toContain(
      'reads nothing that changed in raw.a',
    );
  });
  test('other words for the same are metadata and keep every table', async () => {
    const { plan, kept } = await after(
      a("WITH t AS (SELECT 1 AS x) SELECT DATE '2024-01-01' AS d, 1 AS x, 2 AS y"),
    );
    expect(plan.changes.find(({ name }) => name === 'raw.a')?.category).toBe('metadata');
    expect(kept).toEqual(['raw.a', 'stg.b', 'marts.v']);
    expect(stageWords(plan)).toEqual(['create-schemas', 'promote']);
  });
  test('a new owner is metadata and touches one model', async () => {
    const { plan, kept } = await after(
      a("SELECT DATE '2024-01-01' AS d, 1 AS x, 2 AS y", "start '2024-01-01', owner mara"),
    );
    expect(brief(plan.changes)).toEqual(['raw.a metadata/metadata']);
    expect(kept).toEqual(['raw.a', 'stg.b', 'marts.v']);
  });
  test('another kind is breaking, whatever the plan wishes', async () => {
    const { plan } = await after(
      { 'models/b.sql': modelFile('stg.b', 'FULL', 'SELECT d, x FROM raw.a') },
      { options: { isForwardOnly: true } },
    );
    const change = plan.changes.find(({ name }) => name === 'stg.b');
    expect([change?.category, change?.reason]).toEqual(['breaking', expect.stringContaining('kind')]);
  });
  test('a user’s category wins, and the plan says so', async () => {
    const { plan, kept } = await after(a("SELECT DATE '2024-01-01' AS d, 9 AS x, 2 AS y"), {
      options: { categories: { 'raw.a': 'non-breaking' } },
    });
    const change = plan.changes.find(({ name }) => name === 'raw.a');
    expect([change?.category, change?.reason]).toEqual([
      'non-breaking',
      expect.stringMatching(/^chosen by the user/),
    ]);
    expect(kept).toEqual(['stg.b', 'marts.v']);
    const child = plan.changes.find(({ name }) => name === 'stg.b');
    expect(child?.reason).toBe('the user chose non-breaking for raw.a');
  });
  test('without auto_categorize every change is breaking', async () => {
    const { plan } = await after({
      ...a("SELECT DATE '2024-01-01' AS d, 1 AS x, 2 AS y, 3 AS z"),
      'config.yaml': 'plan: {auto_categorize: off}\n',
    });
    expect(plan.changes.find(({ name }) => name === 'raw.a')?.category).toBe('breaking');
  });
  test('with auto_categorize semi the user decides where nothing is proven, and only there', async () => {
    const semi = { 'config.yaml': 'plan: {auto_categorize: semi}\n' };
    const codes = async (query: string, categories: PlanOptions['categories'] = {}) => {
      const world = new PlanWorld();
      await world.planAndApply(files());
      const compiled = await world.compile(files({ ...a(query), ...semi }));
      const { plan, diagnostics } = await world.plan(compiled, { options: { categories } });
      const category = plan.changes.find(({ name }) => name === 'raw.a')?.category;
      return [category, ...diagnostics.map(({ code }) => code)];
    };
    const other = "SELECT DATE '2024-01-01' AS d, 7 AS x, 2 AS y";
    expect(await codes(other)).toEqual(['breaking', 'plan.category-needed']);
    expect(await codes(other, { 'raw.a': 'non-breaking' })).toEqual(['non-breaking']);
    expect(await codes("SELECT DATE '2024-01-01' AS d, 1 AS x, 2 AS y, 3 AS z")).toEqual(['non-breaking']);
  });
  test('a removed model goes, and its view with it', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files());
    const { 'models/z.sql': _, ...rest } = files();
    const plan = await world.planAndApply(rest);
    expect(brief(plan.changes)).toEqual(['raw.z removed/null']);
    const promote = plan.stages.find(({ kind }) => kind === 'promote');
    expect(promote).toMatchObject({ removed: ['raw.z'], views: [] });
  });
  test('a case that only a later interval would show is a change, and breaking', async () => {
    const of = (late: string) => ({
      'models/b.sql': modelFile(
        'stg.b',
        incremental,
        `SELECT d, @IF(@start_ds < '2024-01-05', x, ${late}) AS x FROM raw.a`,
        "start '2024-01-01'",
      ),
    });
    const world = new PlanWorld();
    await world.planAndApply(files(of('y')));
    const { plan } = await world.plan(await world.compile(files(of('y + 1'))));
    expect(plan.changes.find(({ name }) => name === 'stg.b')).toMatchObject({
      change: 'direct',
      category: 'breaking',
    });
    const same = await world.plan(await world.compile(files(of('Y /* as before */'))));
    expect(same.plan.changes).toEqual([]);
  });
});
