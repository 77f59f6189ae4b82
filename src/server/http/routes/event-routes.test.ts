import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN, type ServedProduct, servedProduct } from '../../../../tests/support/served-product.ts';
import type { NewEvent } from '../../../domain/event.ts';
import type { ProductCall } from '../route.ts';
import { eventRoutes } from './event-routes.ts';

const EVENTS = 3_000;
let served: ServedProduct;

beforeAll(async () => {
  served = await servedProduct({
    'config.yaml': 'name: told\n',
    'models/a.sql': 'MODEL (name s.a, kind FULL);\nSELECT 1 AS a',
  });
  const events = Array.from(
    { length: EVENTS },
    (_, n): NewEvent => ({
      at: n,
      event: 'incident.opened',
      model: 's.a',
      data: { n, text: 'x'.repeat(1_000) },
    }),
  );
  await served.product.world.state.snapshots.invalidate('nowhere', 0, events);
});
afterAll(() => served?.close());

/** The stream that the address answers with, and how many events were read for it so far. */
function streamed(
  query: ProductCall['query'],
  signal: AbortSignal,
): { stream: () => Readable; read: () => number } {
  const { product } = served;
  const { state } = product.world;
  let read = 0;
  const events = {
    ...state.events,
    events: async (request: Parameters<typeof state.events.events>[0]) => {
      const found = await state.events.events(request);
      read += found.length;
      return found;
    },
  };
  const world = { ...product.world, state: { ...state, events } };
  let sent: Readable | undefined;
  const reply = {
    type: () => reply,
    header: () => reply,
    send: (stream: Readable) => {
      sent = stream;
      return reply;
    },
  };
  const call = {
    product: { ...product, world },
    identity: ADMIN,
    query,
    signal,
    draining: new AbortController().signal,
    again: async () => ADMIN,
    request: { headers: {} },
    reply,
  } as unknown as ProductCall;
  const route = eventRoutes.find(({ path }) => path === '/activity/stream');
  void route?.handle(call);
  return { stream: () => sent as Readable, read: () => read };
}

test('a listener that takes nothing has no more of the log read for it than a page', async () => {
  const leave = new AbortController();
  const { stream, read } = streamed({ since: 0, type: ['incident.*'] }, leave.signal);
  const source = stream();
  await once(source, 'readable');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(read()).toBeLessThanOrEqual(100);
  const numbers: number[] = [];
  for await (const chunk of source) {
    const [, data] = /^data: (.*)$/m.exec(String(chunk)) ?? [];
    if (data !== undefined) numbers.push((JSON.parse(data) as { data: { n: number } }).data.n);
    if (numbers.length === EVENTS) break;
  }
  leave.abort();
  expect(numbers).toEqual(Array.from({ length: EVENTS }, (_, n) => n));
});

test('a stream ends when its listener goes, also while nothing happens', async () => {
  const leave = new AbortController();
  const { stream } = streamed({}, leave.signal);
  const texts: string[] = [];
  const reading = (async () => {
    for await (const chunk of stream()) texts.push(String(chunk));
  })();
  await new Promise((resolve) => setTimeout(resolve, 100));
  leave.abort();
  await reading;
  expect(texts).toEqual([': open\nretry: 2000\n\n']);
});
