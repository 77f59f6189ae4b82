/*
 * Shows a plan's tables: the environment's views change in one transaction, with the virtual-update statements inside.
 *
 *   intent in state ─▶ BEGIN, views, dropped views, statements, promotion id, COMMIT ─▶ environment record in state
 *
 * After a crash the promotion id in the warehouse tells whether it happened. An engine writes one catalog per
 * transaction: views of other catalogs change first, in order of their names, and the transaction of the last one
 * carries the id; a crash between them leaves views that the next plan of the environment brings to their place.
 */

import { renderSnapshot } from '../../compiler/render/render-snapshot.ts';
import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import type { Stage } from '../../domain/plan.ts';
import { type Relation, viewRelation } from '../../domain/relation.ts';
import { promotionFence } from './promotion-fence.ts';
import { type RunContext, refuseWhenStopped } from './run-context.ts';
import { relationOf, viewQuery, withColumns } from './view-query.ts';
import { withRetries } from './with-retries.ts';

type PromoteStage = Extract<Stage, { kind: 'promote' }>;

/** What changes in one catalog. */
interface CatalogChange {
  readonly views: {
    view: Relation;
    query: string;
    comment?: string;
    columnComments?: Record<string, string>;
  }[];
  readonly removed: Relation[];
}

export async function promote(context: RunContext, stage: PromoteStage): Promise<void> {
  const { world, execution } = context;
  const { engine, state, clock } = world;
  refuseWhenStopped(context, `the promotion of ${stage.target.name}`);
  const entries = await withColumns(engine, stage.target.entries);
  const target: Environment = { ...stage.target, entries, promotedAt: clock.now() };
  const changes = await changesByCatalog(context, stage, entries);
  const statements = await virtualUpdates(context, stage);
  await state.snapshots.beginPromotion({ target, runId: execution.run.id });
  try {
    await writeChanges(context, { target, changes, statements });
  } catch (error) {
    // An answer that was lost leaves the intent to recovery, which asks the warehouse.
    if ((await engine.promotionOf(target.name)) !== target.promotionId)
      await state.snapshots.dropPromotion(target.name);
    throw error;
  }
  const views = changes.reduce((sum, change) => sum + change.views.length, 0);
  context.emit({
    event: 'environment.promoted',
    environment: target.name,
    views,
    removed: stage.removed.length,
  });
  await state.snapshots.finishPromotion(target, clock.now(), context.takeEvents());
}

async function writeChanges(
  context: RunContext,
  {
    target,
    changes,
    statements,
  }: {
    readonly target: Environment;
    readonly changes: readonly CatalogChange[];
    readonly statements: readonly string[];
  },
): Promise<void> {
  const { engine } = context.world;
  const fences = [promotionFence(target.name, context.environmentToken)];
  for (const [index, change] of changes.entries()) {
    const isLast = index === changes.length - 1;
    await withRetries(context, async (earlierAttempts) => {
      if (earlierAttempts > 0 && (await engine.promotionOf(target.name)) === target.promotionId) return;
      await engine.write(
        fences,
        async (session) => {
          const sent: Promise<unknown>[] = [];
          if (change.views.length > 0) sent.push(session.replaceViews(change.views));
          if (change.removed.length > 0)
            sent.push(session.drop(change.removed.map((relation) => ({ relation, object: 'view' }))));
          if (isLast) {
            for (const statement of statements) sent.push(session.execute(statement));
            sent.push(session.recordPromotion(target.name, target.promotionId));
          }
          await Promise.all(sent);
        },
        { signal: context.cancel },
      );
    });
  }
}

/** The gateway's own catalog comes last: its transaction carries the promotion id. */
async function changesByCatalog(
  context: RunContext,
  stage: PromoteStage,
  entries: readonly EnvironmentEntry[],
): Promise<readonly CatalogChange[]> {
  const { world, execution, contents } = context;
  const naming = execution.naming(stage.target.name);
  const byCatalog = new Map<string, CatalogChange>();
  const changeOf = ({ catalog = '' }: Relation): CatalogChange => {
    const found = byCatalog.get(catalog);
    if (found !== undefined) return found;
    const made: CatalogChange = { views: [], removed: [] };
    byCatalog.set(catalog, made);
    return made;
  };
  const complete = new Map(entries.map((entry) => [entry.model, entry]));
  await contents.preload(stage.views.map(({ entry }) => entry.fingerprint));
  for (const shown of stage.views) {
    const entry = complete.get(shown.entry.model) ?? shown.entry;
    const from = relationOf(entry, world.engine);
    if (from === undefined) continue;
    const view = viewRelation(entry.model, naming);
    const { model } = await contents.content(entry.fingerprint);
    const described = world.engine.capabilities.comments ? descriptionsOf(model, entry.columns) : {};
    changeOf(view).views.push({ view, query: viewQuery(from, entry.columns, world.engine), ...described });
  }
  for (const model of stage.removed) {
    const view = viewRelation(model, naming);
    changeOf(view).removed.push(view);
  }
  const named = [...byCatalog.keys()].filter((catalog) => catalog !== '').sort();
  const ordered = named.map((catalog) => byCatalog.get(catalog) as CatalogChange);
  return [...ordered, byCatalog.get('') ?? { views: [], removed: [] }];
}

function descriptionsOf(
  model: {
    readonly description?: string;
    readonly columns: readonly { readonly name: string; readonly description?: string }[];
  },
  shown: readonly string[],
): { readonly comment?: string; readonly columnComments?: Record<string, string> } {
  const columns = new Set(shown.map((name) => name.toLowerCase()));
  const comments = model.columns.flatMap(({ name, description }) =>
    description === undefined || !columns.has(name.toLowerCase()) ? [] : [[name, description] as const],
  );
  return {
    ...(model.description === undefined ? {} : { comment: model.description }),
    ...(comments.length === 0 ? {} : { columnComments: Object.fromEntries(comments) }),
  };
}

/** Statements see the environment's views under the names of the models. */
async function virtualUpdates(context: RunContext, stage: PromoteStage): Promise<readonly string[]> {
  const { world, execution, contents } = context;
  if (stage.virtualUpdates.length === 0) return [];
  const naming = execution.naming(stage.target.name);
  const byModel = new Map(stage.target.entries.map((entry) => [entry.model, entry]));
  const statements: string[] = [];
  for (const model of stage.virtualUpdates) {
    const entry = byModel.get(model);
    if (entry === undefined) throw new Error(`${model} is updated virtually but not shown`);
    const { content, surroundings } = await contents.snapshot(entry.fingerprint);
    const rendered = await renderSnapshot(content, {
      surroundings,
      range: { start: 0, end: execution.executionTime },
      executionTime: execution.executionTime,
      runtimeStage: 'promoting',
      thisModel: viewRelation(model, naming),
      tableOf: (name) => {
        const shown = byModel.get(name);
        return shown?.version === undefined ? undefined : viewRelation(name, naming);
      },
      dialect: world.engine.dialect,
    });
    statements.push(...rendered.onVirtualUpdate);
  }
  return statements;
}
