/** The metadata group: what a product is, what it is made of, and what hangs on what. */

import type { AppliedProduct } from '../../../domain/applied-product.ts';
import { tableOf } from '../../../domain/environment.ts';
import { findModel } from '../../../domain/find-model.ts';
import { metricInfos } from '../../../domain/metric-info.ts';
import type { Model } from '../../../domain/model.ts';
import type { ModelStatus } from '../../../domain/model-status.ts';
import { permits } from '../../../domain/permissions.ts';
import { changeJson } from '../../../domain/plan-json.ts';
import { physicalRelation, relationText, viewRelation } from '../../../domain/relation.ts';
import { markdownHtml } from '../../../foundation/markdown-html.ts';
import { isoInstant } from '../../../foundation/time/iso.ts';
import { visibleSemantics } from '../../../operations/ask/visible-semantics.ts';
import { activityView } from '../../../operations/catalog/activity-view.ts';
import { appliedChanges } from '../../../operations/catalog/applied-changes.ts';
import { appliedProduct } from '../../../operations/catalog/applied-product.ts';
import { modelActivity } from '../../../operations/catalog/model-activity.ts';
import { productPage } from '../../../operations/catalog/product-page.ts';
import { searchProduct } from '../../../operations/catalog/search-product.ts';
import { shownPolicies } from '../../../operations/catalog/shown-policies.ts';
import { visibleProduct } from '../../../operations/catalog/visible-product.ts';
import { visibleSql } from '../../../operations/catalog/visible-sql.ts';
import { status } from '../../../operations/change/status.ts';
import { originOf } from '../answers/addresses.ts';
import { freshnessBody, healthBody } from '../answers/health-body.ts';
import { listSchemaOf } from '../answers/list-schema.ts';
import {
  type AppliedModelFacts,
  dataType,
  modelBody,
  modelSummary,
  semanticBody,
  usageBody,
} from '../answers/metadata-body.ts';
import { environmentIn, reader, seenBy } from '../answers/metadata-reader.ts';
import { afterOf, cursorOf, limitOf, PAGE_QUERY, page } from '../answers/page.ts';
import { Problem } from '../answers/problem.ts';
import { timeIn } from '../arrival/time-in.ts';
import { productAddresses } from '../product-addresses.ts';
import type { ProductCall, Route } from '../route.ts';
import {
  APPLIED_CHANGES,
  MODEL,
  MODEL_SUMMARY,
  PRODUCT,
  SEARCH,
  SEMANTICS,
} from '../schemas/metadata-schemas.ts';
import { lineageRoutes } from './lineage-routes.ts';

function modelNamed(seen: AppliedProduct, name: string): Model {
  const found = findModel(seen, name);
  if (!found.ok) throw new Problem(404, found.problem);
  return found.model;
}

const productRoute = reader(
  '/metadata',
  {
    operationId: 'getProduct',
    summary: 'The product on one page: identity, owners, health, freshness, ports, counts, readme, usage',
    answers: {
      200: {
        description: 'the product',
        schema: PRODUCT,
      },
    },
  },
  async (call) => {
    const { product } = call;
    const { config } = product.world;
    const found = await productPage(product, environmentIn(call));
    const seen = found.health === 'empty' ? undefined : await seenBy(call);
    const segments = call.request.url.split('/');
    const at = productAddresses(product, segments[1] ?? '');
    const origin = originOf(call.platform, call.request);
    return {
      name: product.name,
      tenant: product.tenant,
      slug: product.slug,
      display_name: config.displayName ?? null,
      description: config.description ?? null,
      version: config.version ?? null,
      domain: config.domain ?? null,
      owner: config.owner ?? null,
      owners: found.owners,
      tags: config.tags,
      terms: config.terms,
      environment: found.environment,
      health: healthBody(found, seen),
      freshness: freshnessBody(found, config.slo.freshness?.maxAge, seen),
      ports: {
        rest: `${origin}${at.rest}`,
        graphql: `${origin}${at.graphql}`,
        sql: `${origin}${at.rest}/query/statement`,
        events: `${origin}${at.rest}/activity/stream`,
        openapi: `${origin}${at.rest}/openapi.json`,
      },
      counts: countsOf(seen),
      readme: found.readme ?? null,
      readme_html: found.readme === undefined ? null : markdownHtml(found.readme),
      usage: usageBody(found, seen),
    };
  },
);

function countsOf(seen: AppliedProduct | undefined): Readonly<Record<string, number>> {
  const { models = [], semanticModels = [], metrics = [] } = seen ?? {};
  const sum = <Item>(items: readonly Item[], count: (item: Item) => number): number =>
    items.reduce((all, item) => all + count(item), 0);
  return {
    models: models.length,
    columns: sum(models, ({ columns }) => columns.length),
    audits: sum(models, ({ audits }) => audits.length),
    semantic_models: semanticModels.length,
    dimensions: sum(semanticModels, ({ dimensions = [] }) => dimensions.length),
    measures: sum(semanticModels, ({ measures }) => measures.length),
    metrics: metrics.length,
  };
}

const modelRoutes: readonly Route<ProductCall>[] = [
  reader(
    '/metadata/models',
    {
      operationId: 'listModels',
      summary: 'The models of an environment as they were applied',
      query: {
        ...PAGE_QUERY,
        tag: { type: 'string', maxLength: 200 },
        kind: { type: 'string', maxLength: 100 },
      },
      answers: { 200: { description: 'models', schema: listSchemaOf(MODEL_SUMMARY) } },
    },
    async (call) => {
      const { tag, kind } = call.query;
      const models = (await seenBy(call)).models
        .map(modelSummary)
        .filter(
          (model) =>
            (tag === undefined || (model['tags'] as readonly unknown[]).includes(tag)) &&
            (kind === undefined || model['kind'] === kind),
        )
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      return page(models, { query: call.query, keyOf: ({ name }) => name });
    },
  ),
  reader(
    '/metadata/models/{name}',
    {
      operationId: 'getModel',
      summary: 'One model: columns, lineage, SQL, its view and its health',
      answers: { 200: { description: 'the model', schema: MODEL } },
    },
    async (call) => {
      const seen = await seenBy(call);
      const model = modelNamed(seen, call.path['name'] ?? '');
      return modelBody(model, await appliedFactsOf(call, seen, model));
    },
  ),
];

