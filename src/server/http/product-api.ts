import type { KeptAnswer } from '../../domain/answer-store.ts';
import type { ServerLimits } from '../../domain/server-limits.ts';
import { checkOwnStatement } from '../../operations/ask/statement-result.ts';
import { tagged } from './answers/conditional.ts';
import { openapiDocument } from './openapi/openapi-document.ts';
import { graphqlBase, productBase } from './product-addresses.ts';
import type { Api, ProductCall, Route } from './route.ts';
import { activityRoutes } from './routes/activity-routes.ts';
import { channelRoutes, ruleRoutes } from './routes/channel-routes.ts';
import { controlRoutes } from './routes/control-routes.ts';
import { eventRoutes } from './routes/event-routes.ts';
import { exportRoute } from './routes/export-route.ts';
import { followerRoutes } from './routes/follower-routes.ts';
import { type GraphqlDoor, graphqlApiRoutes, graphqlRoutes } from './routes/graphql-routes.ts';
import { metadataRoutes } from './routes/metadata-routes.ts';
import { notificationRoutes } from './routes/notification-routes.ts';
import { perspectiveRoutes } from './routes/perspective-routes.ts';
import { qualityRoutes } from './routes/quality-routes.ts';
import { queryRoutes } from './routes/query-routes.ts';
import { workRoutes } from './routes/work-routes.ts';

/** The API of one data product; the GraphQL door answers its own address in it. */
export function productApi(
  service: string,
  graphql: GraphqlDoor,
  { limits, version }: { readonly limits: ServerLimits; readonly version: string },
): Api<ProductCall> {
  const api: Api<ProductCall> = {
    title: 'Data Product API',
    description:
      'One data product: queries, metadata, activity, data quality, perspectives, notifications and followers.',
    base: productBase(service),
    routes: [
      ...metadataRoutes.map(tagged),
      tagged(
        exportRoute({
          sdl: graphql.sdl,
          openapi: (server) => openapiDocument(api, { version, server }),
        }),
      ),
      ...queryRoutes(limits.statements).map(asking),
      ...eventRoutes,
      ...activityRoutes,
      ...workRoutes,
      ...qualityRoutes,
      ...controlRoutes,
      ...channelRoutes,
      ...ruleRoutes,
      ...notificationRoutes,
      ...followerRoutes,
      ...perspectiveRoutes,
      ...graphqlApiRoutes(graphql).map(asking),
    ],
  };
  return api;
}

/** A question that is asked twice has the same answer, for those who could ask it now: nothing but the statement is made. */
const asking = (route: Route<ProductCall>): Route<ProductCall> => ({
  ...route,
  canRepeat: true,
  mayRepeat:
    route.mayRepeat ??
    (async ({ product, identity, body }, answer) => {
      const statements = statementsIn(answer);
      for (const id of statements) await checkOwnStatement(product, identity, id);
      // What names things or further statements is asked again: the rights of the caller may have changed.
      return statements.length > 0 && !tellsOfNames(body);
    }),
});

/** Whether GraphQL asks for more than rows. */
function tellsOfNames(body: unknown): boolean {
  const { query } = (body ?? {}) as { readonly query?: unknown };
  return typeof query === 'string' && /\b(?:statements|__schema|__type)\b/.test(query);
}

/** Ids of the statements that a kept answer names: it is one, or GraphQL asked some. */
function statementsIn({ text }: KeptAnswer): readonly string[] {
  const { id, extensions } = JSON.parse(text) as {
    readonly id?: string;
    readonly extensions?: { readonly statements?: readonly { readonly id: string }[] };
  };
  return id === undefined ? (extensions?.statements?.map((statement) => statement.id) ?? []) : [id];
}

/** What is beside the API of a product: the usual address of GraphQL clients. */
export function besideApi(service: string, graphql: GraphqlDoor): Api<ProductCall> {
  return {
    title: 'GraphQL',
    description: 'Questions to one data product in GraphQL.',
    base: graphqlBase(service),
    routes: graphqlRoutes(graphql).map(asking),
  };
}
