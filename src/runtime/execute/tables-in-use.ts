import type { EnvironmentEntry } from '../../domain/environment.ts';
import { tableOf } from '../../domain/environment.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import type { WorldReader } from '../world.ts';

const RUNS_MAX = 10_000;

/** Tables that an environment shows, or that a plan which has begun and not ended will show, with who needs them. */
export async function tablesInUse(
  { state }: WorldReader,
  { except, runId }: { readonly except: readonly string[]; readonly runId: string },
): Promise<ReadonlyMap<string, string>> {
  const inUse = new Map<string, string>();
  const add = (entries: readonly EnvironmentEntry[], user: string): void => {
    for (const entry of entries) {
      const table = tableOf(entry);
      if (table !== undefined) inUse.set(tableKey(table), user);
    }
  };
  for (const { name, entries } of await state.snapshots.environments())
    if (!except.includes(name)) add(entries, `the environment ${name}`);
  for (const { target } of await state.journal.promotionIntents())
    add(target.entries, `a promotion of ${target.name}`);
  for (const run of await state.journal.runs({ status: 'running', limit: RUNS_MAX })) {
    if (run.id === runId || run.planId === undefined) continue;
    const plan = await state.snapshots.plan(run.planId);
    if (plan === undefined) continue;
    const user = `the plan ${plan.id}, which is being applied,`;
    add(plan.target.entries, user);
    for (const stage of plan.stages)
      if (stage.kind === 'backfill') for (const { table } of stage.members) inUse.set(tableKey(table), user);
  }
  return inUse;
}

/** Snapshots that nothing refers to once these tables and environments are gone. */
export async function forgottenFingerprints(
  { state }: WorldReader,
  gone: {
    readonly environments: readonly string[];
    readonly tables: readonly TableId[];
    readonly inUse: ReadonlyMap<string, string>;
  },
): Promise<readonly string[]> {
  if (gone.tables.length === 0) return [];
  const shown = new Set(
    (await state.snapshots.environments())
      .filter(({ name }) => !gone.environments.includes(name))
      .flatMap(({ entries }) => entries.map(({ fingerprint }) => fingerprint)),
  );
  const dropped = new Set(gone.tables.map(tableKey));
  // A snapshot without a table of its own (a view follows the tables it reads) goes by its development table or stays.
  return (await state.snapshots.snapshots())
    .filter(
      ({ model, version, fingerprint }) =>
        !shown.has(fingerprint) && version !== undefined && dropped.has(tableKey({ model, version })),
    )
    .map(({ fingerprint }) => fingerprint);
}
