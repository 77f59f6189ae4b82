import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import type { ProductReader } from '../product-reader.ts';
import { activityView } from './activity-view.ts';

/** Whether the SQL of a model may be shown to a caller. */
export type ShowsSql = (model: string) => boolean;

/** SQL can hold rows (`VALUES`) and quote them in conditions, so it follows the rows. Those who plan have the files. */
export async function visibleSql(
  product: ProductReader,
  asker: Identity,
  environment: string,
): Promise<ShowsSql> {
  if (!permits(asker, 'query:models', product)) return () => false;
  if (permits(asker, 'activity:run', product)) return () => true;
  return (await activityView(product, asker, { environments: [environment] })).mayQuote;
}
