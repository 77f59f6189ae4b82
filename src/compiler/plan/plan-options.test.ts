import { describe, expect, test } from 'vitest';
import { modelFile } from '../../../tests/support/plan/compile-text.ts';
import {
  brief,
  NOW,
  type PlanRequest,
  PlanWorld,
  stageWords,
} from '../../../tests/support/plan/plan-world.ts';
import type { Restatement } from '../../domain/state-store.ts';

const DAY = 86_400_000;
const day = (n: number): number => Date.UTC(2024, 0, n);
const range = (from: number, to: number) => [{ start: day(from), end: day(to) }];
const START = "start '2024-01-01'";
const byDay = (options = '') => `INCREMENTAL_BY_TIME_RANGE (time_column d${options})`;

/** raw.a (by day) ─▶ stg.b (by day) ─▶ marts.v (view) ─▶ marts.f (FULL); raw.s is a seed. */
function files(x = 1, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    'models/a.sql': modelFile('raw.a', byDay(), `SELECT DATE '2024-01-01' AS d, ${x} AS x`, START),
    'models/b.sql': modelFile('stg.b', byDay(), 'SELECT d, x FROM raw.a', `${START}, tags (silver)`),
    'models/v.sql': modelFile('marts.v', 'VIEW', 'SELECT d, x FROM stg.b'),
    'models/f.sql': modelFile('marts.f', 'FULL', 'SELECT d, x FROM marts.v', START),
    'models/s.sql': "MODEL (name raw.s, kind SEED (path '../seeds/s.csv'));",
    'seeds/s.csv': 'k,v\n1,a\n',
    ...more,
  };
}

async function built(project = files()): Promise<PlanWorld> {
  const world = new PlanWorld();
  await world.planAndApply(project);
  return world;
}

async function outcome(world: PlanWorld, project: Record<string, string>, request: PlanRequest = {}) {
  const { plan, diagnostics } = await world.plan(await world.compile(project), request);
  return { plan, codes: diagnostics.map(({ code, severity }) => `${severity} ${code}`), diagnostics };
}

const missing = (plan: {
  readonly missing: readonly { readonly model: string; readonly ranges: unknown }[];
}) => Object.fromEntries(plan.missing.map(({ model, ranges }) => [model, ranges]));

describe('--restate-model', () => {
  const restate = (...restateModels: string[]) => ({ restateModels });
  test('fills the model and every table below it again, views not', async () => {
    const world = await built();
    const plan = await world.planAndApply(files(), { options: restate('raw.a') });
    expect(plan.changes).toEqual([]);
    expect(missing(plan)).toEqual({ 'raw.a': range(1, 11), 'stg.b': range(1, 11), 'marts.f': range(1, 11) });
    expect(plan.restatements.map(({ table }) => table.model).sort()).toEqual(['marts.f', 'raw.a', 'stg.b']);
    expect(stageWords(plan)).toEqual(['backfill raw.a', 'backfill stg.b', 'backfill marts.f']);
  });
  test('a range is expanded to whole units of each model; what is made whole is made whole', async () => {
    const world = await built();
    const { plan } = await outcome(world, files(), {
      options: { ...restate('raw.a'), start: '2024-01-03 12:00:00', end: '2024-01-05' },
    });
    expect(missing(plan)).toEqual({ 'raw.a': range(3, 6), 'stg.b': range(3, 6), 'marts.f': range(1, 11) });
  });
  test('patterns and tags name models, and every wrong name is told', async () => {
    const world = await built();
    const { plan, diagnostics } = await outcome(world, files(), { options: restate('tag:silver') });
    expect(Object.keys(missing(plan)).sort()).toEqual(['marts.f', 'stg.b']);
    expect(diagnostics).toEqual([]);
    const wrong = await outcome(world, files(), { options: restate('raw.aa', 'nowhere') });
    expect(wrong.codes).toEqual(['error plan.unknown-model', 'error plan.unknown-model']);
    expect(wrong.diagnostics[0]).toMatchObject({
      hint: 'did you mean raw.a?',
      message: expect.stringContaining('--restate-model'),
    });
    expect(wrong.plan.stages).toEqual([]);
  });
  test('a view has nothing to restate, what is below it has', async () => {
    const world = await built();
    const { plan, codes } = await outcome(world, files(), { options: restate('marts.v') });
    expect(codes).toEqual(['warning plan.cannot-restate']);
    expect(Object.keys(missing(plan))).toEqual(['marts.f']);
  });
  test('a model that forbids it is left out, but not what reads it', async () => {
    const project = files(1, {
      'models/b.sql': modelFile(
        'stg.b',
        byDay(', disable_restatement true'),
        'SELECT d, x FROM raw.a',
        START,
      ),
    });
    const world = await built(project);
    const { plan, codes } = await outcome(world, project, { options: restate('raw.a') });
    expect(codes).toEqual(['warning plan.cannot-restate']);
    expect(Object.keys(missing(plan)).sort()).toEqual(['marts.f', 'raw.a']);
  });
  test('a history is rebuilt as a whole, and the plan says so', async () => {
    const project = files(1, {
      'models/h.sql': modelFile(
        'marts.h',
        'SCD_TYPE_2_BY_COLUMN (unique_key x, columns *, disable_restatement false)',
        'SELECT x FROM raw.a',
        START,
      ),
    });
    const world = await built(project);
    const { plan, codes } = await outcome(world, project, {
      options: { ...restate('raw.a'), start: '2024-01-05', end: '2024-01-05' },
    });
    expect(codes).toEqual(['warning plan.restates-whole']);
    expect(missing(plan)['marts.h']).toEqual(range(1, 11));
  });
  test('what an earlier plan asked for and did not finish is still asked for', async () => {
    const world = await built();
    const table = { model: 'raw.a', version: world.versionOf('raw.a')! };
    const pending: Restatement = { table, ranges: range(4, 6), sinceToken: 1, planId: 'plan9' };
    world.pending = [pending];
    world.intervals.set(`raw.a__${table.version}`, [...range(1, 4), ...range(6, 11)]);
    const { plan } = await outcome(world, files());
    expect(missing(plan)).toEqual({ 'raw.a': range(4, 6) });
  });
});