async function appliedFactsOf(
  { product, identity }: ProductCall,
  { environment: { name: environment, entries } }: AppliedProduct,
  model: Model,
): Promise<AppliedModelFacts> {
  const { world } = product;
  const [state, activities, showsSql] = await Promise.all([
    status(world, { environment, executionTime: world.clock.now() }),
    modelActivity(world, { environment }),
    visibleSql(product, identity, environment),
  ]);
  const entry = entries.find((each) => each.model === model.name);
  const table = entry && tableOf(entry);
  const found = activities.find((each) => each.model === model.name);
  const runs = found === undefined ? [] : [found.lastRun];
  const view = await activityView(product, identity, { environments: [environment], runs });
  const seen = found && view.run({ ...found.lastRun, models: [found.last] }).models[0];
  const own = state.models.find((each) => each.model === model.name);
  return {
    view: table === undefined ? null : relationText(viewRelation(model.name, world.naming(environment))),
    table:
      table === undefined || !permits(identity, 'query:models', product)
        ? null
        : relationText(physicalRelation(table, world.engine.capabilities.identifierMax)),
    showsSql: showsSql(model.name),
    // The words of what was wrong with it may quote its rows.
    status: own && !view.mayQuote(model.name) ? withoutDetail(own) : own,
    activity: found && seen && { ...found, last: seen },
  };
}

const withoutDetail = ({ detail: _, ...status }: ModelStatus): ModelStatus => status;

const semanticRoute = reader(
  '/metadata/semantic',
  {
    operationId: 'getSemantics',
    summary: 'Semantic models and metrics that the caller may ask',
    answers: {
      200: {
        description: 'members, joins and metrics',
        schema: SEMANTICS,
      },
    },
  },
  async (call) => {
    const seen = await seenBy(call);
    const { models: views, metrics } = await visibleSemantics(
      call.product,
      call.identity,
      seen.environment.name,
    );
    const policies = await shownPolicies(call.product, call.identity, seen.environment.name);
    const models = new Map(seen.models.map((model) => [model.name.toLowerCase(), model]));
    const viewOf = new Map(views.map((view) => [view.name, view]));
    const typeOf = new Map(metrics.map(({ name, type }) => [name, type]));
    return {
      environment: seen.environment.name,
      models: seen.semanticModels.map((semantic) =>
        semanticBody(semantic, {
          model: models.get(semantic.model.value.toLowerCase()),
          seen: viewOf.get(semantic.name.value),
          policies: policies.get(semantic.name.value.toLowerCase()),
        }),
      ),
      metrics: metricInfos(seen).map((metric) => ({
        ...metric,
        data_type: dataType(typeOf.get(metric.name)),
      })),
    };
  },
);

const findRoutes: readonly Route<ProductCall>[] = [
  reader(
    '/metadata/search',
    {
      operationId: 'search',
      summary: 'Search models, columns, members and metrics, the best match first',
      query: {
        q: { type: 'string', maxLength: 200 },
        limit: { type: 'integer', minimum: 1, maximum: 1000, description: '100 when absent' },
      },
      answers: {
        200: {
          description: 'what was found',
          schema: SEARCH,
        },
      },
    },
    async (call) => {
      const hits = searchProduct(call.product, await seenBy(call), String(call.query['q'] ?? ''));
      return { items: hits.slice(0, limitOf(call.query)) };
    },
  ),
  reader(
    '/metadata/changes',
    {
      operationId: 'listChanges',
      summary: 'What was applied to an environment, newest first',
      query: {
        ...PAGE_QUERY,
        since: { type: 'string', maxLength: 40, description: 'an RFC 3339 time: only what came after it' },
      },
      answers: {
        200: {
          description: 'plans with their changes',
          schema: listSchemaOf(APPLIED_CHANGES),
        },
      },
    },
    async (call) => {
      const applied = await appliedProduct(call.product, call.identity, environmentIn(call));
      const seen = await visibleProduct(call.product, applied, call.identity);
      const showsSql = await visibleSql(call.product, call.identity, applied.environment.name);
      const { items, next } = await appliedChanges(call.product.world, seen, {
        isWhole: seen.isPart !== true,
        since: timeIn(call.query, 'since'),
        before: afterOf(call.query),
        limit: limitOf(call.query),
      });
      return {
        items: items.map(({ record, promotedAt, changes }) => ({
          plan_id: record.id,
          at: isoInstant(promotedAt),
          who: record.who,
          breaking: changes.some(({ isBreaking }) => isBreaking),
          changes: changes.map(({ change, isBreaking }) => {
            const { sql_diff: diff, ...shown } = changeJson(change);
            return {
              ...shown,
              breaking: isBreaking,
              ...(showsSql(change.name) && diff !== undefined ? { sql_diff: diff } : {}),
            };
          }),
        })),
        next_cursor: next === undefined ? null : cursorOf(next),
      };
    },
  ),
];

export const metadataRoutes: readonly Route<ProductCall>[] = [
  productRoute,
  ...modelRoutes,
  semanticRoute,
  ...lineageRoutes,
  ...findRoutes,
];
