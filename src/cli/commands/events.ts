import { severityOf } from '../../domain/severity-of.ts';
import { isoInstant } from '../../foundation/time/iso.ts';
import { activityView } from '../../operations/catalog/activity-view.ts';
import { titleOf } from '../../operations/notify/message-of.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { openFollowing } from '../open-following.ts';

const SHOWN = 100;

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { product, identity } = await openFollowing(context);
  const { events: log } = product.world.state;
  const since = context.values.get('since');
  const types = context.lists.get('type');
  const after = since === undefined ? Math.max(0, (await log.lastSequence()) - SHOWN) : Number(since);
  const found = await log.events({ after, limit: SHOWN, ...(types === undefined ? {} : { types }) });
  const view = await activityView(product, identity, { events: found });
  const events = found.flatMap((event) => view.event(event) ?? []);
  return {
    data: {
      events: events.map(({ sequence, at, event, environment, runId, model, data }) => ({
        ...{ sequence, at: isoInstant(at), type: event, environment: environment ?? null },
        ...{ run_id: runId ?? null, model: model ?? null, data },
      })),
      next: found.at(-1)?.sequence ?? after,
    },
    print: ({ out, note }) => {
      for (const event of events)
        out(
          `${String(event.sequence).padStart(6)}  ${isoInstant(event.at)}  ${severityOf(event).padEnd(8)}  ${titleOf(event, product)}`,
        );
      if (events.length === 0) note('Nothing has happened since.');
    },
  };
}
