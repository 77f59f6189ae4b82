import { existsSync } from 'node:fs';
import { NO_IMPACT } from '../../domain/impact.ts';
import type { Plan } from '../../domain/plan.ts';
import { planJson } from '../../domain/plan-json.ts';
import { runJson } from '../../domain/run-json.ts';
import { apply } from '../../operations/change/apply.ts';
import { readPlanFile } from '../../operations/change/plan-file.ts';
import { storedPlan } from '../../operations/change/plans.ts';
import { refuseWider } from '../../operations/change/refuse-plan.ts';
import { runSources } from '../../operations/change/run-sources.ts';
import { type OpenedWorld, openWorld } from '../../operations/open-world.ts';
import { checkAfter } from '../../operations/quality/check-after.ts';
import { ask } from '../ask.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { followRun, runAnswer } from '../follow-run.ts';
import { planText } from '../render/plan-text.ts';
import { waitOption } from '../times.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const waitMs = waitOption(context);
  const workspace = await context.workspace();
  const world = await openWorld(workspace);
  const plan = await planOf(world, context.arguments[0] as string);
  if (!context.switches.has('yes') && context.terminal.mode !== 'json')
    for (const line of planText(context.terminal, plan, {
      impact: NO_IMPACT,
      estimates: new Map(),
      hasDiff: true,
    }))
      context.terminal.out(line);
  refuseUnallowed(context, plan);
  if (
    !(await ask(context, {
      question: `Apply plan ${plan.id} to ${plan.environment}?`,
      action: `apply plan ${plan.id} to ${plan.environment}`,
    }))
  )
    return { print: ({ note }) => note('Nothing was changed.') };
  return applied(context, world, { plan, who: workspace.who, waitMs });
}

/** Before anything is asked: the answer could only be no. */
export function refuseUnallowed({ switches }: CommandContext, plan: Plan): void {
  if (!switches.has('allow-wider-access')) refuseWider(plan, plan.widerAccess ?? []);
}

/** A file of that name comes first: ids never look like one. */
const planOf = (world: OpenedWorld, name: string): Plan | Promise<Plan> =>
  existsSync(name) || /[./\\]/.test(name) ? readPlanFile(world, name) : storedPlan(world, name);

/** Applies a plan before the user's eyes: the end of `plan` and of `apply`. */
export async function applied(
  context: CommandContext,
  world: OpenedWorld,
  act: {
    readonly plan: Plan;
    readonly who: string;
    readonly waitMs: number | undefined;
    readonly kind?: 'rollback';
  },
): Promise<CommandAnswer> {
  const { plan, ...options } = act;
  const allowsWiderAccess = context.switches.has('allow-wider-access');
  const signal = context.interruption();
  const run = await followRun(
    context,
    checkAfter(world, apply(world, plan, { ...options, allowsWiderAccess, signal }), signal.stop),
  );
  const { run_id, status, models } = runJson(run);
  const answer = runAnswer(run, {
    ...planJson(plan),
    applied: run.status === 'succeeded',
    run_id,
    status,
    models,
  });
  return { ...answer, sources: await runSources(await context.workspace(), world, { run, plan }) };
}
