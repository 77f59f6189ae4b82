/** What subscribers read of events: made at the moment of sending, of what the owner of the subscription may know then. */
import type { ChannelMessage } from '../../domain/channel.ts';
import { cloudEventOf } from '../../domain/cloud-event.ts';
import type { Delivery } from '../../domain/delivery.ts';
import type { StoredEvent } from '../../domain/event.ts';
import { EVENT_TYPES, type EventSeverity, SEVERITIES } from '../../domain/event-types.ts';
import type { Identity } from '../../domain/principal.ts';
import { severityOf } from '../../domain/severity-of.ts';
import { activityView } from '../catalog/activity-view.ts';
import type { ProductReader } from '../product-reader.ts';

/** Undefined when the reader may not know of any of them, or they are gone. */
export async function messageOf(
  product: ProductReader,
  reader: Identity,
  deliveries: readonly Delivery[],
): Promise<ChannelMessage | undefined> {
  const found = await Promise.all(deliveries.map(({ sequence }) => eventAt(product, sequence)));
  const events = found.flatMap((event) => event ?? []);
  const view = await activityView(product, reader, { events });
  const ids = new Map(deliveries.map(({ sequence, id }) => [sequence, id]));
  const seen = events.flatMap((event) => view.event(event) ?? []);
  const [first] = seen;
  if (first === undefined) return undefined;
  const envelopes = seen.map((event) => cloudEventOf(event, product, ids.get(event.sequence)));
  const [only] = envelopes;
  const id = deliveries[0]?.id ?? '';
  const severity = worst(seen.map(severityOf));
  if (deliveries.length === 1 && only !== undefined)
    return {
      ...{ id, severity, title: titleOf(first, product), text: textOf(first), links: [] },
      body: { kind: 'event', event: only },
    };
  const title = `${product.slug}: ${seen.length} events`;
  const text = seen.map((event) => titleOf(event, product)).join('\n');
  return { ...{ id, severity, title, text, links: [] }, body: { kind: 'digest', events: envelopes } };
}

export async function eventAt({ world }: ProductReader, sequence: number): Promise<StoredEvent | undefined> {
  const [event] = await world.state.events.events({ after: sequence - 1, limit: 1 });
  return event?.sequence === sequence ? event : undefined;
}

/** One line: what happened, to what, where. */
export function titleOf(event: StoredEvent, { slug }: Pick<ProductReader, 'slug'>): string {
  const words = EVENT_TYPES[event.event]?.words.replace(/\.$/, '') ?? event.event;
  const { metric, check } = (event.data ?? {}) as Readonly<Record<string, unknown>>;
  const what = [event.model, metric, check].filter((each) => typeof each === 'string').join(', ');
  const where = event.environment === undefined ? slug : `${slug}, ${event.environment}`;
  return `${words}${what === '' ? '' : `: ${what}`} (${where})`;
}

/** What the reader may know of it, line by line; nested things are left to programs. */
export function textOf(event: StoredEvent): string {
  const { error, ...data } = (event.data ?? {}) as Readonly<Record<string, unknown>>;
  const said = (error as { readonly message?: unknown } | undefined)?.message;
  const lines = Object.entries(data).flatMap(([name, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value) ? [`${name}: ${value}`] : [],
  );
  return [
    ...(typeof said === 'string' ? [said] : []),
    ...lines,
    `event: ${event.event} ${event.sequence}`,
  ].join('\n');
}

const worst = (severities: readonly EventSeverity[]): EventSeverity =>
  SEVERITIES.findLast((each) => severities.includes(each)) ?? 'info';
