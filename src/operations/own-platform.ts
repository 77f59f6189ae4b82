import type { ServerLimits } from '../domain/server-limits.ts';
import { noOngoingWork } from './ongoing-work.ts';
import type { OpenedWorld } from './open-world.ts';
import { type Platform, type Product, productIn } from './platform.ts';
import { productCaches } from './product-caches.ts';
import type { Workspace } from './workspace.ts';

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

/** `limits`: those of the server, when it is not the first folder. */
export function productOf(workspace: Workspace, world: OpenedWorld, limits?: ServerLimits): Product {
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
    ongoing: noOngoingWork(world),
  };
}

export const slugOf = ({ tenant, name }: Pick<Product, 'tenant' | 'name'>): string => `${tenant}-${name}`;
