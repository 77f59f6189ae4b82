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
import type { Fence } from '../../domain/engine.ts';
import { type Environment, type EnvironmentEntry, environmentViews } from '../../domain/environment.ts';
import type { MigrationWork, NeededProof, Stage } from '../../domain/plan.ts';
import { promotionRecordText } from '../../domain/promotion-record.ts';
import { physicalRelation, type Relation, relationText, viewRelation } from '../../domain/relation.ts';
import { auditNarrowed } from './audit-narrowed.ts';
import { blameModel } from './blame-model.ts';
import { type MigrationStep, migrationStep, refuseWhenPromoted } from './migration-step.ts';
import { promotionEvents } from './promotion-events.ts';
import { promotionFence } from './promotion-fence.ts';
import { withProofs } from './prove-promotion.ts';
import { refuseForeignWrites } from './refuse-foreign-writes.ts';
import { type RunContext, refuseWhenStopped } from './run-context.ts';
import { type ShownNames, shownNames } from './shown-names.ts';
import { isOwnView, refuseTakenNames } from './taken-names.ts';
import { relationOf, viewQuery, withColumns } from './view-query.ts';
import { withRetries } from './with-retries.ts';

type PromoteStage = Extract<Stage, { kind: 'promote' }>;

interface VirtualUpdate {
  readonly sql: string;
  /** Whose statement it is. */
  readonly of: EnvironmentEntry;
}

/** What changes in one catalog. */
interface CatalogChange {
  /** Absent: the gateway's own. */
  readonly catalog?: string;
  readonly views: {
    view: Relation;
    query: string;
    comment?: string;
    columnComments?: Record<string, string>;
  }[];
  readonly removed: Relation[];
  /** Tables of this catalog that lose columns. */
  readonly migrations: MigrationWork[];
}

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
  await withProofs(context, { stage, target }, async (fences, proofs) => {
    try {
      await writeChanges(context, { target, record, changes, statements, fences, proofs });
    } catch (error) {
      // An answer that was lost leaves the intent to recovery, which asks the warehouse.
      if ((await engine.promotionOf(target.name)) !== target.promotionId)
        await state.snapshots.dropPromotion(target.name, context.execution.run.id);
      await refuseTaken(context, stage);
      throw error;
    }
    const views = changes.reduce((sum, change) => sum + change.views.length, 0);
    context.emit({
      event: 'environment.promoted',
      environment: target.name,
      views,
      removed: stage.removed.length,
    });
    await state.snapshots.finishPromotion(target, clock.now(), [...context.takeEvents(), ...noticed]);
  });
}

/** Something may have got a name of ours while the plan was applied: that is a better reason than the engine's. */
async function refuseTaken({ world, execution, contents }: RunContext, stage: PromoteStage): Promise<void> {
  const { naming, run } = execution;
  const request = {
    stages: [stage],
    environment: run.environment,
    naming,
    known: new Set<string>(),
    contents,
  };
  await refuseTakenNames(world, request);
}

async function writeChanges(
  context: RunContext,
  {
    target,
    record,
    changes,
    statements,
    fences: tableFences,
    proofs,
  }: {
    readonly target: Environment;
    readonly record: string;
    readonly changes: readonly CatalogChange[];
    readonly statements: readonly VirtualUpdate[];
    readonly fences: readonly Fence[];
    readonly proofs: readonly NeededProof[];
  },
): Promise<void> {
  const { engine } = context.world;
  const token = context.environmentToken;
  const own = promotionFence(target.name, token);
  for (const [index, change] of changes.entries()) {
    const isLast = index === changes.length - 1;
    await withRetries(context, async (earlierAttempts) => {
      if (earlierAttempts > 0 && (await engine.promotionOf(target.name)) === target.promotionId) return;
      if (isLast) await refuseForeign(context, statements, target.name);
      const steps = await Promise.all(
        change.migrations.map((work) => migrationStep(context, work, 'promotion')),
      );
      // Each catalog that is written has to be named before the transaction begins.
      const views = { table: environmentViews(target.name, change.catalog), token };
      await engine.write(
        [own, ...(change.catalog === undefined ? [] : [views]), ...tableFences],
        async (session) => {
          const sent: Promise<unknown>[] = [];
          for (const { relation, changes: columns } of steps)
            if (columns.length > 0) sent.push(session.alterTable(relation, columns));
          const again = viewsOf(steps, change.views);
          if (again.length > 0) sent.push(session.replaceViews(again));
          if (change.views.length > 0) sent.push(session.replaceViews(change.views));
          if (change.removed.length > 0)
            sent.push(session.drop(change.removed.map((relation) => ({ relation, object: 'view' }))));
          const shownIn = new Set([target.name, ...steps.flatMap((step) => [...step.shownIn])]);
          sent.push(session.recordViews([...shownIn].map((name) => environmentViews(name, change.catalog))));
          if (isLast) {
            for (const { sql, of } of statements)
              sent.push(
                session.execute(sql).catch(async (error: unknown) => {
                  throw await blameModel(context, error, of);
                }),
              );
            sent.push(session.recordPromotion(target.name, target.promotionId, record));
          }
          await Promise.all(sent);
          for (const step of steps) await refuseWhenPromoted(context, step);
          // Last: it asks one thing after the other, and must not go on asking once something else has failed.
          const works = change.migrations.filter((_, i) => isNarrowing(steps[i]?.changes ?? []));
          await auditNarrowed(context, session, { works, proofs });
        },
        { signal: context.cancel },
      );
    });
  }
}

async function refuseForeign(
  context: RunContext,
  statements: readonly VirtualUpdate[],
  environment: string,
): Promise<void> {
  const naming = context.execution.naming(environment);
  let shown: Promise<ShownNames> | undefined;
  for (const { sql, of } of statements)
    await refuseForeignWrites([sql], {
      ...{ writer: of.model, own: { relation: viewRelation(of.model, naming), isShown: true } },
      ...{ shown: () => (shown ??= shownNames(context)), dialect: context.world.engine.dialect },
    });
}

/**
 * Views over tables that lost columns, but for those that the promotion makes itself. A view that several tables feed is
 * made once, where it comes last: whatever reads another view comes after it in every list that has the other.
 */
function viewsOf(
  steps: readonly MigrationStep[],
  promoted: CatalogChange['views'],
): readonly MigrationStep['views'][number][] {
  const own = new Set(promoted.map(({ view }) => relationText(view)));
  const last = new Map<string, MigrationStep['views'][number]>();
  for (const one of steps.flatMap(({ views }) => views)) {
    const key = relationText(one.view);
    last.delete(key);
    if (!own.has(key)) last.set(key, one);
  }
  return [...last.values()];
}

/** Whether a column is dropped and added with another type. */
function isNarrowing(changes: MigrationStep['changes']): boolean {
  const dropped = new Set(changes.flatMap((one) => (one.kind === 'drop' ? [one.column.toLowerCase()] : [])));
  return changes.some((one) => one.kind === 'add' && dropped.has(one.column.name.toLowerCase()));
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
    statements.push(...rendered.onVirtualUpdate.map((sql) => ({ sql, of: entry })));
  }
  return statements;
}