describe('--select', () => {
  const select = (selection: string) => ({ selection });
  const both = files(2, { 'seeds/s.csv': 'k,v\n1,b\n' });
  test('what is not selected stays as the environment has it', async () => {
    const world = await built();
    const { plan } = await outcome(world, both, { options: select('raw.s') });
    expect(brief(plan.changes)).toEqual(['raw.s direct/breaking']);
    expect(plan.target.entries.length).toBe(5);
    expect(plan.target.entries.find(({ model }) => model === 'raw.a')?.version).toBe(
      world.versionOf('raw.a'),
    );
  });
  test('a selected model over one that was left as it is gets its category from that', async () => {
    const world = await built();
    const changed = {
      ...both,
      'models/b.sql': modelFile('stg.b', byDay(), 'SELECT d, x, 5 AS five FROM raw.a', START),
    };
    const plan = await world.planAndApply(changed, { options: select('stg.b') });
    expect(brief(plan.changes)).toEqual(['stg.b direct/non-breaking']);
    const rest = await world.planAndApply(changed);
    expect(brief(rest.changes)).toEqual([
      'marts.f indirect/indirect-breaking',
      'marts.v indirect/indirect-breaking',
      'raw.a direct/breaking',
      'raw.s direct/breaking',
      'stg.b indirect/indirect-breaking',
    ]);
  });
  test('a new environment has what prod has for the rest', async () => {
    const world = await built();
    const plan = await world.planAndApply(both, { environment: 'dev', options: select('raw.s') });
    expect(plan.target.entries.length).toBe(5);
    expect(world.versionOf('raw.a', 'dev')).toBe(world.versionOf('raw.a'));
  });
  test('a parent that is neither selected nor there is an error', async () => {
    const { codes } = await outcome(new PlanWorld(), files(), { options: select('stg.b') });
    expect(codes).toEqual(['error plan.unselected-parent']);
    const withParents = await outcome(new PlanWorld(), files(), { options: select('+stg.b') });
    expect(withParents.codes).toEqual([]);
    expect(withParents.plan.target.entries.map(({ model }) => model)).toEqual(['raw.a', 'stg.b']);
  });
  test('a reader that is kept cannot lose what it reads', async () => {
    const world = await built();
    const { 'models/b.sql': _, 'models/v.sql': __, 'models/f.sql': ___, ...rest } = files();
    const { codes } = await outcome(world, rest, { options: select('stg.b') });
    expect(codes).toEqual(['error plan.kept-reader']);
  });
  test('git: takes what changed since a ref', async () => {
    const world = await built();
    const { plan } = await outcome(world, both, {
      options: select('git:main'),
      changedFiles: () => ['models/s.sql'],
    });
    expect(brief(plan.changes)).toEqual(['raw.s direct/breaking']);
  });
});

