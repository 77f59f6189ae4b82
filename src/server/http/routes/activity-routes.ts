/** The activity group: what was planned, what ran, and everything that happened, as a list and as a stream. */
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { StoredEvent } from '../../../domain/state-store.ts';
import { isoInstant } from '../../../foundation/time/iso.ts';
import { plans, storedPlan } from '../../../operations/plans.ts';
import { planJson, runJson } from '../../../operations/run-json.ts';
import { runs, storedRun } from '../../../operations/runs.ts';
import { afterOf, cursorOf, limitOf, PAGE_QUERY, page } from '../page.ts';
import type { JsonSchema, ProductCall, Route } from '../route.ts';

const ENVIRONMENT: JsonSchema = { type: 'string', minLength: 1, maxLength: 100 };
/** As many records as lists look through. */
const RECORDS_MAX = 10_000;
const STREAM_POLL_MS = 500;
const HEARTBEAT_MS = 15_000;

const list = (items: JsonSchema): JsonSchema => ({
  type: 'object',
  required: ['items', 'next_cursor'],
  properties: { items: { type: 'array', items }, next_cursor: { type: ['string', 'null'] } },
});

const PLAN: JsonSchema = { type: 'object', required: ['id', 'environment', 'created_at'] };
const RUN: JsonSchema = { type: 'object', required: ['id', 'environment', 'status'] };
const EVENT: JsonSchema = { type: 'object', required: ['id', 'type', 'source', 'time'] };

/** The envelope of CloudEvents 1.0. */
function eventBody(
  { sequence, at, event, environment, runId, model, data }: StoredEvent,
  source: string,
): unknown {
  return {
    specversion: '1.0',
    id: String(sequence),
    type: event,
    source,
    time: isoInstant(at),
    sequence: String(sequence),
    ...(environment === undefined ? {} : { environment }),
    ...(runId === undefined ? {} : { run_id: runId }),
    ...(model === undefined ? {} : { model }),
    datacontenttype: 'application/json',
    data,
  };
}

const sourceOf = ({ product }: ProductCall): string =>
  `/tenants/${product.tenant}/data-products/${product.slug}`;

/** Newest first: a key that sorts the other way. */
const newestFirst = <Item extends { readonly id: string }>(
  items: readonly Item[],
  query: ProductCall['query'],
) => {
  const [limit, before] = [limitOf(query), afterOf(query)];
  const rest = before === undefined ? items : items.filter(({ id }) => id < before);
  const shown = rest.slice(0, limit);
  const last = shown.at(-1);
  return { shown, next: rest.length > limit && last !== undefined ? cursorOf(last.id) : null };
};

const onlyIn = (query: ProductCall['query']): { readonly environment?: string } =>
  typeof query['environment'] === 'string' ? { environment: query['environment'] } : {};

