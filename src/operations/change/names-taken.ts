import type { Plan } from '../../domain/plan.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { contentsOf } from '../../runtime/execute/contents.ts';
import { takenNames } from '../../runtime/execute/taken-names.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** What the warehouse already has under names that the plan needs. */
export async function namesTaken(world: OpenedWorldReader, plan: Plan): Promise<readonly Diagnostic[]> {
  const { stages, environment } = plan;
  const tables = stages.flatMap((stage) =>
    stage.kind === 'backfill' ? stage.members.map(({ table }) => table) : [],
  );
  const known = new Set((await world.state.journal.dataVersions(tables)).keys());
  const contents = contentsOf(world, environment, plan.snapshots);
  try {
    const naming = (name: string) => world.naming(name);
    return await takenNames(world, { stages, environment, naming, known, contents });
  } finally {
    await contents.close();
  }
}
