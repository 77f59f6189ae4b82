import type { ChannelMessage } from '../../../src/domain/channel.ts';
import { cloudEventOf } from '../../../src/domain/cloud-event.ts';

export const PRODUCT = { tenant: 'acme', slug: 'acme-shop' };

/** When the attempts of the tests are made. */
export const AT = Date.UTC(2026, 6, 1, 12);

/** The event that an audit failed, as it is sent to one subscriber. */
export function exampleMessage(more: Partial<ChannelMessage> = {}): ChannelMessage {
  return {
    id: 'evt_acme-shop_17_c1',
    severity: 'error',
    title: 'The audit not_null of marts.orders failed in prod',
    text: '3 rows have no customer.\nNothing was published.',
    links: [{ title: 'The run', url: 'https://data.example.com/runs/r1?from=mail&tab=audits' }],
    body: { kind: 'event', event: exampleEvent(17) },
    ...more,
  };
}

export const exampleEvent = (sequence: number) =>
  cloudEventOf(
    {
      sequence,
      at: AT - 5000,
      event: 'audit.failed',
      environment: 'prod',
      runId: 'r1',
      model: 'marts.orders',
      data: { audit: 'not_null', failingRows: 3, startedAt: AT - 6000, note: 'Zürich ✓ "q" </script>' },
    },
    PRODUCT,
    `evt_acme-shop_${sequence}_c1`,
  );
