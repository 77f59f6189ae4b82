import { describe, expect, test } from 'vitest';
import { byFingerprint, environment, filled, model } from '../../../tests/support/plan/applied.ts';
import { modelFile } from '../../../tests/support/plan/compile-text.ts';
import { NOW, PlanWorld } from '../../../tests/support/plan/plan-world.ts';
import type { Environment } from '../../domain/environment.ts';
import type { Plan } from '../../domain/plan.ts';
import { tableKey } from '../../domain/relation.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { makeRun } from './make-run.ts';
import { rollbackPlan } from './rollback-plan.ts';

const AUDIT = 'audits (not_null(columns := (x)))';
const BY_DAY = 'INCREMENTAL_BY_TIME_RANGE (time_column d)';

function files(audits = '', columns = '1 AS x', more: Readonly<Record<string, string>> = {}) {
  const properties = ["start '2024-01-01'", ...(audits === '' ? [] : [audits])].join(', ');
  return {
    'models/a.sql': modelFile('s.a', BY_DAY, `SELECT DATE '2024-01-01' AS d, ${columns}`, properties),
    ...more,
  };
}

async function planned(world: PlanWorld, project: ReturnType<typeof files>, request = {}): Promise<Plan> {
  const { plan, diagnostics } = await world.plan(await world.compile(project), request);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return plan;
}

const audited = ({ stages }: Plan) =>
  stages.flatMap((stage) => (stage.kind === 'audit' ? [[stage.table.model, stage.audits]] : []));

describe('a blocking audit over rows that are there', () => {
  test('is asked for again after a plan that failed', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files());
    const failed = await planned(world, files(AUDIT));
    expect(audited(failed)).toEqual([['s.a', ['not_null']]]);
    // State knows the fingerprint, and no environment shows it.
    world.apply({ ...failed, stages: [] });
    expect(audited(await planned(world, files(AUDIT)))).toEqual([['s.a', ['not_null']]]);
  });

  test('is asked for again when it was taken away meanwhile', async () => {
    const world = new PlanWorld();
    for (const audits of [AUDIT, '', AUDIT]) {
      const plan = await world.planAndApply(files(audits));
      expect(audited(plan)).toEqual(world.snapshots.size > 1 && audits !== '' ? [['s.a', ['not_null']]] : []);
    }
  });

  test('of a view, too', async () => {
    const world = new PlanWorld();
    const project = (audits: string) =>
      files('', '1 AS x', { 'models/v.sql': modelFile('s.v', 'VIEW', 'SELECT x FROM s.a', audits) });
    expect(audited(await world.planAndApply(project(AUDIT)))).toEqual([['s.v', undefined]]);
    expect(audited(await world.planAndApply(project("owner 'me'")))).toEqual([]);
    expect(audited(await world.planAndApply(project(AUDIT)))).toEqual([['s.v', ['not_null']]]);
    expect(audited(await world.planAndApply(project(AUDIT)))).toEqual([]);
  });

  test('is asked for when it is no longer skipped', async () => {
    const world = new PlanWorld();
    const mine = (skip: string) => ({
      'audits/m.sql': `AUDIT (name mine${skip}); SELECT * FROM @this_model WHERE x < 0`,
    });
    await world.planAndApply(files('audits (mine)', '1 AS x', mine(', skip true')));
    expect(audited(await planned(world, files('audits (mine)', '1 AS x', mine(''))))).toEqual([
      ['s.a', ['mine']],
    ]);
  });

  test('is asked for when other arguments are given under the same name', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files(AUDIT, '1 AS x, 2 AS y'));
    const plan = await planned(world, files('audits (not_null(columns := (x, y)))', '1 AS x, 2 AS y'));
    expect(audited(plan)).toEqual([['s.a', ['not_null']]]);
  });

  test('of a forward-only change looks at the table of prod, not only at that of dev', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files());
    const wider = files('audits (not_null(columns := (n)))', '1 AS x, 2 AS n');
    const options = { isForwardOnly: true };
    const dev = await world.planAndApply(wider, { environment: 'dev', options });
    expect(audited(dev)).toEqual([]);
    const plan = await planned(world, wider, { options });
    const stage = plan.stages.find(({ kind }) => kind === 'audit');
    expect(stage).toMatchObject({ table: { version: world.versionOf('s.a') }, audits: ['not_null'] });
    const key = tableKey({ model: 's.a', version: world.versionOf('s.a') ?? '' });
    expect(stage?.needs).toContain(`migrate:${key}`);
  });

  test('costs nothing where an environment that shows the table demands it already', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files(AUDIT), { environment: 'dev' });
    expect(audited(await world.planAndApply(files(AUDIT)))).toEqual([]);
    expect(audited(await planned(world, files(AUDIT)))).toEqual([]);
  });

  test('is asked for by a rollback to a snapshot that demands it', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files(AUDIT));
    const target = world.environments[0]!;
    await world.planAndApply(files());
    const present = world.environments[0]!;
    const { plan, diagnostics } = rollbackPlan({
      id: 'back',
      promotionId: 'promotion-back',
      createdAt: NOW,
      executionTime: NOW,
      present,
      target,
      environments: world.environments,
      snapshots: world.snapshots,
      tableColumns: new Map(
        target.entries.map(({ version, model: name, fingerprint }) => [
          tableKey({ model: name, version: version ?? '' }),
          world.contents.get(fingerprint)?.model.columns ?? [],
        ]),
      ),
      contents: world.contents,
      intervals: world.intervals,
      naming: (name) => ({ environment: name, suffixTarget: 'schema' }),
      concurrency: 4,
    });
    expect(diagnostics).toEqual([]);
    expect(audited(plan)).toEqual([['s.a', ['not_null']]]);
    expect(plan.stages.at(-1)).toMatchObject({ kind: 'promote', needs: ['create-schemas', 'audit:s.a'] });
  });
});

