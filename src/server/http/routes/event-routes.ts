/** Everything that happened, as a list and as a stream. */

import { Readable } from 'node:stream';
import { cloudEventOf } from '../../../domain/cloud-event.ts';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { permits } from '../../../domain/permissions.ts';
import { activityView } from '../../../operations/catalog/activity-view.ts';
import { listSchemaOf } from '../answers/list-schema.ts';
import { afterOf, cursorOf, limitOf, PAGE_QUERY } from '../answers/page.ts';
import { Problem } from '../answers/problem.ts';
import type { JsonSchema, ProductCall, Route } from '../route.ts';
import { EVENT_SCHEMA } from '../schemas/event-schema.ts';
import { ENVIRONMENT } from '../schemas/name-schemas.ts';

const HEARTBEAT_MS = 15_000;
/** How long one who may no longer listen goes on to, at most. */
const RECHECK_MS = 2_000;
/** Events read at once: what a slow listener holds in memory. */
const PAGE = 100;

const FILTERS: Readonly<Record<string, JsonSchema>> = {
  environment: ENVIRONMENT,
  run_id: { type: 'string', minLength: 1, maxLength: 100 },
  model: { type: 'string', minLength: 1, maxLength: 500 },
  type: {
    type: 'array',
    maxItems: 50,
    items: { type: 'string', maxLength: 100, pattern: '^[a-z_]+(?:\\.[a-z_-]+)*(?:\\.\\*)?$' },
    description: 'types of events; plan.* means all types with this prefix',
  },
};

const filtersIn = ({ query }: ProductCall) => ({
  ...(typeof query['environment'] === 'string' ? { environment: query['environment'] } : {}),
  ...(typeof query['run_id'] === 'string' ? { runId: query['run_id'] } : {}),
  ...(typeof query['model'] === 'string' ? { model: query['model'] } : {}),
  ...(Array.isArray(query['type']) ? { types: query['type'] as readonly string[] } : {}),
});

export const eventRoutes: readonly Route<ProductCall>[] = [
  {
    method: 'GET',
    path: '/activity',
    operationId: 'listEvents',
    summary: 'The event log, oldest first',
    tag: 'activity',
    access: 'activity:read',
    query: {
      ...PAGE_QUERY,
      ...FILTERS,
      since: { type: 'integer', minimum: 0, description: 'a sequence: only events after it' },
    },
    answers: { 200: { description: 'events', schema: listSchemaOf(EVENT_SCHEMA) } },
    handle: async (call) => {
      const { product, identity, query } = call;
      const from = afterOf(query);
      if (from !== undefined && !/^\d{1,15}$/.test(from))
        throw new Problem(400, diagnostic('http.bad-cursor', {}));
      const after = Number(from ?? query['since'] ?? 0);
      const limit = limitOf(query);
      const found = await product.world.state.events.events({
        after: Number.isSafeInteger(after) ? after : 0,
        ...filtersIn(call),
        limit: limit + 1,
      });
      const shown = found.slice(0, limit);
      const view = await activityView(product, identity, { events: shown });
      const last = shown.at(-1);
      return {
        items: shown.flatMap((event) => {
          const seen = view.event(event);
          return seen === undefined ? [] : cloudEventOf(seen, product);
        }),
        next_cursor: found.length > limit && last !== undefined ? cursorOf(String(last.sequence)) : null,
      };
    },
  },
  {
    method: 'GET',
    path: '/activity/stream',
    operationId: 'streamEvents',
    summary: 'Events as they happen (server-sent events); Last-Event-ID resumes a stream',
    tag: 'activity',
    access: 'activity:read',
    query: {
      ...FILTERS,
      since: { type: 'integer', minimum: 0, description: 'a sequence; absent: what happens from now on' },
    },
    answers: { 200: { description: 'a stream', types: ['text/event-stream'] } },
    handle: async (call) => {
      const { query, request, reply } = call;
      const last = request.headers['last-event-id'];
      const since = typeof last === 'string' && /^\d{1,15}$/.test(last) ? Number(last) : query['since'];
      return reply
        .type('text/event-stream')
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no')
        .send(
          // One piece at a time: what the listener does not take is not read from the log.
          Readable.from(eventStream(call, typeof since === 'number' ? since : undefined), {
            highWaterMark: 1,
          }),
        );
    },
  },
];

/** Events behind `since`, until the caller goes, may no longer listen, or the server ends. */
async function* eventStream(call: ProductCall, since: number | undefined): AsyncGenerator<string> {
  const { product } = call;
  const signal = AbortSignal.any([call.signal, call.draining]);
  const { events } = product.world.state;
  const tail = product.ongoing.eventTail;
  let after = since ?? (await events.lastSequence());
  let { identity } = call;
  let [checkedAt, saidAt] = [performance.now(), performance.now()];
  yield `: open\nretry: 2000\n\n`;
  while (!signal.aborted) {
    if (performance.now() - checkedAt >= RECHECK_MS) {
      const now = await call.again();
      if (now === undefined || !permits(now, 'activity:read', product)) {
        yield 'event: end\ndata: {"reason": "the credential is no longer valid"}\n\n';
        return;
      }
      identity = now;
      checkedAt = performance.now();
    }
    const last = await events.lastSequence();
    const found = await events.events({ after, ...filtersIn(call), limit: PAGE });
    if (found.length > 0) {
      const view = await activityView(product, identity, { events: found });
      for (const [index, event] of found.entries()) {
        // A slow listener takes a page for as long as it likes; a slow page has at least its first event sent.
        if (signal.aborted || (index > 0 && performance.now() - checkedAt >= RECHECK_MS)) break;
        after = event.sequence;
        const seen = view.event(event);
        if (seen === undefined) continue;
        yield `id: ${event.sequence}\nevent: ${event.event}\ndata: ${JSON.stringify(cloudEventOf(seen, product))}\n\n`;
        saidAt = performance.now();
      }
      continue;
    }
    after = Math.max(after, last);
    await tail.next(after, { signal, ms: RECHECK_MS });
    if (performance.now() - saidAt >= HEARTBEAT_MS) {
      saidAt = performance.now();
      yield ': still here\n\n';
    }
  }
}
