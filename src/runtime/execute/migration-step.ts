/*
 * A migration has two parts, each a transaction with all views over the table in it:
 *
 *   before-writes   columns that are added or become wider
 *   promotion       columns that are dropped: until then prod shows them, and goes on showing them if the plan fails
 *
 * A column that gets a type which cannot hold all its values is dropped and added. Where the plan writes the table, that
 * cannot wait: the new values may not fit into the old type. Nor can anything wait where the table is rebuilt.
 */
import { earlyLoss, hasWholeTypes, migrationOf } from '../../compiler/plan/schema-change.ts';
import { viewsOver } from '../../compiler/plan/views-over.ts';
import { renderSnapshot } from '../../compiler/render/render-snapshot.ts';
import { type AnswerColumn, type ColumnChange, WHOLE } from '../../domain/engine.ts';
import type { EnvironmentEntry } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import type { MigrationWork, ShownView } from '../../domain/plan.ts';
import {
  physicalRelation,
  type Relation,
  relationText,
  type TableId,
  tableKey,
  viewRelation,
} from '../../domain/relation.ts';
import { engineColumns } from './engine-columns.ts';
import { readShownEnvironments } from './read-shown-environments.ts';
import { recoverPromotions } from './recover-promotions.ts';
import type { RunContext } from './run-context.ts';
import { relationOf, viewQuery, withColumns } from './view-query.ts';

/** What one part of a migration changes; all ALTERs come before anything else: on DuckDB an ALTER after a changed row fails at COMMIT. */
export interface MigrationStep {
  readonly relation: Relation;
  readonly changes: readonly ColumnChange[];
  /** Upstream first. */
  readonly views: readonly { readonly view: Relation; readonly query: string }[];
  /** The promotion of each other environment among whose views these are. */
  readonly promotions: ReadonlyMap<string, string>;
  readonly table: TableId;
  /** Environments that show something of the table. */
  readonly shownIn: ReadonlySet<string>;
  /** Environments there were when the views were read; absent where none were. */
  readonly known?: ReadonlySet<string>;
}

/** Compares the table as it is now with the snapshot; a part that is done already changes nothing. */
export async function migrationStep(
  context: RunContext,
  work: MigrationWork,
  part: 'before-writes' | 'promotion',
): Promise<MigrationStep> {
  const { engine } = context.world;
  const { table } = work;
  const { model } = await context.contents.content(work.fingerprint);
  const relation = physicalRelation(table, engine.capabilities.identifierMax);
  const present = (await engine.columnsOf([relation])).get(relationText(relation));
  const nothing = { relation, table, views: [], promotions: new Map(), shownIn: new Set<string>() };
  // A table that was never filled is made with the new columns when it is.
  if (present === undefined) return { ...nothing, changes: [] };
  const wanted = { ...model, columns: await wantedColumns(context, model, present) };
  const { changes: all, destructive } = migrationOf(wanted, withoutHistory(model, present), work);
  if (destructive.length > 0)
    throw failure('plan.destructive-change', { model: model.name, detail: destructive.join('; ') });
  refuseEarlyLoss(context, { model, table, changes: all });
  const isLate = lateChanges(context, { table, kind: model.kind.kind, changes: all });
  const changes = all.filter((one) => isLate(one) === (part === 'promotion'));
  if (part === 'promotion' && changes.length === 0) return { ...nothing, changes };
  // Other environments may have been promoted, made or removed since the plan was: what they show now counts.
  const { environments, snapshots } = await readShownEnvironments(context);
  const views = viewsOver(table, environments, snapshots);
  const promotions = new Map(
    environments
      .filter(({ name }) => name !== context.execution.run.environment)
      .map(({ name, promotionId }) => [name, promotionId]),
  );
  const lost = lostColumns(changes);
  const isComplete = part === 'promotion' || !all.some(isLate);
  const replaced = views
    .filter(
      (view) =>
        !changes.some(({ kind }) => kind === 'drop') || !isReplacedSoon(context, view, { table, views }),
    )
    .map((view) => (isOver(view, table) ? withoutColumns(view, lost) : view))
    .map((view) => (isComplete ? asPlanned(context, view) : view));
  return {
    relation,
    table,
    known: new Set([context.execution.run.environment, ...environments.map(({ name }) => name)]),
    changes,
    shownIn: new Set(views.flatMap(({ environment }) => environment ?? [])),
    views: await Promise.all(replaced.map((view) => shown(context, view))),
    promotions: new Map(
      replaced.flatMap(({ environment = '' }) => {
        const id = promotions.get(environment);
        return id === undefined ? [] : [[environment, id] as const];
      }),
    ),
  };
}

