import { type AskedSides, knownChange } from '../../compiler/impact/change-impact.ts';
import type { Environment } from '../../domain/environment.ts';
import { type ImpactReport, NO_IMPACT } from '../../domain/impact.ts';
import type { Plan } from '../../domain/plan.ts';
import type { Project } from '../../domain/project.ts';
import { askedSideOf } from '../../runtime/execute/asked-side.ts';
import type { WorldReader } from '../../runtime/world.ts';
import { impactReport } from './impact-report.ts';

type World = Pick<WorldReader, 'state' | 'engine' | 'clock'>;

/** What a plan reaches beside what it changes. A new environment is compared with the one that it begins from, as the plan is. */
export async function impactOfPlan(
  world: World,
  project: Pick<Project, 'models' | 'semanticModels' | 'metrics'>,
  { plan, createFrom = 'prod' }: { readonly plan: Plan; readonly createFrom?: string | undefined },
): Promise<ImpactReport> {
  const changes = plan.changes.filter(({ kind }) => kind !== 'audit' && kind !== 'test' && kind !== 'dq');
  if (changes.length === 0) return NO_IMPACT;
  const { snapshots } = world.state;
  const before = (await snapshots.environment(plan.environment)) ?? (await snapshots.environment(createFrom));
  if (before === undefined) return NO_IMPACT;
  const sides = await sidesOf(world, { before, plan });
  const { semanticModels, metrics } = sides?.after.semantics ?? project;
  const shown = { models: project.models, semanticModels, metrics };
  return impactReport(world, shown, {
    ...knownChange(shown, changes, sides),
    environment: before.name,
  });
}

async function sidesOf(
  world: World,
  { before, plan }: { readonly before: Environment; readonly plan: Plan },
): Promise<AskedSides | undefined> {
  const after = await askedSideOf(world, plan.target, plan);
  const was = await askedSideOf(world, before);
  // The names of views are those of the plan on both sides: they are not a difference.
  return after && was && { after, before: { ...was, naming: after.naming, now: after.now } };
}
