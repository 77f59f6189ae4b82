import { renderSnapshot } from '../../compiler/render/render-snapshot.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { tableOf } from '../../domain/environment.ts';
import { Failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import type { Plan } from '../../domain/plan.ts';
import {
  externalRelation,
  physicalRelation,
  type Relation,
  relationText,
  tableKey,
} from '../../domain/relation.ts';
import { isBuilt, type SnapshotContent } from '../../domain/snapshot.ts';
import type { Diagnostic, SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import { reachable } from '../../foundation/graph.ts';
import { tokenize } from '../../foundation/sql/tokenize.ts';
import { DAY_MS } from '../../foundation/time/civil.ts';
import { contentsOf } from '../../runtime/execute/contents.ts';
import { engineColumns } from '../../runtime/execute/engine-columns.ts';
import type { OpenedWorldReader } from '../open-world.ts';

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
    if (isFresh.has(model.name) && !reported.has(model.name)) diagnostics.push(refused(model, error));
    reported.add(model.name);
  };
  try {
    const tableOfName = await contents.namesAmong(plan.target.entries);
    const explain = async ({ model }: SnapshotContent, fingerprint: string): Promise<void> => {
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

function refused(model: Model, { message, diagnostic: { hint } }: Failure): Diagnostic {
  const detail = message.replace(/^The engine refused a statement: /, '').replace(/\.$/, '');
  return diagnostic(
    'plan.engine-refuses',
    { model: model.name, detail },
    { at: placeIn(model, detail) ?? model.ranges['name'], hint },
  );
}

/** Where the query says the word that the engine quotes; else the whole query. */
function placeIn({ source, ranges, dialect }: Model, detail: string): SourceRange | undefined {
  const query = ranges['query'];
  if (query === undefined || source.kind !== 'sql') return query;
  const words = [...detail.matchAll(/"([^"]+)"|\bname (\w+)/g)].map(([, quoted, named]) => quoted ?? named);
  const { tokens } = tokenize(source.query.text, dialect);
  for (const word of words) {
    const token = tokens.find(
      ({ kind, text }) => /^(?:word|name)$/.test(kind) && isSameWord(text, word ?? ''),
    );
    if (token !== undefined)
      return {
        file: query.file,
        start: source.query.start + token.start,
        end: source.query.start + token.end,
      };
  }
  return query;
}

const isSameWord = (text: string, word: string): boolean =>
  text.replaceAll(/^"|"$/g, '').toLowerCase() === word.toLowerCase();

/** External tables that new queries read and the warehouse does not have. */
async function missingExternals({ engine }: OpenedWorldReader, plan: Plan): Promise<readonly string[]> {
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

function missingTables(names: readonly string[]): Diagnostic {
  const shown = names.slice(0, 5).join(', ');
  const rest = names.length > 5 ? ` and ${names.length - 5} more` : '';
  return diagnostic('plan.external-missing', { tables: `${shown}${rest}` });
}