export const activityRoutes: readonly Route<ProductCall>[] = [
  {
    method: 'GET',
    path: '/activity',
    operationId: 'listEvents',
    summary: 'The event log, oldest first',
    tag: 'activity',
    access: 'activity:read',
    query: {
      ...PAGE_QUERY,
      environment: ENVIRONMENT,
      run_id: { type: 'string', maxLength: 100 },
      type: { type: 'string', maxLength: 100, description: 'one type of event' },
      since: { type: 'integer', minimum: 0, description: 'a sequence: only events behind it' },
    },
    answers: { 200: { description: 'events', schema: list(EVENT) } },
    handle: async (call) => {
      const { product, query } = call;
      const after = Number(afterOf(query) ?? query['since'] ?? 0);
      const limit = limitOf(query);
      const found = await product.world.state.events.events({
        after: Number.isSafeInteger(after) ? after : 0,
        ...onlyIn(query),
        ...(typeof query['run_id'] === 'string' ? { runId: query['run_id'] } : {}),
        limit: limit + 1,
      });
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      return {
        items: shown
          .filter(({ event }) => query['type'] === undefined || event === query['type'])
          .map((event) => eventBody(event, sourceOf(call))),
        next_cursor: found.length > limit && last !== undefined ? cursorOf(String(last.sequence)) : null,
      };
    },
  },
  {
    method: 'GET',
    path: '/activity/stream',
    operationId: 'streamEvents',
    summary: 'Events as they happen (server-sent events); Last-Event-ID goes on where a stream broke off',
    tag: 'activity',
    access: 'activity:read',
    query: { since: { type: 'integer', minimum: 0 } },
    answers: { 200: { description: 'a stream', types: ['text/event-stream'] } },
    handle: async (call) => {
      const { query, request, reply } = call;
      const last = request.headers['last-event-id'];
      const since = typeof last === 'string' && /^\d{1,15}$/.test(last) ? Number(last) : query['since'];
      return reply
        .type('text/event-stream')
        .header('cache-control', 'no-store')
        .send(Readable.from(eventStream(call, typeof since === 'number' ? since : undefined)));
    },
  },
  {
    method: 'GET',
    path: '/activity/plans',
    operationId: 'listPlans',
    summary: 'Plans, newest first',
    tag: 'activity',
    access: 'activity:read',
    query: { ...PAGE_QUERY, environment: ENVIRONMENT },
    answers: { 200: { description: 'plans', schema: list(PLAN) } },
    handle: async ({ product, query }) => {
      const all = await plans(product.world, { ...onlyIn(query), limit: RECORDS_MAX });
      const { shown, next } = newestFirst(all, query);
      return {
        items: shown.map(({ id, environment, createdAt, who, status, changes, stages }) => ({
          id,
          environment,
          created_at: isoInstant(createdAt),
          who,
          status,
          changes,
          stages,
        })),
        next_cursor: next,
      };
    },
  },
  {
    method: 'GET',
    path: '/activity/plans/{id}',
    operationId: 'getPlan',
    summary: 'One plan: its changes, what is missing, its stages',
    tag: 'activity',
    access: 'activity:read',
    answers: { 200: { description: 'the plan', schema: PLAN } },
    handle: async ({ product, path }) => {
      const plan = await storedPlan(product.world, path['id'] ?? '');
      const [record] = (
        await plans(product.world, { environment: plan.environment, limit: RECORDS_MAX })
      ).filter(({ id }) => id === plan.id);
      return {
        id: plan.id,
        status: record?.status ?? 'planned',
        who: record?.who ?? null,
        ...planJson(plan),
      };
    },
  },
  {
    method: 'GET',
    path: '/activity/runs',
    operationId: 'listRuns',
    summary: 'Runs, newest first; applying a plan is one',
    tag: 'activity',
    access: 'activity:read',
    query: {
      ...PAGE_QUERY,
      environment: ENVIRONMENT,
      status: { type: 'string', enum: ['running', 'succeeded', 'failed', 'interrupted', 'cancelled'] },
    },
    answers: { 200: { description: 'runs', schema: list(RUN) } },
    handle: async ({ product, query }) => {
      const all = (await runs(product.world, { ...onlyIn(query), limit: RECORDS_MAX })).filter(
        ({ status }) => query['status'] === undefined || status === query['status'],
      );
      const { shown, next } = newestFirst(all, query);
      return {
        items: shown.map((run) => ({ id: run.id, ...runJson({ ...run, models: [] }) })),
        next_cursor: next,
      };
    },
  },
  {
    method: 'GET',
    path: '/activity/runs/{id}',
    operationId: 'getRun',
    summary: 'One run, model by model',
    tag: 'activity',
    access: 'activity:read',
    answers: { 200: { description: 'the run', schema: RUN } },
    handle: async ({ product, path }) => {
      const run = await storedRun(product.world, path['id'] ?? '');
      return { id: run.id, ...runJson(run) };
    },
  },
  {
    method: 'GET',
    path: '/activity/models',
    operationId: 'listModelActivity',
    summary: 'What became of each model when it was last built',
    tag: 'activity',
    access: 'activity:read',
    query: { ...PAGE_QUERY, environment: ENVIRONMENT },
    answers: { 200: { description: 'models', schema: list({ type: 'object' }) } },
    handle: async ({ product, query }) => {
      const all = await runs(product.world, { ...onlyIn(query), limit: 1000 });
      const last = new Map<string, unknown>();
      for (const run of all)
        for (const model of run.models)
          if (!last.has(model.name))
            last.set(model.name, {
              name: model.name,
              run_id: run.id,
              environment: run.environment,
              started_at: isoInstant(run.startedAt),
              status: model.status,
              rows: model.rows,
              ms: model.ms,
            });
      const items = [...last.values()] as readonly { readonly name: string }[];
      return page(
        items.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        { query, keyOf: ({ name }) => name },
      );
    },
  },
];

/** Events behind `since` (all that come from now on without it), until the caller goes. */
async function* eventStream(call: ProductCall, since: number | undefined): AsyncGenerator<string> {
  const { product } = call;
  const signal = AbortSignal.any([call.signal, call.draining]);
  const { events } = product.world.state;
  let after = since ?? (await lastSequence(call));
  let silentFor = 0;
  yield ': open\n\n';
  while (!signal.aborted) {
    const found = await events.events({ after, limit: 500 });
    for (const event of found) {
      yield `id: ${event.sequence}\nevent: ${event.event}\ndata: ${JSON.stringify(eventBody(event, sourceOf(call)))}\n\n`;
      after = event.sequence;
    }
    if (found.length > 0) silentFor = 0;
    if (found.length === 500) continue;
    await delay(STREAM_POLL_MS, undefined, { signal }).catch(() => undefined);
    silentFor += STREAM_POLL_MS;
    if (silentFor >= HEARTBEAT_MS) {
      silentFor = 0;
      yield ': still here\n\n';
    }
  }
}

/** By halving: the log has no other end to ask for. */
async function lastSequence({ product }: ProductCall): Promise<number> {
  const { events } = product.world.state;
  let [low, high] = [0, 1];
  const isBehind = async (sequence: number): Promise<boolean> =>
    (await events.events({ after: sequence, limit: 1 })).length > 0;
  while (await isBehind(high)) [low, high] = [high, high * 2];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await isBehind(middle)) low = middle;
    else high = middle;
  }
  return high;
}
