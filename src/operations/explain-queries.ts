import { renderSnapshot } from '../compiler/render/render-snapshot.ts';
import { diagnostic } from '../domain/diagnostics/catalog.ts';
import { tableOf } from '../domain/environment.ts';
import { Failure } from '../domain/failure.ts';
import { splitModelName } from '../domain/model-name.ts';
import type { Plan } from '../domain/plan.ts';
import { physicalRelation, type Relation, relationText, tableKey } from '../domain/relation.ts';
import { isBuilt, type SnapshotContent } from '../domain/snapshot.ts';
import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { reachable } from '../foundation/graph.ts';
import { DAY_MS } from '../foundation/time/civil.ts';
import { contentsOf } from '../runtime/execute/contents.ts';
import type { OpenedWorld } from './open-world.ts';

const AT_ONCE = 8;

/**
 * Lets the engine plan the queries that changed, where every table they read is there already: what it refuses would fail
 * later, after others had been built. Queries over tables that this very plan makes, or gives other columns, are left to the build.
 */
export async function explainQueries(world: OpenedWorld, plan: Plan): Promise<readonly Diagnostic[]> {
  const fresh = plan.snapshots.filter(({ snapshot }) => isBuilt(snapshot.kind) && snapshot.kind !== 'seed');
  if (fresh.length === 0) return [];
  const filled = await world.state.journal.intervals();
  const migrated = new Set(
    plan.stages.flatMap((stage) => (stage.kind === 'migrate' ? [tableKey(stage.table)] : [])),
  );
  const isThere = new Map(
    plan.target.entries.map((entry) => {
      const id = tableOf(entry);
      const isAsItWillBe = id === undefined || (filled.has(tableKey(id)) && !migrated.has(tableKey(id)));
      return [entry.model, isAsItWillBe];
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
      const range = { start: plan.executionTime - DAY_MS, end: plan.executionTime };
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
    const missing = await missingExternals(world, plan);
    if (missing.length > 0) diagnostics.push(missingTables(missing));
    const isGone = new Set(missing);
    const able = fresh.filter(({ snapshot, content }) => {
      const read = reachable(snapshot.parents, (name) => parentsOf.get(name) ?? []);
      return (
        // The table that it reads itself is made, empty, by its first write.
        (snapshot.readsItself !== true || isThere.get(snapshot.model) === true) &&
        !content.model.dependencies.some((name) => isGone.has(name)) &&
        [...snapshot.parents, ...read].every((name) => isThere.get(name) === true && !isGone.has(name))
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

/** Tables of somebody else's that new queries read and the warehouse does not have. */
async function missingExternals({ engine }: OpenedWorld, plan: Plan): Promise<readonly string[]> {
  const own = new Set(
    plan.target.entries.filter(({ version }) => version !== undefined).map(({ model }) => model),
  );
  const embedded = new Set(
    plan.snapshots
      .filter(({ snapshot }) => snapshot.kind === 'embedded')
      .map(({ snapshot }) => snapshot.model),
  );
  const known = new Set(plan.target.entries.map(({ model }) => model));
  const read = new Set(
    plan.snapshots.flatMap(({ content }) =>
      content.model.dependencies.filter((name) => !own.has(name) && !embedded.has(name)),
    ),
  );
  // An EMBEDDED model that did not change has no relation to look for.
  const external = [...read].filter(
    (name) =>
      !known.has(name) ||
      plan.snapshots.some(({ snapshot }) => snapshot.model === name && snapshot.kind === 'external'),
  );
  const relations = new Map(external.map((name) => [name, externalRelation(name)]));
  const found = await engine.columnsOf([...relations.values()]);
  return [...relations].filter(([, relation]) => !found.has(relationText(relation))).map(([name]) => name);
}

function externalRelation(name: string): Relation {
  const { catalog, schema = 'main', table } = splitModelName(name);
  return { ...(catalog === undefined ? {} : { catalog }), schema, name: table };
}

function missingTables(names: readonly string[]): Diagnostic {
  const shown = names.slice(0, 5).join(', ');
  const rest = names.length > 5 ? ` and ${names.length - 5} more` : '';
  return diagnostic('plan.external-missing', { tables: `${shown}${rest}` });
}
