import type { Words } from '../../compiler/semantic/access/quotable-words.ts';
import type { AppliedProduct } from '../../domain/applied-product.ts';
import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Run } from '../../domain/run.ts';
import type { ActivityAccess } from '../../domain/visible-activity.ts';
import { callerOf, mayAsk } from '../access/callers.ts';
import { shareKeysFor } from '../access/share-keys-for.ts';
import type { ProductReader } from '../product-reader.ts';
import { appliedIfAny } from './applied-product.ts';
import { quotingIn } from './quoting.ts';
import { visibleProduct } from './visible-product.ts';

/**
 * What a caller may know of some environments and of runs: what one of them or the default environment restricts is restricted. Of
 * environments that the caller may not ask nothing is quoted.
 */
export async function activityAccess(
  product: ProductReader,
  asker: Identity,
  { environments, runs }: { readonly environments: readonly string[]; readonly runs: readonly Run[] },
): Promise<ActivityAccess> {
  const mayRead = (environment: string | undefined): boolean =>
    environment === undefined || mayAsk(product, asker, environment);
  const asked = environments.filter(mayRead);
  const products = await Promise.all(
    [...new Set([undefined, ...asked])].map(async (environment) => {
      // An environment that was never applied has no policies, and the default one counts besides.
      const applied = await appliedIfAny(product, asker, environment);
      return (
        applied && {
          applied,
          seen: await visibleProduct(product, applied, asker),
          quoting: await quotingIn(product, asker, { environment: applied.environment.name, runs }),
        }
      );
    }),
  );
  const known = products.filter((each) => each !== undefined);
  const metrics = known.map(({ applied, seen }) => ({ all: metricNames(applied), seen: metricNames(seen) }));
  const mayReadModels = permits(asker, 'query:models', product);
  const allow = (runId: string | undefined, isAllowed: (words: Words) => boolean): boolean =>
    mayReadModels &&
    known.every(({ quoting }) => isAllowed(runId === undefined ? quoting.now : quoting.of(runId)));
  return {
    principalId: asker.principalId,
    isAdmin: permits(asker, 'admin', product),
    shareKeys: shareKeysFor(product, asker),
    readsAll: permits(asker, 'query:read-all', product),
    isUnrestricted: callerOf(product, asker).isUnrestricted,
    isWhole: known.every(({ seen }) => seen.isPart !== true),
    mayRead,
    maySeeMetric: (name) =>
      metrics.some(({ all }) => all.has(name)) &&
      metrics.every(({ all, seen }) => !all.has(name) || seen.has(name)),
    isNamed: (model) => known.every(({ quoting }) => quoting.isNamed(model)),
    mayQuote: (model, runId) => allow(runId, (words) => words.mayQuote(model)),
    mayQuoteAll: (runId) => allow(runId, (words) => words.mayQuoteAll()),
  };
}

const metricNames = ({ metrics }: AppliedProduct): ReadonlySet<string> =>
  new Set(metrics.map(({ name }) => name.value));
