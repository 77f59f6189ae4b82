import { engineRefusal } from '../../compiler/plan/engine-refusal.ts';
import { renderSnapshot } from '../../compiler/render/render-snapshot.ts';
import { tableOf } from '../../domain/environment.ts';
import { Failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import type { Plan } from '../../domain/plan.ts';
import { physicalRelation, tableKey } from '../../domain/relation.ts';
import { isBuilt } from '../../domain/snapshot.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { reachable } from '../../foundation/graph.ts';
import { DAY_MS } from '../../foundation/time/civil.ts';
import { type Contents, contentsOf } from '../../runtime/execute/contents.ts';
import { engineColumns } from '../../runtime/execute/engine-columns.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import { missingExternals, missingTables } from './missing-externals.ts';

const AT_ONCE = 16;

type PlannedSnapshot = Plan['snapshots'][number];

/** What is asked about the queries of one plan. */
interface QueriesToExplain {
  readonly world: OpenedWorldReader;
  readonly plan: Plan;
  readonly contents: Contents;
  /** Whether the table of each model is as it will be. */
  readonly isThere: ReadonlyMap<string, boolean>;
  /** External tables that the warehouse does not have. */
  readonly isGone: ReadonlySet<string>;
  /** What models of these names read, through EMBEDDED ones. */
  readonly readThrough: (names: readonly string[]) => ReadonlySet<string>;
  readonly refuse: (model: Model, error: Failure) => void;
}

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
  const { diagnostics, refuse } = refusalsOf(fresh);
  try {
    const missing = await missingExternals(world, plan);
    if (missing.length > 0) diagnostics.push(missingTables(missing));
    const isGone = new Set(missing);
    const asking = { world, plan, contents, isThere, isGone, readThrough: readThroughOf(plan), refuse };
    const explain = await explainerOf(asking);
    const columnsOf = columnsAsked(asking);
    const next = fresh.values();
    const askNext = async (): Promise<void> => {
      for (const one of next) await askQuery(one, asking, { explain, columnsOf });
    };
    await Promise.all(Array.from({ length: AT_ONCE }, askNext));
  } finally {
    await contents.close();
  }
  return diagnostics;
}

/** Refusals, once for each model: what reads it may ask for its columns, too. */
function refusalsOf(fresh: readonly PlannedSnapshot[]): {
  readonly diagnostics: Diagnostic[];
  readonly refuse: QueriesToExplain['refuse'];
} {
  const diagnostics: Diagnostic[] = [];
  const reported = new Set<string>();
  const isFresh = new Set(fresh.map(({ snapshot }) => snapshot.model));
  return {
    diagnostics,
    refuse(model, error) {
      if (isFresh.has(model.name) && !reported.has(model.name)) diagnostics.push(engineRefusal(model, error));
      reported.add(model.name);
    },
  };
}

function readThroughOf({ snapshots }: Plan): QueriesToExplain['readThrough'] {
  const parentsOf = new Map(
    snapshots.map(({ snapshot: { model, parents, kind } }) => [model, kind === 'embedded' ? parents : []]),
  );
  return (names) => reachable(names, (name) => parentsOf.get(name) ?? []);
}

/** Asks with the query as it will be executed: all that it reads must be there. */
async function explainerOf({
  world: { engine },
  plan,
  contents,
  refuse,
}: QueriesToExplain): Promise<(fresh: PlannedSnapshot) => Promise<void>> {
  const tableOfName = await contents.namesAmong(plan.target.entries);
  const entries = new Map(plan.target.entries.map((entry) => [entry.model, entry]));
  return async ({ snapshot: { fingerprint, model: name }, content: { model } }) => {
    const { content, compileContext } = await contents.snapshot(fingerprint);
    const entry = entries.get(name);
    const id = entry === undefined ? undefined : tableOf(entry);
    if (id === undefined) return;
    try {
      const { query, preStatements } = await renderSnapshot(content, {
        compileContext,
        range: { start: plan.executionTime - DAY_MS, end: plan.executionTime },
        executionTime: plan.executionTime,
        runtimeStage: 'evaluating',
        thisModel: physicalRelation(id, engine.capabilities.identifierMax),
        tableOf: tableOfName,
        dialect: engine.dialect,
      });
      // Statements before it may make what it reads.
      if (preStatements.length === 0) await engine.prepare(query);
    } catch (error) {
      if (!(error instanceof Failure) || error.isRetryable) throw error;
      refuse(model, error);
    }
  };
}

/** Asks for the columns of a query: what it reads and is not there is stood in for. */
function columnsAsked({
  world: { engine },
  plan,
  contents,
  isThere,
  isGone,
  readThrough,
  refuse,
}: QueriesToExplain): ReturnType<typeof engineColumns> {
  const { entries } = plan.target;
  return engineColumns({
    engine,
    contents,
    entries,
    fresh: new Set(
      entries.filter(({ model }) => isThere.get(model) !== true).map((entry) => entry.fingerprint),
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
}

async function askQuery(
  fresh: PlannedSnapshot,
  { isThere, isGone, readThrough }: QueriesToExplain,
  {
    explain,
    columnsOf,
  }: {
    readonly explain: (fresh: PlannedSnapshot) => Promise<void>;
    readonly columnsOf: ReturnType<typeof engineColumns>;
  },
): Promise<void> {
  const { snapshot, content } = fresh;
  const read = readThrough(snapshot.parents);
  const all = [...snapshot.parents, ...read, ...content.model.dependencies];
  if (all.some((name) => isGone.has(name))) return;
  const isWhole =
    [...snapshot.parents, ...read].every((name) => isThere.get(name) === true) &&
    // The table that it reads itself is made, empty, by its first write.
    (snapshot.readsItself !== true || isThere.get(snapshot.model) === true);
  if (isWhole) return explain(fresh);
  try {
    await columnsOf(snapshot.model);
  } catch (error) {
    // A refusal is in the list already; what the engine cannot say yet is left to the build.
    if (!(error instanceof Failure) || error.code !== 'plan.type-unknown') throw error;
  }
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
