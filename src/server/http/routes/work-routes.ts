/** The activity group's verbs: plan, apply, run, cancel. */

import { brokenJson } from '../../../domain/broken-json.ts';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { impactFor } from '../../../domain/impact-for.ts';
import { impactJson } from '../../../domain/impact-json.ts';
import type { PlanOptions } from '../../../domain/plan.ts';
import type { Run } from '../../../domain/run.ts';
import { runJson } from '../../../domain/run-json.ts';
import { parseTime } from '../../../foundation/time/relative-date.ts';
import { activityView } from '../../../operations/catalog/activity-view.ts';
import { impactReader } from '../../../operations/notify/impact-reader.ts';
import { brokenByPlan } from '../../../operations/perspectives/broken-by-plan.ts';
import { viewerOf } from '../../../operations/perspectives/viewer-of.ts';
import { cancelRun } from '../../../operations/serve/cancel-run.ts';
import { previewPlan } from '../../../operations/serve/preview-plan.ts';
import { startPlan, startRun } from '../../../operations/serve/start-work.ts';
import { Problem, refused } from '../answers/problem.ts';
import type { JsonSchema, ProductCall, Route } from '../route.ts';
import { PREVIEW, RUN } from '../schemas/activity-schemas.ts';
import { ENVIRONMENT } from '../schemas/name-schemas.ts';
import { addressBelow } from './statement-routes.ts';

/** What the plan breaks of the perspectives that the caller may see. */
async function brokenFor({ product, identity }: ProductCall, id: string): Promise<readonly unknown[]> {
  const plan = await product.world.state.snapshots.plan(id);
  if (plan === undefined) return [];
  return (await brokenByPlan(product.world, plan, viewerOf(product, identity))).map(brokenJson);
}

const TIME: JsonSchema = { type: 'string', minLength: 1, maxLength: 100 };
const SELECTION: JsonSchema = { type: 'string', minLength: 1, maxLength: 10_000 };
const NAMES: JsonSchema = {
  type: 'array',
  maxItems: 10_000,
  items: { type: 'string', minLength: 1, maxLength: 500 },
};
const FLAG: JsonSchema = { type: 'boolean' };

interface PlanFields {
  readonly environment?: string;
  readonly select?: string;
  readonly start?: string;
  readonly end?: string;
  readonly effective_from?: string;
  readonly restate_models?: readonly string[];
  readonly forward_only?: boolean;
  readonly skip_backfill?: boolean;
  readonly empty_backfill?: boolean;
  readonly no_gaps?: boolean;
  readonly allow_destructive_models?: readonly string[];
  readonly categories?: PlanOptions['categories'];
  readonly run?: boolean;
  readonly shared?: boolean;
}

const optionsOf = (fields: PlanFields): PlanOptions => ({
  ...(fields.select === undefined ? {} : { selection: fields.select }),
  ...(fields.start === undefined ? {} : { start: fields.start }),
  ...(fields.end === undefined ? {} : { end: fields.end }),
  ...(fields.effective_from === undefined ? {} : { effectiveFrom: fields.effective_from }),
  restateModels: fields.restate_models ?? [],
  isForwardOnly: fields.forward_only ?? false,
  skipBackfill: fields.skip_backfill ?? false,
  emptyBackfill: fields.empty_backfill ?? false,
  noGaps: fields.no_gaps ?? false,
  allowDestructiveModels: fields.allow_destructive_models ?? [],
  categories: fields.categories ?? {},
  withRun: fields.run ?? false,
  isShared: fields.shared ?? false,
});

/** Relative ones are counted from now; only their form is looked at here. */
function refuseBadTimes(fields: PlanFields, now: number): void {
  const errors = (['start', 'end', 'effective_from'] as const).flatMap((name) => {
    const text = fields[name];
    if (text === undefined || parseTime(text, now).kind === 'time') return [];
    return [{ path: `body/${name}`, message: "is not a time such as '2025-06-01' or '3 days ago'" }];
  });
  if (errors.length === 0) return;
  const count = errors.length === 1 ? 'one thing' : `${errors.length} things`;
  throw new Problem(422, diagnostic('http.invalid', { count }), { errors });
}

