import { tableKey } from '../../domain/relation.ts';
import type { RunContext } from './run-context.ts';
import type { ShownEnvironments } from './shown-environments.ts';

/** Reads what environments show now. Intents come first: a promotion that ends in between is seen once at least. */
export async function readShownEnvironments(context: RunContext): Promise<ShownEnvironments> {
  const { world, execution, contents } = context;
  const { journal, snapshots: store } = world.state;
  const begun = (await journal.promotionIntents())
    .filter(({ runId }) => runId !== execution.run.id)
    .map(({ target }) => ({ ...target, name: `${target.name} (being promoted)` }));
  const environments = await store.environments();
  const all = [...environments, ...begun];
  const fingerprints = [
    ...all.flatMap(({ entries, audits = [] }) => [...entries, ...audits]),
    ...execution.entries,
  ].map(({ fingerprint }) => fingerprint);
  const found = await store.snapshots([...new Set(fingerprints)]);
  const snapshots = new Map(found.map((snapshot) => [snapshot.fingerprint, snapshot]));
  for (const { snapshot } of execution.plan?.snapshots ?? []) snapshots.set(snapshot.fingerprint, snapshot);
  return {
    environments,
    begun,
    snapshots,
    async namesIn(name) {
      const one = all.find((environment) => environment.name === name);
      return one === undefined ? undefined : contents.namesAmong(one.entries);
    },
  };
}

/** The same, read once for each mark. */
export function shownEnvironmentsAt(context: RunContext, mark: string): Promise<ShownEnvironments> {
  let found = context.shownByMark.get(mark);
  if (found === undefined) {
    found = readShownEnvironments(context);
    // The caller that awaits it gets the failure; the next one reads again.
    found.catch(() => context.shownByMark.delete(mark));
    context.shownByMark.set(mark, found);
  }
  return found;
}

/** Keys of the tables whose columns this run changes. */
export function migratedKeys({ execution }: RunContext): ReadonlySet<string> {
  return new Set(
    execution.stages.flatMap((stage) => (stage.kind === 'migrate' ? [tableKey(stage.table)] : [])),
  );
}
