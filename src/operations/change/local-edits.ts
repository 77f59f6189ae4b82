import { draftSnapshots } from '../../compiler/plan/draft-snapshots.ts';
import { Failure } from '../../domain/failure.ts';
import { hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import { loadProject } from '../project/load-project.ts';
import type { Workspace } from '../workspace.ts';

/** Models of the project folder that are not what an environment shows, both ways; a folder that does not load has none. */
export async function localEdits(
  workspace: Workspace,
  { state }: OpenedWorldReader,
  environment: string,
): Promise<readonly string[]> {
  const present = await state.snapshots.environment(environment);
  if (present === undefined) return [];
  try {
    const { project, rollups, diagnostics } = await loadProject(workspace);
    // What is made of a broken project (a variable that is not set, say) is not an edit.
    if (hasErrors(diagnostics)) return [];
    const applied = new Map(present.entries.map(({ model, fingerprint }) => [model, fingerprint]));
    const stored = await state.snapshots.snapshots(present.entries.map(({ fingerprint }) => fingerprint));
    const drafts = draftSnapshots(
      { ...project, models: [...project.models, ...rollups] },
      { shown: new Map(stored.map((snapshot) => [snapshot.model, snapshot])) },
    );
    const local = new Map(drafts.map(({ model, fingerprint }) => [model, fingerprint]));
    const names = new Set([...applied.keys(), ...local.keys()]);
    return [...names].filter((name) => applied.get(name) !== local.get(name)).sort();
  } catch (error) {
    // A run needs no project folder, so a broken one must not fail it.
    if (error instanceof Failure) return [];
    throw error;
  }
}
