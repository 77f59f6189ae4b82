import type { CheckResult, Incident } from '../../domain/check-result.ts';
import type { EnvironmentStatus, ModelStatus } from '../../domain/model-status.ts';
import {
  FRESHNESS_CHECK,
  HEALTH_STATES,
  type HealthReason,
  type HealthState,
  type ProductFreshness,
} from '../../domain/product-health.ts';
import type { HeldGroup } from '../../domain/quarantine.ts';
import type { ModelResult, Run } from '../../domain/run.ts';

export interface HealthInput {
  readonly found: Pick<EnvironmentStatus, 'models' | 'lastRun'>;
  /** Newest first. */
  readonly runs: readonly Run[];
  readonly freshness: ProductFreshness | undefined;
  /** Those that are open. */
  readonly incidents: readonly Incident[];
  /** The newest of each check. */
  readonly results: readonly CheckResult[];
  /** Since when those that do not pass have been so, by `check`. */
  readonly resultsSince: ReadonlyMap<string, number>;
  /** What is in quarantine now. */
  readonly held: readonly HeldGroup[];
}

/** Everything that keeps a product from being healthy, the worst first. */
export function healthReasons({
  found,
  runs,
  freshness,
  incidents,
  results,
  resultsSince,
  held,
}: HealthInput): readonly HealthReason[] {
  const last = lastResults(runs);
  return [
    ...runReasons(found.lastRun),
    ...found.models.flatMap((status) => modelReasons(status, last.get(status.model))),
    ...sloReasons(freshness),
    ...incidents.filter(({ check }) => check !== FRESHNESS_CHECK).map(incidentReason),
    ...checkReasons(results, new Set(incidents.map(({ check }) => check)), resultsSince),
    ...[...Map.groupBy(held, ({ model }) => model)].map(quarantineReason),
  ].sort((one, two) => HEALTH_STATES.indexOf(two.effect) - HEALTH_STATES.indexOf(one.effect));
}

/** As bad as the worst reason; without any it is healthy if something was ever filled. */
export function healthOf(reasons: readonly HealthReason[], { found, runs }: HealthInput): HealthState {
  const [worst] = reasons;
  if (worst !== undefined) return worst.effect;
  const isFilled = runs.length > 0 || found.models.some(({ filledUntil }) => filledUntil !== undefined);
  return isFilled ? 'healthy' : 'unknown';
}

interface LastResult {
  readonly run: Run;
  readonly result: ModelResult;
}

function lastResults(runs: readonly Run[]): ReadonlyMap<string, LastResult> {
  const last = new Map<string, LastResult>();
  for (const run of runs)
    for (const result of run.models) if (!last.has(result.name)) last.set(result.name, { run, result });
  return last;
}

function runReasons(run: Run | undefined): readonly HealthReason[] {
  if (run === undefined || (run.status !== 'failed' && run.status !== 'interrupted')) return [];
  const words = `the last ${run.kind}, ${run.id}, ${run.status === 'failed' ? 'failed' : 'was interrupted'}`;
  return [{ kind: 'run', effect: 'degraded', words, runId: run.id, since: run.startedAt }];
}

function modelReasons(
  { model, status, runId }: ModelStatus,
  last: LastResult | undefined,
): readonly HealthReason[] {
  const about = { model, ...(runId === undefined ? {} : { runId }) };
  if (status === 'broken') {
    const audits = last?.result.audits.filter((each) => each.status === 'failed') ?? [];
    if (last?.result.status === 'failed' && audits.length > 0) {
      const names = audits.map(({ name }) => name).join(', ');
      const words = `the audit ${names} keeps new rows of ${model} from being published`;
      return [{ kind: 'audit', effect: 'blocked', words, ...about, since: last.run.startedAt }];
    }
    const words = `${model} failed when it was last filled, or waits for a model that failed`;
    return [{ kind: 'broken', effect: 'degraded', words, ...about }];
  }
  if (status === 'stale')
    return [
      { kind: 'stale', effect: 'degraded', words: `${model} is older than its freshness allows`, ...about },
    ];
  if (status === 'late')
    return [
      { kind: 'late', effect: 'caution', words: `${model} is filled later than its cron says`, ...about },
    ];
  return [];
}

function sloReasons(freshness: ProductFreshness | undefined): readonly HealthReason[] {
  if (freshness === undefined || freshness.state === 'fresh') return [];
  const { state, maxAge, model } = freshness;
  const about = { kind: 'slo' as const, ...(model === undefined ? {} : { model }) };
  const what = model ?? 'the product';
  if (state === 'unknown')
    return [
      { ...about, effect: 'caution', words: `nothing says how old the data is; ${maxAge} is promised` },
    ];
  const words = `${what} is older than ${state === 'late' ? '' : 'twice '}the promised ${maxAge}`;
  return [{ ...about, effect: state === 'late' ? 'caution' : 'degraded', words }];
}

const incidentReason = ({ id, check, model, severity, openedAt }: Incident): HealthReason => ({
  ...{ kind: 'incident', effect: severity === 'error' ? 'degraded' : 'caution' },
  words: `an incident of the check ${check} on ${model} is open`,
  ...{ model, check, incidentId: id, since: openedAt },
});

/** A check with an open incident is named by that. */
function checkReasons(
  results: readonly CheckResult[],
  open: ReadonlySet<string>,
  sinceOf: ReadonlyMap<string, number>,
): readonly HealthReason[] {
  return results.flatMap(({ check, model, outcome, severity, at, isLearning }): readonly HealthReason[] => {
    if (outcome === 'pass' || isLearning === true || open.has(check) || check === FRESHNESS_CHECK) return [];
    const what = {
      warn: 'warns',
      fail: 'fails',
      error: 'could not be evaluated',
      not_evaluated: 'was not evaluated',
    }[outcome];
    const effect = outcome === 'fail' && severity === 'error' ? 'degraded' : 'caution';
    const since = sinceOf.get(check) ?? at;
    return [{ kind: 'check', effect, words: `the check ${check} on ${model} ${what}`, model, check, since }];
  });
}

/** Since the first of them were held back; the run is the last that held some back. */
function quarantineReason([model, groups]: readonly [string, readonly HeldGroup[]]): HealthReason {
  const words = `rows of ${model} are held back in quarantine`;
  const newest = groups.reduce((a, b) => (b.since > a.since ? b : a));
  const since = Math.min(...groups.map((each) => each.since));
  return { kind: 'quarantine', effect: 'caution', words, model, runId: newest.runId, since };
}
