import { environmentName } from '../../domain/environment.ts';
import { NO_IMPACT } from '../../domain/impact.ts';
import { planJson } from '../../domain/plan-json.ts';
import { isoInstantShort } from '../../foundation/time/iso.ts';
import { explainPlan } from '../../operations/change/explain-plan.ts';
import { plans, storedPlan } from '../../operations/change/plans.ts';
import { type OpenedWorld, openWorld } from '../../operations/open-world.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { planText } from '../render/plan-text.ts';
import { renderTable } from '../render/table.ts';
import { countOption } from '../times.ts';

const LISTED = 20;

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const id = context.arguments[0];
  const limit = countOption(context, 'limit') ?? LISTED;
  const world = await openWorld(await context.workspace());
  return id === undefined ? listed(context, world, limit) : shown(context, world, id);
}

async function shown({ switches }: CommandContext, world: OpenedWorld, id: string): Promise<CommandAnswer> {
  const plan = await storedPlan(world, id);
  const explained = switches.has('explain') ? explainPlan(plan) : undefined;
  return {
    data: { plan: { ...planJson(plan), ...(explained === undefined ? {} : { explained }) } },
    print: (terminal) => {
      for (const line of planText(terminal, plan, {
        impact: NO_IMPACT,
        estimates: new Map(),
        explained,
        hasDiff: true,
      }))
        terminal.out(line);
    },
  };
}

async function listed({ values }: CommandContext, world: OpenedWorld, limit: number): Promise<CommandAnswer> {
  const environment = values.get('env');
  const found = await plans(world, {
    limit,
    ...(environment === undefined ? {} : { environment: environmentName(environment) }),
  });
  return {
    data: {
      plans: found.map(({ id, environment: name, createdAt, who, status, changes, stages }) => ({
        plan_id: id,
        environment: name,
        created_at: isoInstantShort(createdAt),
        who,
        status,
        changes,
        stages,
      })),
    },
    print: (terminal) =>
      terminal.out(
        renderTable(
          terminal,
          [
            { title: 'plan' },
            { title: 'environment' },
            { title: 'status' },
            { title: 'made' },
            { title: 'changes', align: 'right' },
            { title: 'stages', align: 'right' },
            { title: 'who', isElastic: true },
          ],
          found.map((each) => [
            each.id,
            each.environment,
            each.status,
            isoInstantShort(each.createdAt),
            String(each.changes),
            String(each.stages),
            each.who,
          ]),
        ),
      ),
  };
}
