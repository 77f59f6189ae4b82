import { checkResultJson } from '../../../domain/check-json.ts';
import type { VisibleResult } from '../../../domain/visible-check.ts';
import { isoInstant, isoInstantOrNull } from '../../../foundation/time/iso.ts';
import type { KnownRule } from '../../../operations/quality/known-rules.ts';
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
