/** How a product is doing. Ages are left out: the page stays the same, and keeps its ETag, while nothing happens. */
import type { AppliedProduct } from '../../../domain/applied-product.ts';
import type { HealthReason, HealthReasonKind } from '../../../domain/product-health.ts';
import type { ProductPage } from '../../../domain/product-page.ts';
import { isoInstant } from '../../../foundation/time/iso.ts';

type Body = Readonly<Record<string, unknown>>;

const timeOrNull = (at: number | undefined): string | null => (at === undefined ? null : isoInstant(at));

/** Without the names, for callers who do not see what they name. */
const NAMELESS: Readonly<Record<HealthReasonKind, string>> = {
  run: 'the last run did not end well',
  broken: 'a model failed when it was last filled, or waits for a model that failed',
  audit: 'an audit keeps new rows of a model from being published',
  late: 'a model is filled later than its cron says',
  stale: 'a model is older than its freshness allows',
  slo: 'the data is older than promised',
  incident: 'an incident of a check is open',
  check: 'a check does not pass',
  quarantine: 'rows of a model are held back in quarantine',
};

type Seen = Pick<AppliedProduct, 'models' | 'isPart'> | undefined;

export function healthBody(page: ProductPage, seen: Seen): Body {
  const { health, conditions, lastRun } = page;
  return {
    status: health,
    reasons: page.reasons.map((reason) => reasonBody(reason, seen)),
    models: conditions,
    last_run:
      lastRun === undefined
        ? null
        : { id: lastRun.id, status: lastRun.status, started_at: isoInstant(lastRun.startedAt) },
  };
}

/** Names of checks can have names of columns in them: they are for callers from whom nothing is hidden. */
function reasonBody({ kind, effect, words, ...about }: HealthReason, seen: Seen): Body {
  const isWhole = seen?.isPart !== true;
  const isNamed = about.model === undefined || seen?.models.some(({ name }) => name === about.model) === true;
  return {
    kind,
    effect,
    message: isNamed && isWhole ? words : NAMELESS[kind],
    model: isNamed ? (about.model ?? null) : null,
    check: isNamed && isWhole ? (about.check ?? null) : null,
    incident_id: isNamed && isWhole ? (about.incidentId ?? null) : null,
    run_id: about.runId ?? null,
    since: timeOrNull(about.since),
  };
}

export function freshnessBody(page: ProductPage, maxAge: string | undefined, seen: Seen): Body {
  const { promotedAt, filledUntil, refreshedAt, freshness } = page;
  const names = new Set(seen?.models.map(({ name }) => name));
  const named = (model: string | undefined): string | null =>
    model !== undefined && names.has(model) ? model : null;
  return {
    promoted_at: timeOrNull(promotedAt),
    filled_until: timeOrNull(filledUntil),
    refreshed_at: timeOrNull(refreshedAt),
    max_age: maxAge ?? null,
    is_fresh: page.isFresh ?? null,
    state: freshness?.state ?? null,
    model: named(freshness?.model),
    newest: timeOrNull(freshness?.newest),
    slowest_hop: named(freshness?.hop?.model),
    is_budget_spent: freshness?.budget?.isSpent ?? null,
  };
}