/** How the journal names the caller. */
const whoOf = ({ identity }: ProductCall): string => `${identity.name} (${identity.principalId}, by HTTP)`;

/** A run as the caller may know it. */
async function shown({ product, identity }: ProductCall, run: Run): Promise<unknown> {
  const view = await activityView(product, identity, { runs: [run] });
  return { id: run.id, ...runJson(view.run(run)) };
}

const begun = (call: ProductCall, run: Run): Promise<unknown> => {
  call.reply.code(202).header('location', addressBelow(call, `/activity/runs/${run.id}`));
  return shown(call, run);
};

export const workRoutes: readonly Route<ProductCall>[] = [
  {
    method: 'POST',
    path: '/activity/plans',
    operationId: 'previewPlan',
    summary: 'What would change in an environment; nothing does until the plan is applied',
    tag: 'activity',
    access: 'activity:run',
    body: {
      type: 'object',
      additionalProperties: false,
      properties: {
        environment: ENVIRONMENT,
        select: SELECTION,
        start: TIME,
        end: TIME,
        effective_from: TIME,
        restate_models: NAMES,
        forward_only: FLAG,
        skip_backfill: FLAG,
        empty_backfill: FLAG,
        no_gaps: FLAG,
        allow_destructive_models: NAMES,
        categories: {
          type: 'object',
          additionalProperties: { type: 'string', enum: ['breaking', 'non-breaking', 'forward-only'] },
        },
        run: FLAG,
        shared: FLAG,
      },
    },
    answers: {
      201: {
        description: 'the plan',
        schema: PREVIEW,
      },
    },
    handle: async (call) => {
      const fields = call.body as PlanFields;
      refuseBadTimes(fields, call.product.world.clock.now());
      const planned = await previewPlan(call.product, {
        environment: fields.environment,
        options: optionsOf(fields),
        who: whoOf(call),
        signal: call.signal,
      });
      if (planned.kind === 'refused') throw refused(planned.diagnostics);
      const broken = await brokenFor(call, planned.id);
      const impact = impactJson(impactFor(planned.impact, impactReader(call.product, call.identity)));
      const more = JSON.stringify({ ...impact, perspectives: broken });
      return call.reply
        .code(201)
        .header('location', addressBelow(call, `/activity/plans/${planned.id}`))
        .type('application/json')
        .send(`${planned.body.slice(0, -1)},${more.slice(1)}`);
    },
  },
  {
    method: 'POST',
    path: '/activity/plans/{id}/apply',
    operationId: 'applyPlan',
    summary: 'Start applying a plan',
    tag: 'activity',
    access: 'activity:run',
    hasOptionalBody: true,
    body: {
      type: 'object',
      additionalProperties: false,
      properties: { allow_wider_access: FLAG },
    },
    answers: { 202: { description: 'the run that has begun', schema: RUN } },
    handle: async (call) => {
      const { allow_wider_access: allowsWiderAccess } = call.body as {
        readonly allow_wider_access?: boolean;
      };
      const asked = { who: whoOf(call), allowsWiderAccess };
      return begun(call, await startPlan(call.product, call.path['id'] ?? '', asked));
    },
  },
  {
    method: 'POST',
    path: '/activity/runs',
    operationId: 'startRun',
    summary: 'Start a run: fill what is due',
    tag: 'activity',
    access: 'activity:run',
    body: {
      type: 'object',
      additionalProperties: false,
      properties: { environment: ENVIRONMENT, select: SELECTION, shared: FLAG },
    },
    answers: { 202: { description: 'the run that has begun', schema: RUN } },
    handle: async (call) => {
      const { environment, select, shared } = call.body as {
        readonly environment?: string;
        readonly select?: string;
        readonly shared?: boolean;
      };
      const request = { environment, selection: select, isShared: shared, who: whoOf(call) };
      return begun(call, await startRun(call.product, request));
    },
  },
  {
    method: 'POST',
    path: '/activity/runs/{id}/cancel',
    operationId: 'cancelRun',
    summary: 'Cancel a run of this server; one that has ended stays as it is',
    tag: 'activity',
    access: 'activity:run',
    answers: { 200: { description: 'the run after the request', schema: RUN } },
    handle: async (call) => shown(call, await cancelRun(call.product, call.path['id'] ?? '')),
  },
];
