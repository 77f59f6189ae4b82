import type { Tenant } from '../../domain/principal.ts';
import type { Directory } from './directory.ts';
import { speaksFor } from './trust.ts';

/** Sorted by name; a product's tenant is listed even without principals. */
export async function listTenants({ platform }: Directory): Promise<readonly Tenant[]> {
  const found = new Map<string, Tenant>();
  for (const { tenant } of [...platform.products, ...platform.lost])
    found.set(tenant, { name: tenant, createdAt: 0 });
  for (const product of platform.products)
    for (const tenant of await product.world.state.principals.tenants()) {
      if (!speaksFor(platform, product, tenant.name)) continue;
      const known = found.get(tenant.name);
      if (known === undefined || known.createdAt === 0) found.set(tenant.name, tenant);
    }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
