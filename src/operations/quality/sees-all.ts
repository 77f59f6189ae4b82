import type { Identity } from '../../domain/principal.ts';
import { callerOf } from '../access/callers.ts';
import { environmentOf } from '../open-world.ts';
import type { ProductReader } from '../product-reader.ts';
import { checkReader } from './check-reader.ts';

/** Whether nothing of the product is hidden from a caller, also when it was never applied. */
export async function seesAll(product: ProductReader, asker: Identity): Promise<boolean> {
  const { config, state } = product.world;
  const environment = environmentOf(config, undefined);
  if ((await state.snapshots.environment(environment)) === undefined)
    return callerOf(product, asker).isUnrestricted;
  return (await checkReader(product, asker, environment)).isOpen;
}
