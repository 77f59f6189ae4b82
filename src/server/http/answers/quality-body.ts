import { checkResultJson } from '../../../domain/check-json.ts';
import type { ModelClocks, ProductFreshness } from '../../../domain/product-health.ts';
import type { VisibleResult } from '../../../domain/visible-check.ts';
import { isoInstant, isoInstantOrNull } from '../../../foundation/time/iso.ts';
import type { AskedChecks } from '../../../operations/ongoing-work.ts';
import type { KnownAudit } from '../../../operations/quality/known-audits.ts';
import type { KnownFreshness, ModelFreshness } from '../../../operations/quality/known-freshness.ts';
import type { KnownHeld } from '../../../operations/quality/known-quarantine.ts';
import type { KnownRule } from '../../../operations/quality/known-rules.ts';
import type { OneQuarantine } from '../../../operations/quality/one-quarantine.ts';
import type { QualitySummary } from '../../../operations/quality/quality-summary.ts';

type Body = Readonly<Record<string, unknown>>;

export function summaryBody(environment: string, summary: QualitySummary): Body {
  return {
    environment,
    as_of: isoInstantOrNull(summary.asOf),
    ...totalsBody(summary.all),
    dimensions: summary.dimensions.map(({ dimension, totals }) => ({ dimension, ...totalsBody(totals) })),
    open_incidents: summary.openIncidents,
  };
}

const totalsBody = ({ rules, unchecked, checks, outcomes, score }: QualitySummary['all']): Body => ({
  ...{ rules, unchecked, checks, outcomes },
  score: score ?? null,
});

/** A result in a list: the rows of its sample have an address of their own. */
export function resultBody({ sample, ...result }: VisibleResult): Body {
  return {
    ...checkResultJson(result),
    withheld: result.isWithheld === true,
    has_sample: sample !== undefined,
  };
}

export function sampleBody({ id, check, model, sample, isWithheld }: VisibleResult): Body {
  return {
    ...{ id, check, model },
    columns: sample?.columns ?? [],
    rows: sample?.rows ?? [],
    is_part: sample?.isPart ?? false,
    withheld: isWithheld === true,
  };
}

export function ruleBody({ id, pack, rule, model, latest, outcome, showsText }: KnownRule): Body {
  const times = latest.map(({ at }) => at);
  return {
    id,
    pack: pack.name.value,
    rule: rule.name,
    model,
    text: showsText ? rule.text.value : null,
    description: rule.description ?? null,
    dimension: rule.dimension,
    severity: rule.severity,
    owner: rule.owner ?? pack.owner ?? null,
    tags: [...new Set([...pack.tags, ...rule.tags])],
    schedule: pack.schedule?.value ?? null,
    enabled: rule.isEnabled,
    outcome: outcome ?? null,
    checked_at: times.length === 0 ? null : isoInstant(Math.max(...times)),
    latest: latest.map(resultBody),
  };
}

export function auditBody(audit: KnownAudit): Body {
  const { models, name, last, isStandalone } = audit;
  return {
    audit: name,
    model: isStandalone ? null : (models[0] ?? null),
    models,
    description: audit.description ?? null,
    owner: audit.owner ?? null,
    arguments: audit.arguments ?? null,
    blocking: audit.isBlocking,
    on_failure: audit.onFailure,
    standalone: isStandalone,
    skipped: audit.isSkipped,
    status: last?.result.status ?? null,
    failed_rows: last?.result.failedRows ?? null,
    run_id: last?.run.id ?? null,
    at: isoInstantOrNull(last === undefined ? undefined : (last.run.endedAt ?? last.run.startedAt)),
  };
}

export function heldBody({ id, model, runId, audits, rows, interval, since, isWithheld }: KnownHeld): Body {
  const isShown = isWithheld !== true;
  return {
    ...{ id, model, run_id: runId, audits },
    rows: isShown ? rows : null,
    interval: isShown ? [isoInstant(interval.start), isoInstant(interval.end)] : null,
    since: isoInstant(since),
    withheld: !isShown,
  };
}

export function heldRowsBody({ held, rows }: OneQuarantine): Body {
  return {
    ...heldBody(held),
    columns: rows?.columns ?? [],
    sample: rows?.rows.map(({ cells }) => cells) ?? [],
    is_part: rows !== undefined && rows.total > rows.rows.length,
  };
}

const secondsOf = (ms: number): number => Math.round(ms / 1000);

export function freshnessOfProduct({ environment, at, product }: KnownFreshness): Body {
  return {
    environment,
    as_of: isoInstant(at),
    product: product === undefined ? null : promiseBody(product),
  };
}

function promiseBody({ state, maxAge, model, newest, ageMs, hop, budget }: ProductFreshness): Body {
  return {
    ...{ state, max_age: maxAge, model: model ?? null },
    newest: isoInstantOrNull(newest),
    age_seconds: ageMs === undefined ? null : secondsOf(ageMs),
    slowest_hop:
      hop === undefined ? null : { model: hop.model, added_seconds: secondsOf(hop.addedMs), path: hop.path },
    budget:
      budget === undefined
        ? null
        : {
            since: isoInstant(budget.since),
            broken_seconds: secondsOf(budget.brokenMs),
            allowed_seconds: secondsOf(budget.allowedMs),
            is_spent: budget.isSpent,
          },
  };
}

export function modelFreshnessBody({ model, clocks, status, promised }: ModelFreshness, at: number): Body {
  const { newest } = clocks;
  return {
    model,
    status: status ?? null,
    freshness: promised ?? null,
    newest: isoInstantOrNull(newest),
    age_seconds: newest === undefined ? null : secondsOf(at - newest),
    ...clocksBody(clocks),
  };
}

const clocksBody = ({ dataTime, sourceTime, loadTime, publishTime, servedTime }: ModelClocks): Body => ({
  data_time: isoInstantOrNull(dataTime),
  source_time: isoInstantOrNull(sourceTime),
  load_time: isoInstantOrNull(loadTime),
  publish_time: isoInstantOrNull(publishTime),
  served_time: isoInstant(servedTime),
});

export function checkRunBody({ id, environment, models, startedAt, end }: AskedChecks): Body {
  const status =
    end === undefined
      ? 'running'
      : end.error !== undefined
        ? 'failed'
        : end.isInterrupted === true
          ? 'interrupted'
          : 'finished';
  return {
    ...{ id, environment, status, models },
    started_at: isoInstant(startedAt),
    ended_at: isoInstantOrNull(end?.at),
    outcomes: end?.tally ?? null,
    opened_incidents: end?.opened ?? [],
    closed_incidents: end?.closed ?? [],
    error: end?.error === undefined ? null : { code: end.error.code, message: end.error.message },
  };
}
