/*
 * What happened in a product, as much of it as one caller may know:
 *
 *   who has access, tokens             ─▶ those who administer the product
 *   failed statements of others        ─▶ those who may see statements of others
 *   metrics that policies hide         ─▶ callers from whom they are not hidden
 *   words of errors and failing rows   ─▶ those who may read the rows of the model, and of all that it is made of: both quote values
 */

import type { AppliedProduct } from '../../domain/applied-product.ts';
import { apiWords } from '../../domain/diagnostics/api-words.ts';
import type { StoredEvent } from '../../domain/event.ts';
import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Run } from '../../domain/run.ts';
import { withoutPlaces } from '../../domain/server-places.ts';
import { callerOf, mayAsk } from '../access/callers.ts';
import type { ProductReader } from '../product-reader.ts';
import { appliedIfAny, visibleProduct } from './metadata.ts';
import { inApiWords, withErrors, withoutValues, withoutWords } from './quoted-values.ts';
import { quotingIn } from './quoting.ts';

/** What one caller may know, as of when it was made. */
export interface ActivityView {
  /** The event as the caller may know it; undefined when they may not know of it. */
  event(event: StoredEvent): StoredEvent | undefined;
  run(run: Run): Run;
  /** Whether what quotes rows of a model, or of what it is made of, may be shown. */
  mayQuote(model: string): boolean;
}

const IN_STATEMENT = 'The statement has the words.';
const ADMINISTRATION = /^(?:token|grant|access|role|principal|tenant)\./;

/** What is to be shown. */
export interface ShownActivity {
  readonly environments?: readonly string[];
  readonly runs?: readonly Run[];
  readonly events?: readonly StoredEvent[];
}

/**
 * For events and runs of one environment, or of several: what one of them or the default environment restricts is restricted. Of
 * environments that the caller may not ask nothing is quoted, and of runs only those that are named here.
 */
export async function activityView(
  product: ProductReader,
  asker: Identity,
  { environments: named = [], runs: shown = [], events = [] }: ShownActivity = {},
): Promise<ActivityView> {
  const environments = [...named, ...[...shown, ...events].flatMap(({ environment }) => environment ?? [])];
  const runs = [...shown, ...(await runsOf(product, asker, events))];
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
  const isWhole = known.every(({ seen }) => seen.isPart !== true);
  const metrics = known.map(({ applied, seen }) => ({ all: metricNames(applied), seen: metricNames(seen) }));
  const maySeeMetric = (name: string): boolean =>
    metrics.some(({ all }) => all.has(name)) &&
    metrics.every(({ all, seen }) => !all.has(name) || seen.has(name));
  const mayReadModels = permits(asker, 'query:models', product);
  const mayQuote = (model: string, runId?: string): boolean =>
    mayReadModels &&
    known.every(({ quoting }) => (runId === undefined ? quoting.now : quoting.of(runId)).mayQuote(model));
  const mayQuoteAll = (runId?: string): boolean =>
    mayReadModels &&
    known.every(({ quoting }) => (runId === undefined ? quoting.now : quoting.of(runId)).mayQuoteAll());
  /** Rollups are called like semantic models, which may be hidden. */
  const isNamed = (model: string): boolean => known.every(({ quoting }) => quoting.isNamed(model));
  const [isAdmin, readsAll] = [permits(asker, 'admin', product), permits(asker, 'query:read-all', product)];
  const { isUnrestricted } = callerOf(product, asker);
  return {
    mayQuote: (model) => mayQuote(model),
    run: (run) => ({
      ...run,
      models: run.models
        .filter(({ name }) => isNamed(name))
        .map((result) =>
          mayRead(run.environment) && mayQuote(result.name, run.id)
            ? inApiWords(result)
            : withoutValues(result),
        ),
      ...(run.error === undefined
        ? {}
        : {
            error:
              mayRead(run.environment) && mayQuoteAll(run.id) ? apiWords(run.error) : withoutWords(run.error),
          }),
    }),
    event(event) {
      if (ADMINISTRATION.test(event.event)) return isAdmin ? event : undefined;
      const data = (event.data ?? {}) as Readonly<Record<string, unknown>>;
      if (event.event === 'statement.failed') {
        if (!readsAll && data['principalId'] !== asker.principalId) return undefined;
        const message = isUnrestricted ? withoutPlaces(String(data['message'])) : IN_STATEMENT;
        return { ...event, data: { ...data, message } };
      }
      if (event.event === 'metric.changed')
        // Who may see everything may also hear of what is gone.
        return isWhole || maySeeMetric(String(data['metric'])) ? event : undefined;
      if (event.model !== undefined && !isNamed(event.model)) return undefined;
      const mayKnow =
        mayRead(event.environment) &&
        (event.model === undefined ? mayQuoteAll(event.runId) : mayQuote(event.model, event.runId));
      return { ...event, data: withErrors(data, mayKnow ? apiWords : withoutWords, mayKnow) };
    },
  };
}

/** The runs that events are of; they are not read for callers who may see everything. */
async function runsOf(
  product: ProductReader,
  asker: Identity,
  events: readonly StoredEvent[],
): Promise<readonly Run[]> {
  if (callerOf(product, asker).isUnrestricted) return [];
  const ids = [...new Set(events.flatMap(({ runId }) => runId ?? []))];
  const found = await Promise.all(ids.map((id) => product.world.state.journal.run(id)));
  return found.filter((run) => run !== undefined);
}

const metricNames = ({ metrics }: AppliedProduct): ReadonlySet<string> =>
  new Set(metrics.map(({ name }) => name.value));
