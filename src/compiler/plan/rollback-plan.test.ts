import { describe, expect, test } from 'vitest';
import { modelFile } from '../../../tests/support/plan/compile-text.ts';
import { brief, NOW, PlanWorld, stageWords } from '../../../tests/support/plan/plan-world.ts';
import type { AnswerColumn } from '../../domain/engine.ts';
import type { Environment } from '../../domain/environment.ts';
import { tableKey } from '../../domain/relation.ts';
import { rollbackPlan, rollbackTarget } from './rollback-plan.ts';

const files = (query: string) => ({
  'models/a.sql': modelFile('raw.a', 'FULL', query),
  'models/v.sql': modelFile('marts.v', 'VIEW', 'SELECT x FROM raw.a'),
});

/** Two plans one after the other; the warehouse still has every table, with the columns of the last one that used it. */
async function twice(first: string, second: string, options = {}) {
  const world = new PlanWorld();
  await world.planAndApply(files(first));
  const target = world.environments[0] as Environment;
  await world.planAndApply(files(second), { options });
  const present = world.environments[0] as Environment;
  const tableColumns = new Map<string, readonly AnswerColumn[]>();
  for (const { entries } of [target, present])
    for (const { model, version, fingerprint } of entries)
      if (version !== undefined)
        tableColumns.set(tableKey({ model, version }), world.contents.get(fingerprint)?.model.columns ?? []);
  const make = (columns = tableColumns) =>
    rollbackPlan({
      id: 'back',
      promotionId: 'promotion-back',
      createdAt: NOW,
      executionTime: NOW,
      present,
      target,
      environments: world.environments,
      snapshots: world.snapshots,
      tableColumns: columns,
      contents: world.contents,
      intervals: world.intervals,
      naming: (environment) => ({ environment, suffixTarget: 'schema' }),
      concurrency: 4,
    });
  return { world, target, present, tableColumns, make };
}

describe('going back', () => {
  test('re-points the views at what they showed and builds nothing', async () => {
    const { make, target } = await twice('SELECT 1 AS x', 'SELECT 2 AS x');
    const { plan, diagnostics } = make();
    expect(diagnostics).toEqual([]);
    expect(stageWords(plan)).toEqual(['create-schemas', 'promote']);
    expect(plan.target.entries).toEqual(target.entries);
    expect(plan.target).toMatchObject({ promotionId: 'promotion-back', planId: 'back' });
    expect(brief(plan.changes)).toEqual(['marts.v indirect/null', 'raw.a direct/null']);
  });
  test('is refused when a table was removed', async () => {
    const { make, tableColumns, target } = await twice('SELECT 1 AS x', 'SELECT 2 AS x');
    const { model, version } = target.entries.find((entry) => entry.model === 'raw.a')!;
    tableColumns.delete(tableKey({ model, version: version! }));
    const { plan, diagnostics } = make();
    expect(diagnostics.map(({ code }) => code)).toEqual(['plan.cannot-roll-back']);
    expect(diagnostics[0]?.message).toContain('the table of raw.a was removed');
    expect(plan.stages).toEqual([]);
  });
  test('is refused across a migration that dropped or narrowed a column that was shown', async () => {
    const forward = { isForwardOnly: true, allowDestructiveModels: ['raw.a'] };
    const dropped = await twice('SELECT 1 AS x, 2 AS y', 'SELECT 1 AS x', forward);
    expect(dropped.make().diagnostics[0]?.message).toContain('column y of raw.a was dropped since');
    const narrowed = await twice('SELECT 1::BIGINT AS x', 'SELECT 1::SMALLINT AS x', forward);
    expect(narrowed.make().diagnostics[0]?.message).toContain(
      'column x of raw.a was BIGINT and is SMALLINT now',
    );
  });
  test('is possible across a migration that added or widened', async () => {
    const forward = { isForwardOnly: true };
    const { make } = await twice('SELECT 1::SMALLINT AS x', 'SELECT 1::BIGINT AS x, 2 AS y', forward);
    const { plan, diagnostics } = make();
    expect(diagnostics.map(({ code }) => code)).toEqual(['plan.rows-stay']);
    expect(plan.target.entries.find(({ model }) => model === 'raw.a')?.columns).toEqual(['x']);
  });
});

describe('where to', () => {
  const state = (id: string): Environment => ({
    name: 'prod',
    entries: [],
    promotionId: `p-${id}`,
    planId: id,
    promotedAt: 0,
    gateway: 'local',
    definitions: {},
  });
  const history = ['three', 'two', 'one'].map((id) => ({ environment: state(id), at: 0 }));
  test('the state before the present, or that of a plan', () => {
    expect(rollbackTarget(state('three'), history, undefined)).toMatchObject({ target: { planId: 'two' } });
    expect(rollbackTarget(state('three'), history, 'one')).toMatchObject({ target: { planId: 'one' } });
  });
  test('an unknown one is told', () => {
    expect(rollbackTarget(state('three'), history, 'four')).toMatchObject({
      problem: { code: 'plan.no-promotion' },
    });
    expect(rollbackTarget(state('one'), history.slice(2), undefined)).toMatchObject({
      problem: { code: 'plan.no-promotion' },
    });
  });
});