describe('times', () => {
  test('outside prod a range bounds what is filled; prod has everything, or restates', async () => {
    const world = await built();
    const { plan } = await outcome(world, files(2), {
      environment: 'dev',
      options: { start: '2024-01-05', end: '2024-01-06' },
    });
    expect(missing(plan)).toMatchObject({ 'raw.a': range(5, 7), 'stg.b': range(5, 7) });
    const prod = await outcome(world, files(2), { options: { start: '2024-01-05', end: '2024-01-06' } });
    expect(prod.codes).toEqual(['error plan.prod-range', 'error plan.prod-range']);
  });
  test('prod fills what dev left out', async () => {
    const world = await built();
    await world.planAndApply(files(2), { environment: 'dev', options: { start: '2024-01-05' } });
    const again = await outcome(world, files(2), { environment: 'dev' });
    expect(again.plan.missing).toEqual([]);
    const { plan } = await outcome(world, files(2));
    expect(missing(plan)).toMatchObject({ 'raw.a': range(1, 5), 'stg.b': range(1, 5) });
  });
  test.each([
    [{ start: 'soon' }, 'error plan.bad-time'],
    [{ start: '2024-01-05', end: '2024-01-04' }, 'error plan.bad-range'],
  ])('%o is refused', async (options, code) => {
    const { codes } = await outcome(new PlanWorld(), files(), { environment: 'dev', options });
    expect(codes).toEqual([code]);
  });
  test('a new table does not run ahead of a standing one that it reads', async () => {
    const world = await built();
    const wider = files(1, {
      'models/b.sql': modelFile('stg.b', byDay(), 'SELECT d, x, 2 AS two FROM raw.a', START),
    });
    const { plan } = await outcome(world, wider, { now: NOW + 5 * DAY });
    expect(missing(plan)).toEqual({ 'stg.b': range(1, 11) });
    const run = await outcome(world, wider, { now: NOW + 5 * DAY, options: { withRun: true } });
    expect(missing(run.plan)).toMatchObject({ 'raw.a': range(11, 16), 'stg.b': range(1, 16) });
  });
});

describe('--skip-backfill, --empty-backfill, --no-gaps', () => {
  test('nothing that does not exist is shown: the environment keeps what it has', async () => {
    const world = await built();
    const { plan, codes } = await outcome(world, files(2), { options: { skipBackfill: true } });
    expect(codes.every((code) => code === 'warning plan.not-shown')).toBe(true);
    expect(plan.target.entries.find(({ model }) => model === 'raw.a')?.version).toBe(
      world.versionOf('raw.a'),
    );
    expect(plan.stages.filter(({ kind }) => kind === 'backfill')).toEqual([]);
    world.apply(plan);
    expect((await outcome(world, files(2))).plan.changes.length).toBe(4);
  });
  test('a new model is left out until it is built', async () => {
    const world = await built();
    const more = files(1, { 'models/n.sql': modelFile('marts.n', 'FULL', 'SELECT 1 AS one') });
    const { plan } = await outcome(world, more, { options: { skipBackfill: true } });
    expect(plan.target.entries.some(({ model }) => model === 'marts.n')).toBe(false);
  });
  test('what exists is shown', async () => {
    const world = await built();
    await world.planAndApply(files(2), { environment: 'dev' });
    const { plan, codes } = await outcome(world, files(2), { options: { skipBackfill: true } });
    expect(codes).toEqual([]);
    expect(plan.target.entries.find(({ model }) => model === 'raw.a')?.version).toBe(
      world.versionOf('raw.a', 'dev'),
    );
  });
  test('an empty backfill records intervals without rows', async () => {
    const { plan } = await outcome(new PlanWorld(), files(), { options: { emptyBackfill: true } });
    const members = plan.stages.flatMap((stage) => (stage.kind === 'backfill' ? stage.members : []));
    expect(members.filter(({ model }) => model === 'raw.a').map(({ isEmpty }) => isEmpty)).toEqual([true]);
  });
  test('a plan that would lose intervals is refused when gaps are forbidden', async () => {
    const world = await built();
    await world.planAndApply(files(), { environment: 'dev' });
    const options = { start: '2024-01-05', noGaps: true };
    const { codes } = await outcome(world, files(2), { environment: 'dev', options });
    expect(codes).toContain('error plan.gaps');
    expect((await outcome(world, files(2), { environment: 'dev', options: { noGaps: true } })).codes).toEqual(
      [],
    );
  });
});

