import type { CheckResult } from '../../domain/check-result.ts';
import { Failure, failure } from '../../domain/failure.ts';
import type { Identity } from '../../domain/principal.ts';
import type { ProductReader } from '../product-reader.ts';
import { type QualityView, qualityView } from './quality-view.ts';

const HIDING: ReadonlySet<string> = new Set(['policy.environment', 'environment.unknown']);

/** What was found by its id, and who looks at it; `dq.not-found` for what is not there and for what the caller may not know of, word by word alike. */
export async function foundCheck<Found extends Pick<CheckResult, 'environment' | 'model'>>(
  product: ProductReader,
  asker: Identity,
  { id, found }: { readonly id: string; readonly found: Found | undefined },
): Promise<{ readonly found: Found; readonly view: QualityView }> {
  const absent = failure('dq.not-found', { id });
  if (found === undefined) throw absent;
  try {
    const view = await qualityView(product, asker, found.environment);
    if (view.isNamed(found.model)) return { found, view };
  } catch (error) {
    if (!(error instanceof Failure) || !HIDING.has(error.code)) throw error;
  }
  throw absent;
}
