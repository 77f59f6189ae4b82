/*
 * What happened in a product, as much of it as one caller may know:
 *
 *   who has access, tokens             ─▶ those who administer the product
 *   failed statements of others        ─▶ those who may see statements of others
 *   perspectives                       ─▶ callers who may see the perspective as it was after the change, and its owner before
 *   followers                          ─▶ callers who may see what is followed
 *   metrics that policies hide         ─▶ callers from whom they are not hidden
 *   words of errors and failing rows   ─▶ those who may read the rows of the model, and of all that it is made of: both quote values
 */
import { apiWords } from './diagnostics/api-words.ts';
import type { StoredEvent } from './event.ts';
import { targetOf } from './follower.ts';
import { withoutHiddenPaths } from './hidden-paths.ts';
import { maySee, type Perspective, type PerspectiveViewer } from './perspective.ts';
import { inApiWords, withErrors, withoutValues, withoutWords } from './quoted-values.ts';
import type { Run } from './run.ts';

/** What one caller may know of a product. */
export interface ActivityAccess {
  readonly principalId: string;
  readonly isAdmin: boolean;
  /** What perspectives that are shared with the caller say of them. */
  readonly shareKeys: PerspectiveViewer['shareKeys'];
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
    const message = access.isUnrestricted ? withoutHiddenPaths(String(data['message'])) : IN_STATEMENT;
    return { ...event, data: { ...data, message } };
  }
  if (event.event.startsWith('perspective.')) return visiblePerspectiveEvent(event, access);
  if (event.event.startsWith('follower.')) return visibleFollowerEvent(event, access);
  if (event.event === 'metric.changed')
    return access.isWhole || access.maySeeMetric(String(data['metric'])) ? event : undefined;
  if (event.model !== undefined && !access.isNamed(event.model)) return undefined;
  const mayKnow =
    access.mayRead(event.environment) &&
    (event.model === undefined ? access.mayQuoteAll(event.runId) : access.mayQuote(event.model, event.runId));
  // Why rows were released or discarded is free text, which may quote them.
  const { reason: _, ...withoutReason } = data;
  const shown = event.event.startsWith('quarantine.') && !mayKnow ? withoutReason : data;
  return { ...event, data: withErrors(shown, mayKnow ? apiWords : withoutWords, mayKnow) };
}

/** Without the names that a perspective is shared with. */
function visiblePerspectiveEvent(event: StoredEvent, access: ActivityAccess): StoredEvent | undefined {
  const { visibility, owner, from, ...data } = event.data as Pick<Perspective, 'visibility' | 'owner'> & {
    readonly from?: Perspective['owner'];
  };
  if (!maySee({ visibility, owner }, access) && from?.id !== access.principalId) return undefined;
  const before = from === undefined ? {} : { from: from.name };
  return { ...event, data: { ...data, owner: owner.name, visibility: visibility.kind, ...before } };
}

function visibleFollowerEvent(event: StoredEvent, access: ActivityAccess): StoredEvent | undefined {
  const { target, visibility, owner } = event.data as Partial<Pick<Perspective, 'visibility' | 'owner'>> & {
    readonly target: string;
  };
  const followed = targetOf(target);
  const isVisible =
    followed?.kind === 'perspective'
      ? visibility !== undefined && owner !== undefined && maySee({ visibility, owner }, access)
      : followed?.kind === 'metric'
        ? access.isWhole || access.maySeeMetric(followed.name)
        : followed?.kind !== 'model' || access.isNamed(followed.name);
  return isVisible ? { ...event, data: { target } } : undefined;
}
