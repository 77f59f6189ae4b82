import { permits } from '../../domain/permissions.ts';
import type { PerspectiveViewer } from '../../domain/perspective.ts';
import type { Identity } from '../../domain/principal.ts';
import { shareKeysFor } from '../access/share-keys-for.ts';
import type { ProductReader } from '../product-reader.ts';

/** A caller as perspectives of a product see them. */
export const viewerOf = (product: ProductReader, identity: Identity): PerspectiveViewer => ({
  principalId: identity.principalId,
  shareKeys: shareKeysFor(product, identity),
  isAdmin: permits(identity, 'admin', product),
});
