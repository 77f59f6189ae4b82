import type { CheckContext, Shares } from '../../compiler/quality/check-plan.ts';
import type { PlannedCheck } from '../../compiler/quality/planned-check.ts';
import type { MeasuredValue } from '../../domain/quality-store.ts';
import type { WorldReader } from '../world.ts';

/** Enough for a season of a year by weeks, and for hours of a month. */
const POINTS_MAX = 1_000;

/**
 * What results of earlier data say to rules that compare with them; nothing is read for other rules. Data that was measured several
 * times counts once, and the present data not at all: checking again changes no verdict.
 */
export async function checkMemory(
  { state }: WorldReader,
  { environment, dataVersion }: { readonly environment: string; readonly dataVersion: string },
  checks: readonly PlannedCheck[],
): Promise<Pick<CheckContext, 'history' | 'shares'>> {
  const kindOf = ({ assertion }: PlannedCheck): string | undefined =>
    assertion?.kind === 'group-by' ? assertion.rule.kind : assertion?.kind;
  const named = (...kinds: readonly string[]): readonly string[] =>
    checks.filter((each) => kinds.includes(kindOf(each) ?? '')).map(({ check }) => check);
  const measured = named('change', 'anomaly');
  const shared = named('distribution');
  const [history, shares] = await Promise.all([
    measured.length === 0
      ? new Map()
      : state.quality
          .history({ environment, checks: measured, limit: POINTS_MAX })
          .then(
            (found) =>
              new Map([...found].map(([check, values]) => [check, ofOtherData(values, dataVersion)])),
          ),
    shared.length === 0 ? new Map() : lastShares(state, { environment, dataVersion }, shared),
  ]);
  return { history, shares };
}

/** One value for each state of the data; where the state is not known, all of them. */
function ofOtherData(values: readonly MeasuredValue[], present: string): readonly MeasuredValue[] {
  return values.filter(
    ({ dataVersion }, index) =>
      dataVersion === '' || (dataVersion !== present && values[index + 1]?.dataVersion !== dataVersion),
  );
}

/** Results looked through for shares of other data. */
const RESULTS_MAX = 50;

async function lastShares(
  { quality }: WorldReader['state'],
  { environment, dataVersion: present }: { readonly environment: string; readonly dataVersion: string },
  checks: readonly string[],
): Promise<ReadonlyMap<string, { readonly previous?: Shares; readonly baseline?: Shares }>> {
  const found = await Promise.all(
    checks.map(async (check) => {
      const results = await quality.results({ environment, check, limit: RESULTS_MAX });
      const last = results.find(
        ({ shares, dataVersion }) => shares !== undefined && (dataVersion === '' || dataVersion !== present),
      );
      return [
        check,
        {
          ...(last?.shares === undefined ? {} : { previous: last.shares }),
          ...(last?.baselineShares === undefined ? {} : { baseline: last.baselineShares }),
        },
      ] as const;
    }),
  );
  return new Map(found);
}
