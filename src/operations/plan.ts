import { diff } from '../compiler/plan/diff.ts';
import { planStages } from '../compiler/plan/plan-stages.ts';
import { renderQuery } from '../compiler/render/render-query.ts';
import type { Plan } from '../domain/plan.ts';
import { type Snapshot, snapshotOf } from '../domain/snapshot.ts';
import type { StateReader } from '../domain/state-store.ts';
import type { LoadedWorkspace } from './load-project.ts';
import type { Workspace } from './workspace.ts';

/** What would change in an environment, and the stages that would do it. Walking skeleton of issue 4's plan. */
export async function plan(
  workspace: Workspace,
  { project, surroundings }: LoadedWorkspace,
  state: StateReader,
  environment: string,
): Promise<Plan> {
  const snapshots = new Map<string, Snapshot>();
  const wanted: { snapshot: Snapshot; query: string }[] = [];
  for (const model of project.models) {
    if (model.kind.kind === 'external') continue;
    const parents = model.dependencies.flatMap((name) => snapshots.get(name) ?? []);
    const snapshot = snapshotOf(model, parents);
    snapshots.set(model.name, snapshot);
    const tables = new Map(parents.map((parent) => [parent.model, parent.table]));
    const times = { start: 0, end: workspace.executionTime, execution: workspace.executionTime };
    const standIn = (name: string) => {
      const table = tables.get(name);
      return table === undefined ? undefined : ({ kind: 'table', sql: table } as const);
    };
    wanted.push({
      snapshot,
      query: await renderQuery(model, surroundings, { times, standIn, columnsOf: () => undefined }),
    });
  }
  const present = await state.environment(environment);
  const changes = diff([...snapshots.values()], present);
  return {
    environment,
    changes,
    stages: changes.length === 0 ? [] : planStages(environment, wanted, present),
  };
}
