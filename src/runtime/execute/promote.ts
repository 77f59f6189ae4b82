/*
 * Shows a plan's tables: the environment's views change in one transaction, with the virtual-update statements inside.
 *
 *   intent in state ─▶ BEGIN, dropped columns, views, statements, promotion id with its record, COMMIT ─▶ environment record in state
 *
 * After a crash the promotion id in the warehouse shows whether it happened. An engine writes one catalog per
 * transaction: views of other catalogs change first, in order of their names, and the transaction of the last one
 * carries the id; a crash between them leaves views that the next plan of the environment brings to their place.
 */

import { promotionRecord } from '../../compiler/plan/promotion-record.ts';
import { renderSnapshot } from '../../compiler/render/render-snapshot.ts';
import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import type { Stage } from '../../domain/plan.ts';
import { promotionRecordText } from '../../domain/promotion-record.ts';
import { physicalRelation, type Relation, relationText, viewRelation } from '../../domain/relation.ts';
import { promotionEvents } from './promotion-events.ts';
import { promoteProven } from './prove-promotion.ts';
import { type RunContext, refuseWhenStopped } from './run-context.ts';
import { isOwnView } from './taken-names.ts';
import { relationOf, viewQuery, withColumns } from './view-query.ts';
import type { CatalogChange, VirtualUpdate } from './write-promotion.ts';

type PromoteStage = Extract<Stage, { kind: 'promote' }>;

export async function promote(context: RunContext, stage: PromoteStage): Promise<void> {
  const { engine, state, clock } = context.world;
  refuseWhenStopped(context, `the promotion of ${stage.target.name}`);
  const entries = await withColumns(engine, stage.target.entries);
  const target: Environment = { ...stage.target, entries, promotedAt: clock.now() };
  const changes = await changesByCatalog(context, stage, entries);
  const statements = await virtualUpdates(context, stage);
  const noticed = await promotionEvents(context.world, target, {
    at: target.promotedAt,
    runId: context.execution.run.id,
  });
  const record = promotionRecordText(promotionRecord(target, await state.snapshots.snapshots()));
  await promoteProven(context, stage, { target, record, changes, statements, noticed });
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
    const made: CatalogChange = {
      ...(catalog === '' ? {} : { catalog }),
      ...{ views: [], removed: [], migrations: [] },
    };
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
    changeOf(view).views.push({
      view,
      query: viewQuery({ view, from }, entry.columns, world.engine),
      ...described,
    });
  }
  const removed = stage.removed.map((model) => ({ model, view: viewRelation(model, naming) }));
  const occupants = await world.engine.occupants(removed.map(({ view }) => view));
  for (const { model, view } of removed) {
    const occupant = occupants.get(relationText(view));
    // What another process put in its place stays.
    const { identifierMax } = world.engine.capabilities;
    if (occupant !== undefined && isOwnView(model, occupant, identifierMax))
      changeOf(view).removed.push(view);
  }
  for (const work of stage.migrations ?? [])
    changeOf(physicalRelation(work.table, world.engine.capabilities.identifierMax)).migrations.push(work);
  const named = [...byCatalog.keys()].filter((catalog) => catalog !== '').sort();
  const ordered = named.map((catalog) => byCatalog.get(catalog) as CatalogChange);
  return [...ordered, byCatalog.get('') ?? { views: [], removed: [], migrations: [] }];
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
async function virtualUpdates(context: RunContext, stage: PromoteStage): Promise<readonly VirtualUpdate[]> {
  const { world, execution, contents } = context;
  if (stage.virtualUpdates.length === 0) return [];
  const naming = execution.naming(stage.target.name);
  const byModel = new Map(stage.target.entries.map((entry) => [entry.model, entry]));
  const statements: VirtualUpdate[] = [];
  for (const model of stage.virtualUpdates) {
    const entry = byModel.get(model);
    if (entry === undefined) throw new Error(`${model} is updated virtually but not shown`);
    const { content, compileContext } = await contents.snapshot(entry.fingerprint);
    const rendered = await renderSnapshot(content, {
      compileContext,
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
    statements.push(...rendered.onVirtualUpdate.map((sql) => ({ sql, of: entry })));
  }
  return statements;
}