describe('refusals', () => {
  test('a model that is gone while another reads it', async () => {
    const world = await built();
    const { 'models/a.sql': _, ...rest } = files();
    const { codes, diagnostics } = await outcome(world, rest);
    expect(codes).toEqual(['error plan.broken-reference']);
    expect(diagnostics[0]?.message).toContain('stg.b reads raw.a');
  });
  test('a kind that cannot be built yet', async () => {
    const project = files(1, { 'models/m.sql': modelFile('marts.m', 'MANAGED', 'SELECT 1 AS one') });
    const { codes } = await outcome(new PlanWorld(), project);
    expect(codes).toEqual(['error plan.kind-not-yet']);
  });
  test('a category for something that did not change itself, and one that is decided already', async () => {
    const world = await built();
    const unknown = await outcome(world, files(2), { options: { categories: { 'stg.b': 'breaking' } } });
    expect(unknown.codes).toEqual(['warning plan.cannot-override']);
    await world.planAndApply(files(2), { environment: 'dev' });
    const fixed = await outcome(world, files(2), { options: { categories: { 'raw.a': 'non-breaking' } } });
    expect(fixed.codes).toEqual(['warning plan.category-fixed']);
  });
  test('forward-only where the table must be another', async () => {
    const world = await built();
    const project = files(1, { 'models/b.sql': modelFile('stg.b', 'FULL', 'SELECT d, x FROM raw.a', START) });
    const { codes } = await outcome(world, project, { options: { isForwardOnly: true } });
    expect(codes).toEqual(['warning plan.forward-only-conflict']);
  });
});

describe('what is no model', () => {
  const metric = (title: string) => ({
    'models/semantics/a.yml': `kind: semantic\nname: a\ndepends_on: raw.a\nmeasures:\n  - {name: total, type: sum, expression: x}\n`,
    'audits/small.sql': `AUDIT (name small);\nSELECT * FROM @this_model WHERE x > ${title.length}`,
  });
  test('definitions are compared, and only recorded', async () => {
    const world = await built(files(1, metric('a')));
    const plan = await world.planAndApply(files(1, metric('other')));
    expect(plan.changes.map(({ kind, name, change }) => [kind, name, change])).toEqual([
      ['audit', 'small', 'direct'],
    ]);
    expect(plan.stages).toMatchObject([{ kind: 'promote', views: [], removed: [] }]);
    expect((await world.planAndApply(files(1, metric('other')))).stages).toEqual([]);
  });
  test('moving a definition within its file changes nothing', async () => {
    const world = await built(files(1, metric('a')));
    const moved = metric('a');
    const text = moved['models/semantics/a.yml'];
    const plan = await world.planAndApply(
      files(1, { ...moved, 'models/semantics/a.yml': `# a comment\n\n${text}` }),
    );
    expect(plan.changes).toEqual([]);
  });
});

describe('a new audit on a table that is there', () => {
  const audited = (audits: string) =>
    files(1, {
      'models/a.sql': modelFile(
        'raw.a',
        byDay(),
        "SELECT DATE '2024-01-01' AS d, 1 AS x",
        `${START}, audits (${audits})`,
      ),
    });
  test('runs over the table before the promotion', async () => {
    const world = await built();
    const { plan } = await outcome(world, audited('not_null(columns := (x))'));
    expect(plan.stages.filter(({ kind }) => kind === 'audit')).toMatchObject([
      { table: { model: 'raw.a' }, audits: ['not_null'], reason: 'new-audit' },
    ]);
    expect(plan.stages.find(({ kind }) => kind === 'promote')?.needs).toContain('audit:raw.a');
  });
  test('not when it only warns, nor when it was there before', async () => {
    const world = await built();
    const warning = await outcome(world, audited('not_null_non_blocking(columns := (x))'));
    expect(warning.plan.stages.filter(({ kind }) => kind === 'audit')).toEqual([]);
    await world.planAndApply(audited('not_null(columns := (x))'));
    const { plan } = await outcome(world, audited('not_null(columns := (x)), unique_values(columns := (x))'));
    expect(plan.stages.filter(({ kind }) => kind === 'audit')).toMatchObject([{ audits: ['unique_values'] }]);
  });
});
