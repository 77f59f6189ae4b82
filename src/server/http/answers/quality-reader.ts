import { type QualityView, qualityView } from '../../../operations/quality/quality-view.ts';
import type { JsonSchema, ProductCall, Route } from '../route.ts';
import { ENVIRONMENT } from '../schemas/name-schemas.ts';
import { tagged } from './conditional.ts';
import { environmentIn } from './metadata-reader.ts';

/** Parameters of the dq group. */
export const ASKED: JsonSchema = { ...ENVIRONMENT, description: 'the default one when absent' };
export const MODEL: JsonSchema = { type: 'string', minLength: 1, maxLength: 500 };

export const viewFor = (call: ProductCall): Promise<QualityView> =>
  qualityView(call.product, call.identity, environmentIn(call));

/** Filters of a list that are texts, under the names that the store knows them by. */
export function textsIn<Name extends string>(
  query: ProductCall['query'],
  names: Readonly<Record<string, Name>>,
): { readonly [Key in Name]?: string } {
  const given = Object.entries(names).filter(([name]) => typeof query[name] === 'string');
  return Object.fromEntries(given.map(([name, as]) => [as, query[name]])) as { [Key in Name]?: string };
}

type About = Pick<Route<ProductCall>, 'operationId' | 'summary' | 'query' | 'handle'> & {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly access?: Route['access'];
  /** Its answer says what time it is, or how long something took: an ETag would never be the same. */
  readonly isRestless?: true;
};

/** A question of the dq group. */
export function qualityReader(
  path: string,
  { description, schema, access = 'activity:read', isRestless, ...about }: About,
): Route<ProductCall> {
  const route: Route<ProductCall> = {
    method: 'GET',
    path,
    ...about,
    tag: 'dq',
    access,
    answers: { 200: { description, schema } },
  };
  return isRestless === true ? route : tagged(route);
}
