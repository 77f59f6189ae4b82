/** The activity group: what was planned, what ran, what was asked. */

import { planJson } from '../../../domain/plan-json.ts';
import { runJson } from '../../../domain/run-json.ts';
import { type QueryType, STATEMENT_STATUSES, type StatementStatus } from '../../../domain/statement.ts';
import { isoInstant } from '../../../foundation/time/iso.ts';
import { activityView } from '../../../operations/catalog/activity-view.ts';
import { failingRows } from '../../../operations/catalog/failing-rows.ts';
import { modelActivity } from '../../../operations/catalog/model-activity.ts';
import { queryActivity } from '../../../operations/catalog/query-activity.ts';
import { visiblePlan } from '../../../operations/catalog/visible-plan.ts';
import { plans, shownPlan } from '../../../operations/change/plans.ts';
import { knownRun, runs } from '../../../operations/change/runs.ts';
import { listSchemaOf } from '../answers/list-schema.ts';
import { newestFirst, pageOf } from '../answers/newest-first.ts';
import { afterOf, cursorOf, limitOf, PAGE_QUERY, page } from '../answers/page.ts';
import { statementBody } from '../answers/statement-body.ts';
import { timeIn } from '../arrival/time-in.ts';
import type { ProductCall, Route } from '../route.ts';
import { MODEL_ACTIVITY, PLAN, PLAN_SUMMARY, RUN, WHOLE_RUN } from '../schemas/activity-schemas.ts';
import { ENVIRONMENT } from '../schemas/name-schemas.ts';
import { STATEMENT_SCHEMA } from '../schemas/statement-schemas.ts';
import { addressOf } from './statement-routes.ts';

const QUERY_TYPES = [
  'sql',
  'semantic-sql',
  'semantic-query',
  'metric',
] as const satisfies readonly QueryType[];
const PLAN_STATUSES = ['planned', 'applying', 'applied', 'failed', 'interrupted'] as const;
const RUN_STATUSES = ['running', 'succeeded', 'failed', 'interrupted', 'cancelled'] as const;
const MODEL_STATUSES = ['built', 'failed', 'skipped', 'up-to-date'] as const;

const onlyIn = (query: ProductCall['query']): { readonly environment?: string } =>
  typeof query['environment'] === 'string' ? { environment: query['environment'] } : {};

const timeOrNull = (at: number | undefined): string | null => (at === undefined ? null : isoInstant(at));

