import type { ServerLimits } from '../../domain/server-limits.ts';
import { tagged } from './answers/conditional.ts';
import { openapiDocument } from './openapi/openapi-document.ts';
import { graphqlBase, productBase } from './product-addresses.ts';
import type { Api, ProductCall, Route } from './route.ts';
import { activityRoutes } from './routes/activity-routes.ts';
import { eventRoutes } from './routes/event-routes.ts';
import { exportRoute } from './routes/export-route.ts';
import { type GraphqlDoor, graphqlApiRoutes, graphqlRoutes } from './routes/graphql-routes.ts';
import { metadataRoutes } from './routes/metadata-routes.ts';
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
    description: 'One data product: its questions and answers, what it is made of and what happens to it.',
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
      ...graphqlApiRoutes(graphql).map(asking),
    ],
  };
  return api;
}

/** A question that is asked twice has the same answer: nothing but the statement is made. */
const asking = (route: Route<ProductCall>): Route<ProductCall> => ({ ...route, canRepeat: true });

/** What is beside the API of a product: the usual address of GraphQL clients. */
export function besideApi(service: string, graphql: GraphqlDoor): Api<ProductCall> {
  return {
    title: 'GraphQL',
    description: 'Questions to one data product in GraphQL.',
    base: graphqlBase(service),
    routes: graphqlRoutes(graphql).map(asking),
  };
}
