/*
 * What happened in a product, as much of it as one caller may know:
 *
 *   who has access, tokens             ─▶ those who administer the product
 *   failed statements of others        ─▶ those who may see statements of others
 *   metrics that policies hide         ─▶ callers from whom they are not hidden
 *   words of errors and failing rows   ─▶ those who may read the rows of the model, and of all that it is made of: both quote values
 */
import { apiWords } from './diagnostics/api-words.ts';
import type { StoredEvent } from './event.ts';
import { inApiWords, withErrors, withoutValues, withoutWords } from './quoted-values.ts';
import type { Run } from './run.ts';
import { withoutPlaces } from './server-places.ts';

/** What one caller may know of a product. */
export interface ActivityAccess {
  readonly principalId: string;
  readonly isAdmin: boolean;
  /** Statements of others. */
  readonly readsAll: boolean;
  /** Policies do not apply to the caller. */
  readonly isUnrestricted: boolean;
  /** Nothing is hidden: who may see everything may also hear of what is gone. */
  readonly isWhole: boolean;
  mayRead(environment: string | undefined): boolean;
  maySeeMetric(name: string): boolean;
  /** Rollups are called like semantic models, which may be hidden. */
  isNamed(model: string): boolean;
  /** Whether what quotes rows of a model, or of what it is made of, may be shown; as a run worked with them, or as they are now. */
  mayQuote(model: string, runId?: string): boolean;
  mayQuoteAll(runId?: string): boolean;
}

const IN_STATEMENT = 'The statement has the words.';
const ADMINISTRATION = /^(?:token|grant|access|role|principal|tenant)\./;

export function visibleRun(run: Run, access: ActivityAccess): Run {
  const isReadable = access.mayRead(run.environment);
  return {
    ...run,
    models: run.models
      .filter(({ name }) => access.isNamed(name))
      .map((result) =>
        isReadable && access.mayQuote(result.name, run.id) ? inApiWords(result) : withoutValues(result),
      ),
    ...(run.error === undefined
      ? {}
      : { error: isReadable && access.mayQuoteAll(run.id) ? apiWords(run.error) : withoutWords(run.error) }),
  };
}

/** Undefined when the caller may not know of it. */
export function visibleEvent(event: StoredEvent, access: ActivityAccess): StoredEvent | undefined {
  if (ADMINISTRATION.test(event.event)) return access.isAdmin ? event : undefined;
  const data = (event.data ?? {}) as Readonly<Record<string, unknown>>;
  if (event.event === 'statement.failed') {
    if (!access.readsAll && data['principalId'] !== access.principalId) return undefined;
    const message = access.isUnrestricted ? withoutPlaces(String(data['message'])) : IN_STATEMENT;
    return { ...event, data: { ...data, message } };
  }
  if (event.event === 'metric.changed')
    return access.isWhole || access.maySeeMetric(String(data['metric'])) ? event : undefined;
  if (event.model !== undefined && !access.isNamed(event.model)) return undefined;
  const mayKnow =
    access.mayRead(event.environment) &&
    (event.model === undefined ? access.mayQuoteAll(event.runId) : access.mayQuote(event.model, event.runId));
  return { ...event, data: withErrors(data, mayKnow ? apiWords : withoutWords, mayKnow) };
}
