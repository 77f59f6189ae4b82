import { EVENT_TYPES } from '../../domain/event-types.ts';
import { isoInstant } from '../../foundation/time/iso.ts';
import { listDeliveries, redrive } from '../../operations/notify/deliveries.ts';
import { markRead, readInbox, unreadCount } from '../../operations/notify/inbox.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { openFollowing } from '../open-following.ts';
import { counted } from '../render/table.ts';

const SHOWN = 50;

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const [action = ''] = context.arguments;
  switch (action) {
    case 'inbox':
      return inbox(context);
    case 'dead':
    case 'deliveries':
      return deliveries(context, action);
    case 'redrive': {
      const { product, identity } = await openFollowing(context);
      const ids = await redrive(product, identity, undefined);
      return {
        data: { ids },
        print: ({ note }) => note(`${counted(ids.length, 'delivery', 'deliveries')} to be sent again.`),
      };
    }
    default:
      return {
        data: {
          types: Object.entries(EVENT_TYPES).map(([name, { severity, words }]) => ({
            name,
            severity,
            description: words,
          })),
        },
        print: ({ out }) => {
          for (const [name, { severity, words }] of Object.entries(EVENT_TYPES))
            out(`${name.padEnd(24)}${severity.padEnd(10)}${words}`);
        },
      };
  }
}

async function inbox(context: CommandContext): Promise<CommandAnswer> {
  const { product, identity } = await openFollowing(context);
  const items = await readInbox(product, identity, { limit: SHOWN });
  const unread = await unreadCount(product, identity);
  const [newest] = items;
  if (context.switches.has('read') && newest !== undefined)
    await markRead(product, identity, { upTo: newest.item.id });
  return {
    data: {
      unread,
      items: items.map(({ item, title, text }) => ({
        ...{
          id: item.id,
          severity: item.severity,
          title,
          text,
          because: item.because,
          at: isoInstant(item.at),
        },
        is_read: item.readAt !== undefined,
      })),
    },
    print: ({ out, note }) => {
      for (const { item, title } of items)
        out(
          `${isoInstant(item.at)}  ${item.readAt === undefined ? '*' : ' '} ${item.severity.padEnd(8)}  ${title}`,
        );
      note(`${counted(unread, 'unread item')} in the inbox of ${identity.name}.`);
    },
  };
}

async function deliveries(context: CommandContext, action: 'dead' | 'deliveries'): Promise<CommandAnswer> {
  const { product, identity } = await openFollowing(context);
  const found = await listDeliveries(product, identity, {
    ...{ whose: context.switches.has('config') ? 'config' : 'own', limit: SHOWN },
    ...(action === 'dead' ? { statuses: ['dead'] as const } : {}),
  });
  return {
    data: {
      deliveries: found.map(({ id, event, status, subscriber, attempted, attempts }) => ({
        ...{ id, event, status, subscriber, attempted, reason: attempts.at(-1)?.reason ?? null },
      })),
    },
    print: ({ out, note }) => {
      for (const { id, event, status, subscriber, attempts } of found)
        out([id, status.padEnd(10), event, subscriber, attempts.at(-1)?.reason ?? ''].join('  ').trimEnd());
      if (found.length === 0) note('There are none.');
    },
  };
}
