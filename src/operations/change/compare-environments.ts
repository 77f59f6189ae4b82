import { environmentDiff } from '../../compiler/plan/environment-diff.ts';
import { changedHooks } from '../../compiler/plan/plan-promotion.ts';
import { contentDiff } from '../../compiler/plan/sql-diff.ts';
import type { Change, Plan } from '../../domain/plan.ts';
import { appliedEnvironment, type OpenedWorldReader } from '../open-world.ts';

/** How one environment would change to become another: by what was applied to both, no file is looked at. */
export async function compareEnvironments(
  world: OpenedWorldReader,
  environment: string,
  other: string,
): Promise<{ readonly changes: readonly Change[]; readonly statements: NonNullable<Plan['statements']> }> {
  const [from, to] = [await appliedEnvironment(world, environment), await appliedEnvironment(world, other)];
  const { snapshots } = world.state;
  const known = await snapshots.snapshots();
  const changes = environmentDiff(from, to, new Map(known.map((each) => [each.fingerprint, each])));
  const fingerprintOf = (entries: typeof from.entries, model: string): string =>
    entries.find((entry) => entry.model === model)?.fingerprint ?? '';
  const direct = changes.filter(({ kind, change }) => kind === 'model' && change === 'direct');
  const contents = await snapshots.contents(
    direct.flatMap(({ name }) => [fingerprintOf(from.entries, name), fingerprintOf(to.entries, name)]),
  );
  const withTexts = changes.map((change) => {
    if (!direct.includes(change)) return change;
    const [before, after] = [from.entries, to.entries].map((entries) =>
      contents.get(fingerprintOf(entries, change.name)),
    );
    if (before === undefined || after === undefined) return change;
    const difference = contentDiff(before, after);
    return difference === '' ? change : { ...change, sqlDiff: difference };
  });
  return { changes: withTexts, statements: changedHooks(from.hooks, to.hooks) };
}