export const activityRoutes: readonly Route<ProductCall>[] = [
  {
    method: 'GET',
    path: '/activity/plans',
    operationId: 'listPlans',
    summary: 'Plans, newest first',
    tag: 'activity',
    access: 'activity:read',
    query: { ...PAGE_QUERY, environment: ENVIRONMENT, status: { type: 'string', enum: PLAN_STATUSES } },
    answers: { 200: { description: 'plans', schema: listSchemaOf(PLAN_SUMMARY) } },
    handle: async ({ product, query }) => {
      const all = await plans(product.world, {
        ...onlyIn(query),
        ...(query['status'] === undefined
          ? {}
          : { status: query['status'] as (typeof PLAN_STATUSES)[number] }),
        ...pageOf(query),
      });
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
    handle: async ({ product, identity, path }) => {
      const { plan, record } = await shownPlan(product.world, path['id'] ?? '');
      return {
        id: plan.id,
        status: record.status,
        who: record.who,
        ...planJson(await visiblePlan(product, plan, identity)),
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
      status: { type: 'string', enum: RUN_STATUSES },
    },
    answers: { 200: { description: 'runs', schema: listSchemaOf(RUN) } },
    handle: async ({ product, query }) => {
      const all = await runs(product.world, {
        ...onlyIn(query),
        ...(query['status'] === undefined
          ? {}
          : { status: query['status'] as (typeof RUN_STATUSES)[number] }),
        ...pageOf(query),
      });
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
    answers: { 200: { description: 'the run', schema: WHOLE_RUN } },
    handle: async ({ product, identity, path }) => {
      const found = await knownRun(product.world, path['id'] ?? '');
      const view = await activityView(product, identity, { runs: [found] });
      const run = view.run(found);
      const rows = await failingRows(product.world, run);
      return {
        id: run.id,
        ...runJson(run, rows),
        selection: run.selection ?? null,
        error:
          run.error === undefined
            ? null
            : { code: run.error.code, message: run.error.message, hint: run.error.hint ?? null },
      };
    },
  },
  {
    method: 'GET',
    path: '/activity/models',
    operationId: 'listModelActivity',
    summary: 'The last outcome of each model, and since when its present data is shown',
    tag: 'activity',
    access: 'activity:read',
    query: {
      ...PAGE_QUERY,
      environment: ENVIRONMENT,
      status: { type: 'string', enum: MODEL_STATUSES },
    },
    answers: { 200: { description: 'models', schema: listSchemaOf(MODEL_ACTIVITY) } },
    handle: async ({ product, identity, query }) => {
      const all = await modelActivity(product.world, onlyIn(query));
      const wanted = all.filter(
        ({ last }) => query['status'] === undefined || last.status === query['status'],
      );
      const shown = page(wanted, { query, keyOf: ({ model, environment }) => `${model}\0${environment}` });
      const runs = new Map(shown.items.map(({ lastRun }) => [lastRun.id, lastRun]));
      const view = await activityView(product, identity, { runs: [...runs.values()] });
      return {
        items: shown.items.flatMap(({ model, environment, last, lastRun, builtAt, builtRows, failures }) => {
          const [seen] = view.run({ ...lastRun, models: [last] }).models;
          if (seen === undefined) return [];
          const { error } = seen;
          return {
            name: model,
            environment,
            status: last.status,
            run_id: lastRun.id,
            started_at: isoInstant(lastRun.startedAt),
            ended_at: timeOrNull(lastRun.endedAt),
            rows: last.rows,
            ms: last.ms,
            error: error === undefined ? null : { code: error.code, message: error.message },
            built_at: timeOrNull(builtAt),
            built_rows: builtRows ?? null,
            failures,
          };
        }),
        next_cursor: shown.next_cursor,
      };
    },
  },
  {
    method: 'GET',
    path: '/activity/queries',
    operationId: 'listQueryActivity',
    summary: "Past queries, newest first: of all callers with query:read-all, otherwise one's own",
    tag: 'activity',
    access: 'activity:read',
    query: {
      ...PAGE_QUERY,
      environment: ENVIRONMENT,
      status: { type: 'string', enum: STATEMENT_STATUSES },
      query_type: { type: 'string', enum: QUERY_TYPES },
      principal: { type: 'string', minLength: 1, maxLength: 100, description: 'the id of the caller' },
      model: { type: 'string', minLength: 1, maxLength: 500, description: 'one that was read' },
      tag: { type: 'string', maxLength: 100 },
      since: { type: 'string', maxLength: 40, description: 'an RFC 3339 time: asked then or later' },
    },
    answers: {
      200: {
        description: 'statements',
        schema: listSchemaOf({
          ...STATEMENT_SCHEMA,
          required: [...(STATEMENT_SCHEMA['required'] as readonly string[]), 'principal_id'],
        }),
      },
    },
    handle: async (call) => {
      const { product, identity, query } = call;
      const before = afterOf(query);
      const since = timeIn(query, 'since');
      const text = <Name extends string>(name: string, as: Name) =>
        typeof query[name] === 'string' ? ({ [as]: query[name] } as { readonly [Key in Name]?: string }) : {};
      const { items, next } = await queryActivity(product, identity, {
        limit: limitOf(query),
        ...onlyIn(query),
        ...text('principal', 'principalId'),
        ...text('model', 'model'),
        ...text('tag', 'tag'),
        ...(query['status'] === undefined ? {} : { status: query['status'] as StatementStatus }),
        ...(query['query_type'] === undefined ? {} : { queryType: query['query_type'] as QueryType }),
        ...(since === undefined ? {} : { since }),
        ...(before === undefined ? {} : { before }),
      });
      return {
        items: items.map((statement) => ({
          ...statementBody(statement, addressOf(call, statement.id)),
          principal_id: statement.principalId,
        })),
        next_cursor: next === undefined ? null : cursorOf(next),
      };
    },
  },
];
