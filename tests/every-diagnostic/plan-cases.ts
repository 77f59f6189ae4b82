import { rollbackPlan, rollbackTarget } from '../../src/compiler/plan/rollback-plan.ts';
import type { Environment } from '../../src/domain/environment.ts';
import type { PlanOptions } from '../../src/domain/plan.ts';
import type { Diagnostic } from '../../src/foundation/diagnostics/diagnostic.ts';
import { modelFile } from '../support/plan/compile-text.ts';
import { NOW, type PlanRequest, PlanWorld } from '../support/plan/plan-world.ts';
import { acting, type DiagnosticCase } from './diagnostic-case.ts';

type Files = Readonly<Record<string, string>>;

const START = "start '2024-01-01'";
const byDay = (options = ''): string => `INCREMENTAL_BY_TIME_RANGE (time_column d${options})`;

/** m.a (by day, columns d and x) ─▶ m.v (view). */
function files(columns = '1 AS x', options = ''): Files {
  return {
    'models/a.sql': modelFile('m.a', byDay(options), `SELECT DATE '2024-01-01' AS d, ${columns}`, START),
    'models/v.sql': modelFile('m.v', 'VIEW', 'SELECT d, x FROM m.a'),
  };
}

const found = (code: string, diagnostics: readonly Diagnostic[]): string | undefined =>
  diagnostics.some((each) => each.code === code)
    ? code
    : diagnostics.map((each) => each.code).join(', ') || undefined;

/** A plan over an environment to which `before` was applied, or over none. */
const planning = (
  code: string,
  options: Partial<PlanOptions>,
  {
    before,
    now = files(),
    environment = 'prod',
  }: { readonly before?: Files; readonly now?: Files; readonly environment?: string } = {},
): DiagnosticCase =>
  acting(code, async () => {
    const world = new PlanWorld();
    const request: PlanRequest = { environment };
    if (before !== undefined) await world.planAndApply(before, request);
    const { diagnostics } = await world.plan(await world.compile(now), { ...request, options });
    return found(code, diagnostics);
  });

const without = (name: string): Files =>
  Object.fromEntries(Object.entries(files()).filter(([path]) => path !== name));

