import { isInScope, permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import type { ProductReader } from '../product-reader.ts';

/** Whether a principal of its tenant may learn that a product exists: with access to it, or always when it is `discoverable`. */
export function mayFind(identity: Identity, product: ProductReader): boolean {
  const isOpen = product.world.config.isDiscoverable && isInScope(identity, 'metadata:read');
  return isOpen || permits(identity, 'metadata:read', product);
}
