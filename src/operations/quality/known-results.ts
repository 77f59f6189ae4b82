import type { QualityReader } from '../../domain/quality-store.ts';
import { type VisibleResult, visibleResult } from '../../domain/visible-check.ts';
import type { ProductReader } from '../product-reader.ts';
import { namedItems } from './named-items.ts';
import type { QualityView } from './quality-view.ts';

/** Results of checks, newest first, as the caller may know them. */
export async function knownResults(
  { world }: ProductReader,
  { environment, reader, isNamed }: QualityView,
  wanted: Omit<Parameters<QualityReader['results']>[0], 'environment'>,
): Promise<readonly VisibleResult[]> {
  const found = await namedItems(
    wanted,
    (page) => world.state.quality.results({ ...wanted, ...page, environment: environment.name }),
    isNamed,
  );
  return found.map((result) => visibleResult(result, reader));
}
