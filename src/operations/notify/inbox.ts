/** The inbox of one principal: words are made when it is read, of what its owner may know at that moment. */
import type { InboxItem } from '../../domain/delivery.ts';
import type { StoredEvent } from '../../domain/event.ts';
import type { Identity } from '../../domain/principal.ts';
import { activityView } from '../catalog/activity-view.ts';
import type { Product } from '../platform.ts';
import type { ProductReader } from '../product-reader.ts';
import { eventAt, textOf, titleOf } from './message-of.ts';

export interface ShownItem {
  readonly item: InboxItem;
  readonly event: StoredEvent;
  readonly title: string;
  readonly text: string;
}

/** As many items as are counted or looked through for one page. */
const LOOKED_MAX = 1_000;

/** Newest first; items whose event the reader may not know of any more are left out. One more than `limit` shows that there are others. */
export async function readInbox(
  product: ProductReader,
  asker: Identity,
  {
    limit,
    before,
    isUnread,
  }: { readonly limit: number; readonly before?: string; readonly isUnread?: boolean },
): Promise<readonly ShownItem[]> {
  const shown: ShownItem[] = [];
  let last = before;
  for (let looked = 0; shown.length < limit && looked < LOOKED_MAX; ) {
    const items = await product.world.state.notifications.inbox({
      ...{ principalId: asker.principalId, limit },
      ...(isUnread === undefined ? {} : { isUnread }),
      ...(last === undefined ? {} : { before: last }),
    });
    shown.push(...(await visibleItems(product, asker, items)));
    looked += items.length;
    last = items.at(-1)?.id;
    if (items.length < limit) break;
  }
  return shown.slice(0, limit);
}

async function visibleItems(
  product: ProductReader,
  asker: Identity,
  items: readonly InboxItem[],
): Promise<readonly ShownItem[]> {
  const found = await Promise.all(items.map(({ sequence }) => eventAt(product, sequence)));
  const view = await activityView(product, asker, { events: found.flatMap((event) => event ?? []) });
  return items.flatMap((item, index) => {
    const event = found[index] && view.event(found[index]);
    return event === undefined ? [] : [{ item, event, title: titleOf(event, product), text: textOf(event) }];
  });
}

/** Unread items that the reader may know of; at most `LOOKED_MAX` are counted. */
export async function unreadCount(product: ProductReader, asker: Identity): Promise<number> {
  return (await readInbox(product, asker, { limit: LOOKED_MAX, isUnread: true })).length;
}

/** Only of the caller's own inbox; answers with how many were not read before. */
export function markRead(
  { world }: Product,
  { principalId }: Identity,
  which: { readonly ids?: readonly string[]; readonly upTo?: string },
): Promise<number> {
  return world.state.notifications.markRead({ principalId, ...which, at: world.clock.now() });
}
