import { type BacktestPoint, backtest } from '../../compiler/quality/anomaly-verdict.ts';
import { expandChecks } from '../../compiler/quality/expand-checks.ts';
import { onePerState } from '../../compiler/quality/one-per-state.ts';
import type { CheckAssertion, PlannedCheck } from '../../compiler/quality/planned-check.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import { type WantedChecks, wantedChecks } from './wanted-checks.ts';

/** An anomaly rule, and what it would have said of each value of its history. */
export interface BacktestedCheck {
  readonly check: string;
  readonly model: string;
  readonly rule: CheckAssertion & { readonly kind: 'anomaly' };
  readonly points: readonly BacktestPoint[];
}

/** All values that are kept. */
const POINTS_MAX = 100_000;

/** Walks the stored history of the anomaly rules of an environment as they were applied; measures and changes nothing. */
export async function backtestChecks(
  world: OpenedWorldReader,
  wanted: WantedChecks,
): Promise<readonly BacktestedCheck[]> {
  const { environment, packs, tableOf } = await wantedChecks(world, wanted);
  const rules = expandChecks(packs, tableOf).flatMap(anomalyRule);
  const history = await world.state.quality.history({
    environment: environment.name,
    checks: rules.map(({ check }) => check),
    limit: POINTS_MAX,
  });
  return rules.map(({ check, model, rule }) => ({
    ...{ check, model, rule },
    points: backtest(onePerState(history.get(check) ?? []), rule),
  }));
}

const anomalyRule = ({
  check,
  model,
  assertion,
}: PlannedCheck): readonly Omit<BacktestedCheck, 'points'>[] =>
  assertion?.kind === 'anomaly' ? [{ check, model, rule: assertion }] : [];
