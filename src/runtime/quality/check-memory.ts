import type { CheckContext, Shares } from '../../compiler/quality/check-plan.ts';
import { hasNeededHistory } from '../../compiler/quality/has-needed-history.ts';
import type { PlannedCheck } from '../../compiler/quality/planned-check.ts';
import type { CheckResult } from '../../domain/check-result.ts';
import type { MeasuredValue } from '../../domain/quality-store.ts';
import type { WorldReader } from '../world.ts';

/** Values that are read first; rules that need older ones are asked again for this many times more. */
const POINTS_FIRST = 500;
const POINTS_TIMES = 10;
/** A check each minute for two months. */
const POINTS_MAX = 100_000;
/** Results looked through at a time for shares. */
const PAGE = 20;

interface Scope {
  readonly environment: string;
  /** The present data. */
  readonly dataVersion: string;
  readonly now: number;
}

/**
 * What earlier results say to rules that compare with them; nothing is read for other rules.
 */
export async function checkMemory(
  { state }: WorldReader,
  scope: Scope,
  checks: readonly PlannedCheck[],
): Promise<Pick<CheckContext, 'history' | 'shares'>> {
  const [history, shares] = await Promise.all([
    measuredBefore(
      state,
      scope,
      checks.filter(({ assertion }) => assertion?.kind === 'change' || assertion?.kind === 'anomaly'),
    ),
    sharesBefore(
      state,
      scope,
      checks.filter(({ assertion }) => assertion?.kind === 'distribution'),
    ),
  ]);
  return { history, shares };
}

async function measuredBefore(
  { quality }: WorldReader['state'],
  scope: Scope,
  checks: readonly PlannedCheck[],
): Promise<CheckContext['history']> {
  const { environment } = scope;
  const history = new Map<string, readonly MeasuredValue[]>();
  let pending = checks;
  for (let limit = POINTS_FIRST; pending.length > 0; limit *= POINTS_TIMES) {
    const found = await quality.history({ environment, checks: pending.map(({ check }) => check), limit });
    pending = pending.filter(({ check, assertion }) => {
      const values = found.get(check) ?? [];
      history.set(check, values);
      // Schedules measure the same data again and again: what a rule learns from may lie far back.
      return values.length >= limit && limit < POINTS_MAX && !hasNeededHistory(assertion, values, scope);
    });
  }
  return history;
}

async function sharesBefore(
  state: WorldReader['state'],
  scope: Scope,
  checks: readonly PlannedCheck[],
): Promise<NonNullable<CheckContext['shares']>> {
  const found = await Promise.all(
    checks.map(async ({ check }): Promise<[string, { previous?: Shares; baseline?: Shares }]> => {
      const last = await lastWithShares(state, scope, check);
      return [
        check,
        {
          ...(last?.shares === undefined ? {} : { previous: last.shares }),
          ...(last?.baselineShares === undefined ? {} : { baseline: last.baselineShares }),
        },
      ];
    }),
  );
  return new Map(found);
}

/** The newest result of other data that has shares. */
async function lastWithShares(
  { quality }: WorldReader['state'],
  { environment, dataVersion }: Scope,
  check: string,
): Promise<CheckResult | undefined> {
  let before: string | undefined;
  for (;;) {
    const page = await quality.results({
      ...{ environment, check, limit: PAGE },
      ...(dataVersion === '' ? {} : { notOf: dataVersion }),
      ...(before === undefined ? {} : { before }),
    });
    const found = page.find(({ shares }) => shares !== undefined);
    if (found !== undefined || page.length < PAGE) return found;
    before = page.at(-1)?.id;
  }
}