/** The engine is asked for a type that loading did not find, before anything is altered. */
async function wantedColumns(
  { world, execution, contents }: RunContext,
  model: Model,
  present: readonly AnswerColumn[],
): Promise<Model['columns']> {
  if (hasWholeTypes(model)) return model.columns;
  const { entries, executionTime, plan } = execution;
  const fresh = new Set(plan?.snapshots.map(({ snapshot }) => snapshot.fingerprint));
  return engineColumns({ engine: world.engine, contents, entries, fresh, executionTime })(
    model.name,
    present,
  );
}

/**
 * Refuses, to be repeated, when an environment was promoted after its views were read, or is new. Asked once the views are
 * made in the transaction: every later promotion conflicts with them.
 */
export async function refuseWhenPromoted(
  context: RunContext,
  { promotions, table, known }: Pick<MigrationStep, 'promotions' | 'table' | 'known'>,
): Promise<void> {
  const { engine } = context.world;
  const moved = (name: string): Error =>
    failure(
      'engine.conflict',
      { detail: `environment ${name} was promoted meanwhile` },
      { isRetryable: true },
    );
  for (const [name, id] of promotions)
    if ((await engine.promotionOf(name)) !== id) {
      // Its run may have died before it updated state: repeating this would find the same until state is updated.
      for (const event of (await recoverPromotions(context.world)).events) context.emit(event);
      throw moved(name);
    }
  if (known === undefined) return;
  const { environments, begun, snapshots } = await readShownEnvironments(context);
  for (const environment of [...environments, ...begun]) {
    const name = environment.name.replace(/ \(being promoted\)$/, '');
    if (!known.has(name) && viewsOver(table, [environment], snapshots).length > 0) throw moved(name);
  }
}

/** New values may not fit into the old type, and a table that is rebuilt loses its old columns: environments that show them would lose them before the promotion. */
function refuseEarlyLoss(
  { execution }: RunContext,
  {
    model,
    table,
    changes,
  }: { readonly model: Model; readonly table: TableId; readonly changes: readonly ColumnChange[] },
): void {
  const key = tableKey(table);
  const isFilled = execution.stages.some(
    (stage) => stage.kind === 'backfill' && stage.members.some((member) => tableKey(member.table) === key),
  );
  const column = isFilled ? earlyLoss(model.kind.kind, changes) : undefined;
  if (column !== undefined) throw failure('plan.loss-while-filling', { model: model.name, column });
}

/** Which of the changes wait for the promotion. */
function lateChanges(
  { execution }: RunContext,
  {
    table,
    kind,
    changes,
  }: {
    readonly table: TableId;
    readonly kind: Model['kind']['kind'];
    readonly changes: readonly ColumnChange[];
  },
): (change: ColumnChange) => boolean {
  const key = tableKey(table);
  const { stages } = execution;
  const hasLatePart = stages.some(
    (stage) => stage.kind === 'promote' && stage.migrations?.some((one) => tableKey(one.table) === key),
  );
  const isFilled = stages.some(
    (stage) => stage.kind === 'backfill' && stage.members.some((member) => tableKey(member.table) === key),
  );
  if (!hasLatePart || (isFilled && kind === 'full')) return () => false;
  const dropped = lostColumns(changes);
  const names = new Set(changes.flatMap((one) => (one.kind === 'drop' ? [one.column.toLowerCase()] : [])));
  return (change) => {
    if (change.kind === 'drop') return !isFilled || dropped.has(change.column.toLowerCase());
    return change.kind === 'add' && !isFilled && names.has(change.column.name.toLowerCase());
  };
}