describe('a write of a table that several environments show', () => {
  const RANGE = 'incremental-by-time-range';
  const facts = { blocking: ['not_null'], others: [], readsOthers: false, demands: ['h1'] };
  const plain = model('s.a', RANGE, [], { fingerprint: 'plain' });
  const strict = model('s.a', RANGE, [], { fingerprint: 'strict', audits: facts });
  const other = model('s.a', RANGE, [], { fingerprint: 'other', audits: facts });

  /** What a run of the first environment writes of s.a. */
  function written(environments: readonly Environment[], snapshots: readonly Snapshot[]) {
    const { stages } = makeRun({
      environment: environments[0]!,
      environments,
      snapshots: byFingerprint(snapshots),
      intervals: filled({ 's.a': ['2024-03-01/2024-03-02'] }),
      restatements: [],
      executionTime: Date.UTC(2024, 2, 4),
      beforeAll: [],
      afterAll: [],
      naming: (name) => ({ environment: name, suffixTarget: 'schema' }),
      concurrency: 1,
    });
    const members = stages.flatMap((stage) => (stage.kind === 'backfill' ? stage.members : []));
    return members.find((member) => member.model === 's.a');
  }
  const shown = (...given: readonly (readonly [string, Snapshot])[]) =>
    written(
      given.map(([name, snapshot]) => environment(name, [snapshot])),
      given.map(([, snapshot]) => snapshot),
    );

  test('passes what the others demand', () => {
    expect(shown(['prod', plain], ['dev', strict], ['test', plain])?.alsoAudited).toEqual([
      { environment: 'dev', fingerprint: 'strict', audits: ['not_null'] },
    ]);
  });

  test('asks nothing twice', () => {
    const same = shown(['prod', other], ['dev', strict]);
    expect(same).toBeDefined();
    expect(same?.alsoAudited).toBeUndefined();
    expect(shown(['prod', plain], ['dev', strict], ['test', strict])?.alsoAudited).toHaveLength(1);
  });

  test('asks again where the audit reads another model that is not the same table there', () => {
    const audits = { ...facts, readsOthers: true, reads: { not_null: ['s.b'] } };
    const reading = model('s.a', RANGE, [], { fingerprint: 'reading', audits });
    const b = model('s.b', 'full');
    const here = environment('prod', [reading, [b, 'v1']]);
    const beside = (version: string) =>
      written([here, environment('dev', [reading, [b, version]])], [reading, b]);
    expect(beside('v1')?.model).toBe('s.a');
    expect(beside('v1')?.alsoAudited).toBeUndefined();
    expect(beside('v2')?.alsoAudited).toMatchObject([{ environment: 'dev', audits: ['not_null'] }]);
  });
});