/** What can be wrong with a plan. */
export const planCases: readonly DiagnosticCase[] = [
  planning('plan.unknown-model', { selection: 'm.nothing' }),
  planning('plan.bad-selection', { selection: '(m.a' }),
  planning('plan.selects-nothing', { selection: 'tag:none' }),
  planning(
    'plan.kind-not-yet',
    {},
    { now: { 'models/a.sql': modelFile('m.a', 'MANAGED', 'SELECT 1 AS x') } },
  ),
  planning('plan.broken-reference', {}, { before: files(), now: without('models/a.sql') }),
  planning('plan.unselected-parent', { selection: 'm.v' }),
  planning(
    'plan.kept-reader',
    { selection: 'm.a' },
    { before: files(), now: { 'models/o.sql': modelFile('m.o', 'FULL', 'SELECT 1 AS x') } },
  ),
  planning(
    'plan.destructive-change',
    { isForwardOnly: true },
    { before: files('1 AS x, 2 AS y'), now: files() },
  ),
  planning(
    'plan.loss-while-filling',
    { isForwardOnly: true, allowDestructiveModels: ['m.a'], effectiveFrom: '2024-01-01' },
    { before: files('1::BIGINT AS x'), now: files('1::SMALLINT AS x') },
  ),
  planning(
    'plan.additive-change',
    { isForwardOnly: true },
    {
      before: files('1 AS x', ', on_additive_change error'),
      now: files('1 AS x, 2 AS y', ', on_additive_change error'),
    },
  ),
  planning(
    'plan.category-needed',
    {},
    { before: files(), now: { ...files('2 AS x'), 'config.yaml': 'plan: {auto_categorize: semi}\n' } },
  ),
  acting('plan.category-fixed', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files());
    await world.planAndApply(files('2 AS x'), { environment: 'dev' });
    const { diagnostics } = await world.plan(await world.compile(files('2 AS x')), {
      options: { categories: { 'm.a': 'non-breaking' } },
    });
    return found('plan.category-fixed', diagnostics);
  }),
  planning(
    'plan.cannot-override',
    { categories: { 'm.v': 'breaking' } },
    { before: files(), now: files('2 AS x') },
  ),
  planning('plan.cannot-restate', { restateModels: ['m.v'] }, { before: files() }),
  planning(
    'plan.restates-whole',
    { restateModels: ['m.h'], start: '2024-01-05', end: '2024-01-05' },
    { before: history(), now: history() },
  ),
  planning(
    'plan.left-behind',
    { selection: 'm.a' },
    {
      before: { ...files(), 'models/t.sql': modelFile('m.t', 'FULL', 'SELECT x FROM m.a') },
      now: { ...files('2 AS x'), 'models/t.sql': modelFile('m.t', 'FULL', 'SELECT x FROM m.a') },
    },
  ),
  acting('plan.shared-table', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files());
    const { diagnostics } = await world.plan(await world.compile(files()), {
      environment: 'dev',
      options: { restateModels: ['m.a'] },
    });
    return found('plan.shared-table', diagnostics);
  }),
  acting('plan.rows-stay', async () => {
    const world = new PlanWorld();
    const forward = { options: { isForwardOnly: true } };
    await world.planAndApply(files());
    await world.planAndApply(files('2 AS x'), forward);
    const { diagnostics } = await world.plan(await world.compile(files()), forward);
    return found('plan.rows-stay', diagnostics);
  }),
  planning('plan.bad-time', { start: 'soon' }, { environment: 'dev' }),
  planning('plan.bad-range', { start: '2024-01-05', end: '2024-01-04' }, { environment: 'dev' }),
  planning('plan.prod-range', { start: '2024-01-05' }),
  planning(
    'plan.gaps',
    { start: '2024-01-05', noGaps: true },
    { before: files(), now: files('2 AS x'), environment: 'dev' },
  ),
  planning('plan.not-shown', { skipBackfill: true }),
  planning(
    'plan.forward-only-conflict',
    { isForwardOnly: true },
    {
      before: files(),
      now: { ...files(), 'models/a.sql': modelFile('m.a', 'FULL', "SELECT DATE '2024-01-01' AS d, 1 AS x") },
    },
  ),
  planning('plan.effective-from', { effectiveFrom: '2024-01-08' }, { before: files(), now: files('2 AS x') }),
  acting('plan.cannot-roll-back', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files());
    const [target] = world.environments as readonly [Environment];
    await world.planAndApply(files('2 AS x'));
    const [present] = world.environments as readonly [Environment];
    const { diagnostics } = rollbackPlan({
      id: 'back',
      promotionId: 'promotion-back',
      createdAt: NOW,
      executionTime: NOW,
      present,
      target,
      environments: world.environments,
      snapshots: world.snapshots,
      // The warehouse has none of the tables any more.
      tableColumns: new Map(),
      contents: world.contents,
      intervals: world.intervals,
      naming: (environment) => ({ environment, suffixTarget: 'schema' }),
      concurrency: 4,
    });
    return found('plan.cannot-roll-back', diagnostics);
  }),
  acting('plan.no-promotion', async () => {
    const world = new PlanWorld();
    await world.planAndApply(files());
    const [present] = world.environments as readonly [Environment];
    const answer = rollbackTarget(present, [{ environment: present, at: NOW }], undefined);
    return 'problem' in answer ? answer.problem.code : undefined;
  }),
];

function history(): Files {
  const kind = 'SCD_TYPE_2_BY_COLUMN (unique_key x, columns *, disable_restatement false)';
  return { ...files(), 'models/h.sql': modelFile('m.h', kind, 'SELECT x FROM m.a', START) };
}
