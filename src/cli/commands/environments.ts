import { isoInstant } from '../../foundation/time/iso.ts';
import { environments } from '../../operations/change/environments.ts';
import { openWorld } from '../../operations/open-world.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { ageText } from '../render/intervals.ts';
import { renderTable } from '../render/table.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const world = await openWorld(await context.workspace());
  const found = await environments(world);
  const now = world.clock.now();
  const expiry = (at: number | undefined): string =>
    at === undefined ? 'never' : at <= now ? 'expired' : `in ${ageText(at - now)}`;
  return {
    data: {
      environments: found.map(({ environment, holder }) => ({
        name: environment.name,
        models: environment.entries.length,
        plan_id: environment.planId,
        gateway: environment.gateway,
        promoted_at: isoInstant(environment.promotedAt),
        expires_at: environment.expiresAt === undefined ? null : isoInstant(environment.expiresAt),
        changed_by: holder === undefined ? null : { run_id: holder.holder, who: holder.who },
      })),
    },
    print: (terminal) => {
      if (found.length === 0) terminal.note('There is no environment yet; plinth plan makes one.');
      else
        terminal.out(
          renderTable(
            terminal,
            [
              { title: 'environment' },
              { title: 'models', align: 'right' },
              { title: 'plan' },
              { title: 'promoted' },
              { title: 'expires' },
              { title: 'being changed by', isElastic: true },
            ],
            found.map(({ environment, holder }) => [
              environment.name,
              String(environment.entries.length),
              environment.planId,
              `${ageText(now - environment.promotedAt)} ago`,
              expiry(environment.expiresAt),
              holder?.who ?? '',
            ]),
          ),
        );
    },
  };
}
