import type { Incident } from '../../domain/check-result.ts';
import type { Identity } from '../../domain/principal.ts';
import { type VisibleResult, visibleIncident } from '../../domain/visible-check.ts';
import type { ProductReader } from '../product-reader.ts';
import { foundCheck } from './found-check.ts';
import { knownResults } from './known-results.ts';

export interface OneIncident {
  readonly incident: Incident;
  /** Of its check, newest first. */
  readonly results: readonly VisibleResult[];
}

const RESULTS_MAX = 20;

export async function oneIncident(product: ProductReader, asker: Identity, id: string): Promise<OneIncident> {
  const incident = await product.world.state.quality.incident(id);
  const { found, view } = await foundCheck(product, asker, { id, found: incident });
  return {
    incident: visibleIncident(found, view.reader),
    results: await knownResults(product, view, { check: found.check, limit: RESULTS_MAX }),
  };
}
