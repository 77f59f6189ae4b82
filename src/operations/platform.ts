import { type Failure, failure } from '../domain/failure.ts';
import type { ServerLimits } from '../domain/server-limits.ts';
import type { OngoingWork } from './ongoing-work.ts';
import type { OpenedWorld } from './open-world.ts';
import type { ProductReader } from './product-reader.ts';
import type { Workspace } from './workspace.ts';

/** One project folder as a server has it open. */
export interface Product extends ProductReader {
  readonly workspace: Workspace;
  readonly world: OpenedWorld;
  readonly ongoing: OngoingWork;
}

/** A folder whose state could not be used when the server started: the others are served without it. */
export interface LostProduct extends Pick<Product, 'tenant' | 'name' | 'slug'> {
  readonly error: Failure;
}

/** Everything one server serves. */
export interface Platform {
  readonly products: readonly Product[];
  /** What is not served until the server is started again. */
  readonly lost: readonly LostProduct[];
  /** `server.limits` of the first folder. */
  readonly limits: ServerLimits;
  /** `server.public_url` of the first folder: how callers reach the server. */
  readonly publicUrl?: string;
  /** By look-up, never by splitting the slug: names have dashes. */
  product(tenant: string, slug: string): Product | undefined;
  /** Does what the product needs to be served; one whose state cannot be used is lost. That of the first folder is thrown. */
  prepare(product: Product, work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** By look-up in a list that may change. */
export const productIn =
  (products: readonly Product[]): Platform['product'] =>
  (tenant, slug) =>
    products.find((each) => each.tenant === tenant && each.slug === slug);

/** What callers see of a product that is lost: the reason, without paths of files. */
export const notServed = ({ slug, error }: LostProduct): Failure =>
  failure(
    'server.not-served',
    { product: slug, reason: `its state cannot be used (${error.code})` },
    { cause: error },
  );
