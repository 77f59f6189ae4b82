import { productBase } from './product-addresses.ts';
import type { Api, ProductCall, Route } from './route.ts';
import { activityRoutes } from './routes/activity-routes.ts';
import { queryRoutes } from './routes/query-routes.ts';

/** The API of one data product; `more` comes from other doors. */
export function productApi(service: string, more: readonly Route<ProductCall>[]): Api<ProductCall> {
  return {
    title: 'Data Product API',
    description: 'One data product: its questions and answers, what it is made of and what happens to it.',
    base: productBase(service),
    routes: [...queryRoutes, ...activityRoutes, ...more],
  };
}
