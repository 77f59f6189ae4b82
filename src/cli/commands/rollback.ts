import { NO_IMPACT } from '../../domain/impact.ts';
import { planRollback } from '../../operations/change/plan-rollback.ts';
import { environmentOf, openWorld } from '../../operations/open-world.ts';
import { ask } from '../ask.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { refusal } from '../refusal.ts';
import { planText } from '../render/plan-text.ts';
import { waitOption } from '../times.ts';
import { applied, refuseUnallowed } from './apply.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const waitMs = waitOption(context);
  const { terminal, values, executionTime } = context;
  const workspace = await context.workspace();
  const world = await openWorld(workspace);
  const to = values.get('to');
  const { plan, diagnostics } = await planRollback(world, {
    environment: environmentOf(world.config, context.arguments[0]),
    executionTime,
    who: workspace.who,
    ...(to === undefined ? {} : { to }),
  });
  if (plan === undefined) return refusal(diagnostics);
  if (terminal.mode !== 'json')
    for (const line of planText(terminal, plan, { impact: NO_IMPACT, estimates: new Map(), hasDiff: false }))
      terminal.out(line);
  refuseUnallowed(context, plan);
  if (
    !(await ask(context, {
      question: `Point ${plan.environment} back?`,
      action: `point ${plan.environment} back`,
    }))
  )
    return { print: ({ note }) => note('Nothing was changed.') };
  const answer = await applied(context, world, { plan, who: workspace.who, waitMs, kind: 'rollback' });
  return { ...answer, diagnostics: [...diagnostics, ...(answer.diagnostics ?? [])] };
}
