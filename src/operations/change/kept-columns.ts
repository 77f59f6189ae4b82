import type { KeptColumns, PlanOutcome } from '../../compiler/plan/plan-input.ts';
import { Failure } from '../../domain/failure.ts';
import { physicalRelation, relationText } from '../../domain/relation.ts';
import type { SnapshotContent } from '../../domain/snapshot.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { contentsOf } from '../../runtime/execute/contents.ts';
import { engineColumns } from '../../runtime/execute/engine-columns.ts';
import { withoutHistory } from '../../runtime/execute/migration-step.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** Asks the engine about the columns of kept tables where loading did not find a type: before anything is altered, and before the plan is shown. */
export async function keptColumns(
  world: OpenedWorldReader,
  { plan, unknown = [] }: PlanOutcome,
  known: ReadonlyMap<string, SnapshotContent>,
): Promise<{
  readonly kept: ReadonlyMap<string, KeptColumns>;
  readonly diagnostics: readonly Diagnostic[];
}> {
  const kept = new Map<string, KeptColumns>();
  const diagnostics: Diagnostic[] = [];
  if (unknown.length === 0) return { kept, diagnostics };
  const { engine } = world;
  const contents = contentsOf(world, plan.environment, plan.snapshots);
  const columnsOf = engineColumns({
    engine,
    contents,
    entries: plan.target.entries,
    fresh: new Set(plan.snapshots.map(({ snapshot }) => snapshot.fingerprint)),
    executionTime: plan.executionTime,
  });
  const relationOf = ({ table }: (typeof unknown)[number]) =>
    physicalRelation(table, engine.capabilities.identifierMax);
  try {
    const present = await engine.columnsOf(unknown.map(relationOf));
    for (const one of unknown) {
      const { fingerprint, table } = one;
      const columns = present.get(relationText(relationOf(one)));
      const model = known.get(fingerprint)?.model;
      // A table that was never filled is made with the new columns when it is.
      if (columns === undefined || model === undefined) continue;
      try {
        kept.set(fingerprint, {
          present: withoutHistory(model, columns),
          wanted: await columnsOf(table.model, columns),
        });
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'plan.type-unknown') throw error;
        const at = model.ranges['query'] ?? model.ranges['name'];
        diagnostics.push({ ...error.diagnostic, ...(at === undefined ? {} : { at }) });
      }
    }
  } finally {
    await contents.close();
  }
  return { kept, diagnostics };
}
