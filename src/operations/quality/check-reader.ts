import { hiddenColumns, isOpenTo } from '../../compiler/semantic/access/protected-data.ts';
import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import type { CheckReader } from '../../domain/visible-check.ts';
import { callerOf, mayAsk } from '../access/callers.ts';
import { currentContext } from '../ask/statement-contexts.ts';
import type { ProductReader } from '../product-reader.ts';

/** What a caller may know of the data behind results, as policies say now. */
export async function checkReader(
  product: ProductReader,
  asker: Identity,
  environment: string,
): Promise<CheckReader> {
  const caller = callerOf(product, asker);
  const mayRead = permits(asker, 'query:models', product) && mayAsk(product, asker, environment);
  if (!mayRead) return { hidden: () => 'all', isOpen: false };
  if (caller.isUnrestricted) return { hidden: () => 'none', isOpen: true };
  const protection = await (await currentContext(product, environment)).protection();
  return {
    hidden: (model) => hiddenColumns(protection, caller, model),
    isOpen: isOpenTo(protection, caller),
  };
}
