import type { Product } from '../../operations/platform.ts';

/** Where everything of a product is, below the server's own address. */
export interface ProductAddresses {
  readonly root: string;
  readonly rest: string;
  readonly graphql: string;
}

/** `service` is the path segment that stands for the platform. */
export function productAddresses(
  { tenant, slug }: Pick<Product, 'tenant' | 'slug'>,
  service: string,
): ProductAddresses {
  const root = `/${service}/tenants/${tenant}/data-products/${slug}`;
  return { root, rest: `${root}/api/v1`, graphql: `${root}/graphql` };
}

/** The base of the Data Product API as the route table has it. */
export const productBase = (service: string): string =>
  productAddresses({ tenant: '{tenant}', slug: '{slug}' }, service).rest;

/** The base of the GraphQL door as the route table has it. */
export const graphqlBase = (service: string): string =>
  productAddresses({ tenant: '{tenant}', slug: '{slug}' }, service).graphql;
