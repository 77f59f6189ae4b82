import { modelClocks } from '../../compiler/catalog/model-clocks.ts';
import { productFreshness } from '../../compiler/catalog/product-freshness.ts';
import type { CheckOutcome, CheckResult, CheckTrigger } from '../../domain/check-result.ts';
import { FRESHNESS_CHECK, type FreshnessState, type ProductFreshness } from '../../domain/product-health.ts';
import { environmentStatus } from '../change/environment-status.ts';
import { runs } from '../change/runs.ts';
import { newId } from '../new-id.ts';
import type { OpenedWorld } from '../open-world.ts';

const RUNS_MAX = 100;

const OUTCOME_OF: Readonly<Record<FreshnessState, CheckOutcome>> = {
  fresh: 'pass',
  late: 'fail',
  stale: 'fail',
  unknown: 'not_evaluated',
};

export interface FreshnessRequest {
  readonly environment: string;
  /** The run after which it is looked at. */
  readonly runId?: string;
  readonly trigger: CheckTrigger;
}

/**
 * Compares the age of the data with what config.yaml promises, and records it as a check: after each run, and whenever it
 * has changed. So a broken promise is one event, and opens one incident.
 */
export async function observeFreshness(
  world: OpenedWorld,
  { environment: name, runId, trigger }: FreshnessRequest,
): Promise<void> {
  if (world.config.slo.freshness === undefined) return;
  const { quality, snapshots } = world.state;
  const environment = await snapshots.environment(name);
  if (environment === undefined) return;
  const begun = performance.now();
  const now = world.clock.now();
  const [found, known, before] = await Promise.all([
    environmentStatus(world, environment, { executionTime: now }),
    runs(world, { environment: name, limit: RUNS_MAX }),
    quality.results({ environment: name, check: FRESHNESS_CHECK, limit: 1 }),
  ]);
  const clocks = modelClocks({ found, runs: known, now });
  const freshness = productFreshness(world.config.slo, clocks, { found, runs: known, now });
  if (freshness === undefined) return;
  const outcome = OUTCOME_OF[freshness.state];
  if (runId === undefined && before[0]?.outcome === outcome) return;
  const id = newId('c', now);
  const result: CheckResult = {
    ...resultOf(freshness, outcome),
    ...{ id, environment: name, runId: id, trigger, at: now },
    ...(runId === undefined ? {} : { changedBy: runId }),
    ms: Math.round(performance.now() - begun),
  };
  await quality.recordResults([result], []);
}

type CheckedPromise = Omit<CheckResult, 'id' | 'environment' | 'runId' | 'trigger' | 'at' | 'ms'>;

function resultOf(
  { maxAge, model, newest, ageMs, hop }: ProductFreshness,
  outcome: CheckOutcome,
): CheckedPromise {
  const added = hop === undefined ? '' : `; ${hop.model} added most of the age`;
  const reason =
    outcome === 'pass'
      ? undefined
      : newest === undefined
        ? 'nothing says how old the data is'
        : `its newest rows are of ${new Date(newest).toISOString()}${added}`;
  return {
    ...{ check: FRESHNESS_CHECK, pack: 'slo', rule: 'freshness', model: model ?? '' },
    ...{ dimension: 'timeliness', severity: 'error', outcome },
    dataVersion: newest === undefined ? '' : String(newest),
    expected: `${model ?? 'the product'} is at most ${maxAge} old`,
    value: ageMs === undefined ? null : ageMs / 1000,
    ...(reason === undefined ? {} : { reason }),
    sql: '',
  };
}