/** Names in lower case that the table no longer has afterwards. */
function lostColumns(changes: readonly ColumnChange[]): ReadonlySet<string> {
  const added = new Set(
    changes.flatMap((one) => (one.kind === 'add' ? [one.column.name.toLowerCase()] : [])),
  );
  return new Set(
    changes.flatMap((one) =>
      one.kind === 'drop' && !added.has(one.column.toLowerCase()) ? [one.column.toLowerCase()] : [],
    ),
  );
}

/** A view that keeps its version may get other columns with its table (`SELECT *`): it is made as the plan has it, and no view lists what is gone. */
function asPlanned({ execution }: RunContext, view: ShownView): ShownView {
  const { environment, entry } = view;
  const next = execution.entries.find(
    ({ model, version }) => model === entry.model && version === entry.version,
  );
  if (next === undefined) return view;
  if (environment === undefined) return { entry: next };
  const names = new Set(next.columns.map((name) => name.toLowerCase()));
  if (names.size === 0) return view;
  return {
    environment,
    entry: { ...entry, columns: entry.columns.filter((name) => names.has(name.toLowerCase())) },
  };
}

/** Columns that Plinth itself keeps in a history are not the model's to drop; a model that lists them keeps them anyway. */
export function withoutHistory(
  { kind, columns }: Model,
  present: readonly AnswerColumn[],
): readonly AnswerColumn[] {
  if (!('validFromName' in kind)) return present;
  const listed = new Set(columns.map(({ name }) => name.toLowerCase()));
  const own = new Set(
    [kind.validFromName.toLowerCase(), kind.validToName.toLowerCase()].filter((name) => !listed.has(name)),
  );
  return present.filter(({ name }) => !own.has(name.toLowerCase()));
}

const isOver = ({ entry }: ShownView, { model, version }: TableId): boolean =>
  entry.model === model && entry.version === version;

function withoutColumns({ environment, entry }: ShownView, lost: ReadonlySet<string>): ShownView {
  const columns = entry.columns.filter((name) => !lost.has(name.toLowerCase()));
  return { ...(environment === undefined ? {} : { environment }), entry: { ...entry, columns } };
}

/** An old version of a view that this plan replaces or removes, and that no other environment shows, may read a column that is dropped; the promotion, moments later, handles it. */
function isReplacedSoon(
  { execution }: RunContext,
  view: ShownView,
  { table, views }: Pick<MigrationWork, 'table' | 'views'>,
): boolean {
  const { entry } = view;
  if (isOver(view, table)) return false;
  const next = execution.entries.find(({ model }) => model === entry.model);
  if (next?.version === entry.version) return false;
  return views
    .filter((other) => isOver(other, { model: entry.model, version: entry.version ?? '' }))
    .every(({ environment = execution.run.environment }) => environment === execution.run.environment);
}

/** A view as it is to be after the change: an environment's lists its columns, a physical one is the model's query again. */
async function shown(
  context: RunContext,
  { environment, entry }: ShownView,
): Promise<{ readonly view: Relation; readonly query: string }> {
  const { world, execution, contents } = context;
  const from = relationOf(entry, world.engine);
  if (from === undefined) throw new Error(`${entry.model} has no object to show`);
  if (environment !== undefined) {
    const [complete = entry] = await withColumns(world.engine, [entry]);
    const view = viewRelation(entry.model, execution.naming(environment));
    return { view, query: viewQuery({ view, from }, complete.columns, world.engine) };
  }
  const { content, compileContext } = await contents.snapshot(entry.fingerprint);
  const { query } = await renderSnapshot(content, {
    compileContext,
    range: WHOLE,
    executionTime: execution.executionTime,
    runtimeStage: 'creating',
    thisModel: from,
    tableOf: await contents.namesAmong(await entriesShowing(context, entry)),
    dialect: world.engine.dialect,
  });
  return { view: from, query };
}

/** The environment whose tables a physical view reads: the one being built, else one that shows it. */
async function entriesShowing(
  { world, execution }: RunContext,
  { model, version }: EnvironmentEntry,
): Promise<readonly EnvironmentEntry[]> {
  const has = (entries: readonly EnvironmentEntry[]): boolean =>
    entries.some((entry) => entry.model === model && entry.version === version);
  if (has(execution.entries)) return execution.entries;
  const environments = await world.state.snapshots.environments();
  return environments.find(({ entries }) => has(entries))?.entries ?? execution.entries;
}
