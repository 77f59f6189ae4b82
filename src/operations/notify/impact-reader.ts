import type { ImpactReader } from '../../domain/impact-for.ts';
import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import { viewerOf } from '../perspectives/viewer-of.ts';
import type { ProductReader } from '../product-reader.ts';
import { partiesOf } from './followers.ts';

/** A caller as a list of what a change reaches sees them. */
export function impactReader(product: ProductReader, asker: Identity): ImpactReader {
  return {
    viewer: viewerOf(product, asker),
    parties: permits(asker, 'admin', product) ? 'all' : new Set(partiesOf(asker)),
    seesStatements: permits(asker, 'query:read-all', product),
  };
}
