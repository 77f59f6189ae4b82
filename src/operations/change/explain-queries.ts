import { engineRefusal } from '../../compiler/plan/engine-refusal.ts';
import { renderSnapshot } from '../../compiler/render/render-snapshot.ts';
import { tableOf } from '../../domain/environment.ts';
import { Failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import type { Plan } from '../../domain/plan.ts';
import { physicalRelation, type Relation, tableKey } from '../../domain/relation.ts';
import { isBuilt, type SnapshotContent } from '../../domain/snapshot.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { reachable } from '../../foundation/graph.ts';
import { DAY_MS } from '../../foundation/time/civil.ts';
import { contentsOf } from '../../runtime/execute/contents.ts';
import { engineColumns } from '../../runtime/execute/engine-columns.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import { missingExternals, missingTables } from './missing-externals.ts';

const AT_ONCE = 16;

/**
 * Lets the engine plan the queries that are new or changed, before anything is built: what it refuses would fail later, after others
 * had been built. A table that this very plan makes, or gives other columns, is stood in for by an empty one of the columns that the
 * engine gives its query.
 */
export async function explainQueries(world: OpenedWorldReader, plan: Plan): Promise<readonly Diagnostic[]> {
  const fresh = plan.snapshots.filter(({ snapshot }) => isBuilt(snapshot.kind) && snapshot.kind !== 'seed');
  if (fresh.length === 0) return [];
  const isThere = await tablesThere(world, plan);
  const contents = contentsOf(world, plan.environment, plan.snapshots);
  const entries = new Map(plan.target.entries.map((entry) => [entry.model, entry]));
  const diagnostics: Diagnostic[] = [];
  const reported = new Set<string>();
  const isFresh = new Set(fresh.map(({ snapshot }) => snapshot.model));
  /** Once for each model: what reads it may ask for its columns, too. */
  const refuse = (model: Model, error: Failure): void => {
    if (isFresh.has(model.name) && !reported.has(model.name)) diagnostics.push(engineRefusal(model, error));
    reported.add(model.name);
  };
  try {
    const tableOfName = await contents.namesAmong(plan.target.entries);
    const explain = async ({ model }: SnapshotContent, fingerprint: string): Promise<void> => {
      const { content, compileContext } = await contents.snapshot(fingerprint);
      const entry = entries.get(model.name);
      const id = entry === undefined ? undefined : tableOf(entry);
      if (id === undefined) return;
      const thisModel: Relation = physicalRelation(id, world.engine.capabilities.identifierMax);
      const range = { start: plan.executionTime - DAY_MS, end: plan.executionTime };
      try {
        const { query, preStatements } = await renderSnapshot(content, {
          compileContext,
          range,
          executionTime: plan.executionTime,
          runtimeStage: 'evaluating',
          thisModel,
          tableOf: tableOfName,
          dialect: world.engine.dialect,
        });
        // Statements before it may make what it reads.
        if (preStatements.length === 0) await world.engine.prepare(query);
      } catch (error) {
        if (!(error instanceof Failure) || error.isRetryable) throw error;
        refuse(model, error);
      }
    };
    const parentsOf = new Map(
      plan.snapshots.map(({ snapshot: { model, parents, kind } }) => [
        model,
        kind === 'embedded' ? parents : [],
      ]),
    );
    const readThrough = (names: readonly string[]): ReadonlySet<string> =>
      reachable(names, (name) => parentsOf.get(name) ?? []);
    const missing = await missingExternals(world, plan);
    if (missing.length > 0) diagnostics.push(missingTables(missing));
    const isGone = new Set(missing);
    const columnsOf = engineColumns({
      engine: world.engine,
      contents,
      entries: plan.target.entries,
      fresh: new Set(
        plan.target.entries
          .filter(({ model }) => isThere.get(model) !== true)
          .map((entry) => entry.fingerprint),
      ),
      executionTime: plan.executionTime,
      check: {
        mayAsk: ({ source, dependencies }) =>
          source.kind === 'sql' &&
          source.preStatements.length === 0 &&
          ![...dependencies, ...readThrough(dependencies)].some((name) => isGone.has(name)),
        refuse,
      },
    });
    const ask = async ({ snapshot, content }: (typeof fresh)[number]): Promise<void> => {
      const read = readThrough(snapshot.parents);
      const all = [...snapshot.parents, ...read, ...content.model.dependencies];
      if (all.some((name) => isGone.has(name))) return;
      const isWhole =
        [...snapshot.parents, ...read].every((name) => isThere.get(name) === true) &&
        // The table that it reads itself is made, empty, by its first write.
        (snapshot.readsItself !== true || isThere.get(snapshot.model) === true);
      if (isWhole) return explain(content, snapshot.fingerprint);
      try {
        await columnsOf(snapshot.model);
      } catch (error) {
        // A refusal is in the list already; what the engine cannot say yet is left to the build.
        if (!(error instanceof Failure) || error.code !== 'plan.type-unknown') throw error;
      }
    };
    const next = fresh.values();
    const askNext = async (): Promise<void> => {
      for (const one of next) await ask(one);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, askNext));
  } finally {
    await contents.close();
  }
  return diagnostics;
}

/** Whether the table of each model is as it will be when the plan is applied. */
async function tablesThere({ state }: OpenedWorldReader, plan: Plan): Promise<ReadonlyMap<string, boolean>> {
  const filled = await state.journal.intervals();
  const migrated = new Set(
    plan.stages.flatMap((stage) => (stage.kind === 'migrate' ? [tableKey(stage.table)] : [])),
  );
  return new Map(
    plan.target.entries.map((entry) => {
      const id = tableOf(entry);
      return [entry.model, id === undefined || (filled.has(tableKey(id)) && !migrated.has(tableKey(id)))];
    }),
  );
}
