import { apiWords } from '../../domain/diagnostics/api-words.ts';
import { failure } from '../../domain/failure.ts';
import type { Identity } from '../../domain/principal.ts';
import { withoutWords } from '../../domain/quoted-values.ts';
import { mayAsk } from '../access/callers.ts';
import type { AskedChecks } from '../ongoing-work.ts';
import type { Product } from '../platform.ts';
import { qualityView } from './quality-view.ts';

/** A check run of this server as it is now, or when it ends within the wait; `dq.not-found` when it is not known any more. */
export async function askedChecks(
  product: Product,
  asker: Identity,
  { id, waitMs }: { readonly id: string; readonly waitMs: number },
): Promise<AskedChecks> {
  const asked = product.ongoing.checks.get(id);
  if (asked === undefined || !mayAsk(product, asker, asked.environment))
    throw failure('dq.not-found', { id });
  if (asked.end === undefined && waitMs > 0) {
    const over = new AbortController();
    await Promise.race([asked.ended, product.world.clock.sleep(waitMs, over.signal)]);
    over.abort();
  }
  return visibleChecks(product, asker, asked);
}

/** The words of an error may quote rows. */
async function visibleChecks(product: Product, asker: Identity, asked: AskedChecks): Promise<AskedChecks> {
  const { end } = asked;
  if (end?.error === undefined) return asked;
  const { reader } = await qualityView(product, asker, asked.environment);
  return { ...asked, end: { ...end, error: (reader.isOpen ? apiWords : withoutWords)(end.error) } };
}
