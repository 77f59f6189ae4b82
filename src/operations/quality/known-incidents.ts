import type { Incident } from '../../domain/check-result.ts';
import type { QualityReader } from '../../domain/quality-store.ts';
import { visibleIncident } from '../../domain/visible-check.ts';
import type { ProductReader } from '../product-reader.ts';
import { namedItems } from './named-items.ts';
import type { QualityView } from './quality-view.ts';

/** Incidents, newest first, as the caller may know them. */
export async function knownIncidents(
  { world }: ProductReader,
  { environment, reader, isNamed }: QualityView,
  wanted: Omit<Parameters<QualityReader['incidents']>[0], 'environment'>,
): Promise<readonly Incident[]> {
  const found = await namedItems(
    wanted,
    (page) => world.state.quality.incidents({ ...wanted, ...page, environment: environment.name }),
    isNamed,
  );
  return found.map((incident) => visibleIncident(incident, reader));
}
