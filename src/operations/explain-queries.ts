import { renderSnapshot } from '../compiler/render/render-snapshot.ts';
import { diagnostic } from '../domain/diagnostics/catalog.ts';
import { tableOf } from '../domain/environment.ts';
import { Failure } from '../domain/failure.ts';
import type { Plan } from '../domain/plan.ts';
import { physicalRelation, type Relation, tableKey } from '../domain/relation.ts';
import { isBuilt, type SnapshotContent } from '../domain/snapshot.ts';
import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { reachable } from '../foundation/graph.ts';
import { contentsOf } from '../runtime/execute/contents.ts';
import type { OpenedWorld } from './open-world.ts';

const AT_ONCE = 8;

/**
 * Lets the engine plan the queries that changed, where every table they read is there already: what it refuses would fail
 * later, after others had been built. Queries over tables that this very plan makes are left to the build.
 */
export async function explainQueries(world: OpenedWorld, plan: Plan): Promise<readonly Diagnostic[]> {
  const fresh = plan.snapshots.filter(({ snapshot }) => isBuilt(snapshot.kind) && snapshot.kind !== 'seed');
  if (fresh.length === 0) return [];
  const filled = await world.state.journal.intervals();
  const isThere = new Map(
    plan.target.entries.map((entry) => {
      const id = tableOf(entry);
      return [entry.model, id === undefined ? true : filled.has(tableKey(id))];
    }),
  );
  const contents = contentsOf(world, plan.environment, plan.snapshots);
  const entries = new Map(plan.target.entries.map((entry) => [entry.model, entry]));
  const diagnostics: Diagnostic[] = [];
  try {
    const tableOfName = await contents.namesAmong(plan.target.entries);
    const ask = async ({ model }: SnapshotContent, fingerprint: string): Promise<void> => {
      const { content, surroundings } = await contents.snapshot(fingerprint);
      const entry = entries.get(model.name);
      const id = entry === undefined ? undefined : tableOf(entry);
      if (id === undefined) return;
      const thisModel: Relation = physicalRelation(id, world.engine.capabilities.identifierMax);
      const range = { start: plan.executionTime - 86_400_000, end: plan.executionTime };
      try {
        const { query, preStatements } = await renderSnapshot(content, {
          surroundings,
          range,
          executionTime: plan.executionTime,
          runtimeStage: 'evaluating',
          thisModel,
          tableOf: tableOfName,
          dialect: world.engine.dialect,
        });
        // Statements before it may make what it reads.
        if (preStatements.length === 0) await world.engine.explain(query);
      } catch (error) {
        if (!(error instanceof Failure) || error.isRetryable) throw error;
        diagnostics.push(
          diagnostic(
            'plan.engine-refuses',
            { model: model.name, detail: error.message.replace(/\.$/, '') },
            { at: model.ranges['query'] ?? model.ranges['name'] },
          ),
        );
      }
    };
    const parentsOf = new Map(
      plan.snapshots.map(({ snapshot: { model, parents, kind } }) => [
        model,
        kind === 'embedded' ? parents : [],
      ]),
    );
    const able = fresh.filter(({ snapshot }) => {
      const read = reachable(snapshot.parents, (name) => parentsOf.get(name) ?? []);
      return [...snapshot.parents, ...read].every(
        (name) => isThere.get(name) === true && name !== snapshot.model,
      );
    });
    for (let i = 0; i < able.length; i += AT_ONCE)
      await Promise.all(
        able.slice(i, i + AT_ONCE).map(({ snapshot, content }) => ask(content, snapshot.fingerprint)),
      );
  } finally {
    await contents.close();
  }
  return diagnostics;
}
