/*
 * What happened in a product, as much of it as one caller may know:
 *
 *   who has access, tokens      ─▶ those who administer the product
 *   failed statements of others ─▶ those who may see statements of others
 *   metrics that policies hide  ─▶ nobody from whom they are hidden
 *   words of errors and failing rows of a model ─▶ those who may read its rows: both quote values
 */
import { apiWords } from '../domain/diagnostics/api-words.ts';
import { permits } from '../domain/permissions.ts';
import type { Identity } from '../domain/principal.ts';
import type { AuditResult, ModelResult, Run } from '../domain/run.ts';
import type { StoredEvent } from '../domain/state-store.ts';
import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { type AppliedProduct, appliedIfAny, visibleProduct } from './metadata.ts';
import type { Product } from './platform.ts';
import { indexOf } from './query.ts';
import { readRefusal } from './readable-models.ts';

/** What one caller may know, as of when it was made. */
export interface ActivityView {
  /** The event as the caller may know it; undefined when they may not know of it. */
  event(event: StoredEvent): StoredEvent | undefined;
  run(run: Run): Run;
  mayRead(model: string): boolean;
}

const ADMINISTRATION = /^(?:token|grant|access|role|principal|tenant)\./;

/** For events and runs of one environment, or of several: what one of them or the default environment restricts is restricted. */
export async function activityView(
  product: Product,
  asker: Identity,
  environments: readonly string[] = [],
): Promise<ActivityView> {
  const products = await Promise.all(
    [...new Set([undefined, ...environments])].map(async (environment) => {
      // An environment that was never applied has no policies, and the default one counts besides.
      const applied = await appliedIfAny(product, environment);
      return applied && { applied, seen: await visibleProduct(product, applied, asker) };
    }),
  );
  const known = products.filter((each) => each !== undefined);
  const isWhole = known.every(({ applied, seen }) => applied === seen);
  const metrics = known.map(({ applied, seen }) => ({ all: metricNames(applied), seen: metricNames(seen) }));
  const maySeeMetric = (name: string): boolean =>
    metrics.some(({ all }) => all.has(name)) &&
    metrics.every(({ all, seen }) => !all.has(name) || seen.has(name));
  const readable = new Map<string, boolean>();
  const mayRead = (model: string): boolean => {
    const before = readable.get(model);
    if (before !== undefined) return before;
    const may = isReadable(product, asker, { known: known.map(({ applied }) => applied), model });
    readable.set(model, may);
    return may;
  };
  let readsEvery: boolean | undefined;
  /** Words that are of no one model may quote the rows of any. */
  const mayReadAll = (): boolean => {
    readsEvery ??=
      isReadable(product, asker, { known: [], model: '' }) &&
      known.every(({ applied }) =>
        [...indexOf(applied).models.values()].every(({ model }) => mayRead(model)),
      );
    return readsEvery;
  };
  const [isAdmin, readsAll] = [permits(asker, 'admin', product), permits(asker, 'query:read-all', product)];
  return {
    mayRead,
    run: (run) => ({
      ...run,
      models: run.models.map((result) => (mayRead(result.name) ? inApiWords(result) : withoutValues(result))),
      ...(run.error === undefined
        ? {}
        : { error: mayReadAll() ? apiWords(run.error) : withoutWords(run.error) }),
    }),
    event(event) {
      if (ADMINISTRATION.test(event.event)) return isAdmin ? event : undefined;
      const data = (event.data ?? {}) as Readonly<Record<string, unknown>>;
      if (event.event === 'statement.failed')
        return readsAll || data['principalId'] === asker.principalId ? event : undefined;
      if (event.event === 'metric.changed')
        // Who may see everything may also hear of what is gone.
        return isWhole || maySeeMetric(String(data['metric'])) ? event : undefined;
      const mayKnow = event.model === undefined ? mayReadAll() : mayRead(event.model);
      return { ...event, data: withErrors(data, mayKnow ? apiWords : withoutWords, mayKnow) };
    },
  };
}

const metricNames = ({ metrics }: AppliedProduct): ReadonlySet<string> =>
  new Set(metrics.map(({ name }) => name.value));

function isReadable(
  product: Product,
  asker: Identity,
  { known, model }: { readonly known: readonly AppliedProduct[]; readonly model: string },
): boolean {
  if (known.length === 0)
    return (
      readRefusal(
        { product, asker, semantics: { models: [], semanticModels: [], metrics: [] } },
        model,
        false,
      ) === undefined
    );
  return known.every((semantics) => readRefusal({ product, asker, semantics }, model, false) === undefined);
}

const HIDDEN = 'The words are for those who may read the rows of the model.';

const withoutWords = ({ code, severity }: Diagnostic): Diagnostic => ({ code, severity, message: HIDDEN });

function withoutValues(result: ModelResult): ModelResult {
  const { error, audits, ...rest } = result;
  return {
    ...rest,
    ...(error === undefined ? {} : { error: withoutWords(error) }),
    audits: audits.map(({ sample: _, ...audit }): AuditResult => audit),
  };
}

const inApiWords = (result: ModelResult): ModelResult =>
  result.error === undefined ? result : { ...result, error: apiWords(result.error) };

/** Errors, wherever an event has them inside, in other words; samples only where they may be seen. */
function withErrors(value: unknown, word: (error: Diagnostic) => Diagnostic, hasSamples: boolean): unknown {
  const inside = (inner: unknown): unknown => withErrors(inner, word, hasSamples);
  if (Array.isArray(value)) return value.map(inside);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (name === 'sample' && !hasSamples) return [];
      if (name === 'error' && typeof inner === 'object' && inner !== null)
        return [[name, word(inner as Diagnostic)]];
      return [[name, inside(inner)]];
    }),
  );
}
