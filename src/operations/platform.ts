import { basename, isAbsolute } from 'node:path';
import { Failure, failure } from '../domain/failure.ts';
import { SERVER_LIMITS, type ServerLimits } from '../domain/server-limits.ts';
import { type OpenedWorld, openWorld, readConfig } from './open-world.ts';
import { productCaches } from './product-caches.ts';
import type { ProductReader } from './product-reader.ts';
import { nothingUnderway, type Underway } from './underway.ts';
import { openWorkspace, realPlace, statePlace, type Workspace } from './workspace.ts';

/** One project folder as a server has it open. */
export interface Product extends ProductReader {
  readonly workspace: Workspace;
  readonly world: OpenedWorld;
  readonly underway: Underway;
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

export interface PlatformOptions {
  readonly folders: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly gateway?: string | undefined;
  readonly executionTime: number;
}

/**
 * Opens warehouse and state of each folder; two folders of one address, or with one state, are refused. One whose state cannot be
 * used is lost, unless it is the first: the principals of the platform are kept there.
 */
export async function openPlatform(options: PlatformOptions): Promise<Platform> {
  const products: Product[] = [];
  const lost: LostProduct[] = [];
  const close = async (): Promise<void> => {
    for (const { workspace } of products) await workspace.close();
  };
  try {
    for (const folder of options.folders) {
      const product = await openProduct(folder, options, products[0]);
      if ('error' in product) {
        lost.push(product);
        continue;
      }
      const problem = collision(products, product);
      if (problem !== undefined) {
        await product.workspace.close();
        throw problem;
      }
      products.push(product);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const [first] = products;
  const publicUrl = first?.world.config.server['public_url'];
  return {
    products,
    lost,
    limits: first?.limits ?? SERVER_LIMITS,
    ...(typeof publicUrl === 'string' ? { publicUrl } : {}),
    product: productIn(products),
    async prepare(product, work) {
      try {
        await work();
      } catch (error) {
        if (product === first || !isOfState(error)) throw error;
        const { tenant, name, slug, workspace } = product;
        products.splice(products.indexOf(product), 1);
        lost.push({ tenant, name, slug, error });
        // Why it is lost is reported above; errors of a damaged state at its close add nothing.
        await workspace.close().catch(() => undefined);
      }
    },
    close,
  };
}

const isOfState = (error: unknown): error is Failure =>
  error instanceof Failure && error.code.startsWith('state.');

const productIn =
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

/** What keeps two folders from being served together: statements, events and people of one state are those of one product. */
function collision(products: readonly Product[], product: Product): Failure | undefined {
  const same = productIn(products)(product.tenant, product.slug);
  const [shared] = products.filter((each) => stateOf(each) === stateOf(product));
  const second = basename(product.workspace.folder);
  if (same !== undefined)
    return failure('server.same-product', {
      product: product.slug,
      first: basename(same.workspace.folder),
      second,
    });
  if (shared === undefined) return undefined;
  return failure('server.same-state', { first: basename(shared.workspace.folder), second });
}

function stateOf({ workspace, world }: Product): string {
  const place = statePlace(world.gateway, workspace.folder);
  return isAbsolute(place) ? (realPlace(place) ?? place) : place;
}

async function openProduct(
  folder: string,
  { variables, gateway, executionTime }: PlatformOptions,
  first: Product | undefined,
): Promise<Product | LostProduct> {
  const workspace = openWorkspace({ folder, variables, executionTime, gateway });
  try {
    const world = await openWorld(workspace);
    return productOf(workspace, world, first?.limits);
  } catch (error) {
    const named = first !== undefined && isOfState(error) ? await readConfig(workspace) : undefined;
    await workspace.close();
    if (named === undefined || !isOfState(error)) throw error;
    const { tenant, name } = named;
    return { tenant, name, slug: slugOf(named), error };
  }
}

const slugOf = ({ tenant, name }: Pick<Product, 'tenant' | 'name'>): string => `${tenant}-${name}`;

function productOf(workspace: Workspace, world: OpenedWorld, limits?: ServerLimits): Product {
  const { tenant, name, limits: own } = world.config;
  return {
    tenant,
    name,
    slug: slugOf({ tenant, name }),
    workspace,
    world,
    limits: limits ?? own,
    createdAt: workspace.createdAt,
    caches: productCaches(),
    underway: nothingUnderway(world),
  };
}

/** One folder, opened by a command, as a server of it alone would have it; the caller closes it. */
export function ownPlatform(workspace: Workspace, world: OpenedWorld): Platform {
  const only = productOf(workspace, world);
  return {
    products: [only],
    lost: [],
    limits: only.limits,
    product: productIn([only]),
    prepare: (_, work) => work(),
    close: async () => undefined,
  };
}
