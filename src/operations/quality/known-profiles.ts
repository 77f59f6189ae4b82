import { type VisibleProfile, visibleProfile } from '../../domain/visible-profile.ts';
import type { ProductReader } from '../product-reader.ts';
import { namedItems } from './named-items.ts';
import { hiddenFrom, type QualityView } from './quality-view.ts';

/** Profiles of tables, newest first, as the caller may know them. */
export async function knownProfiles(
  { world }: ProductReader,
  { environment, reader, isNamed }: QualityView,
  wanted: { readonly model?: string; readonly before?: string; readonly limit: number },
): Promise<readonly VisibleProfile[]> {
  const found = await namedItems(
    wanted,
    (page) => world.state.quality.profiles({ ...wanted, ...page, environment: environment.name }),
    isNamed,
  );
  return found.map((profile) => visibleProfile(profile, hiddenFrom(reader)));
}
