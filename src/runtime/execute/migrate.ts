/*
 * Brings a table that a snapshot inherited to the snapshot's columns, and every view over it, in one transaction. All
 * ALTERs come before anything else: on DuckDB an ALTER after a changed row fails at COMMIT.
 */
import { migrationOf } from '../../compiler/plan/schema-change.ts';
import { renderSnapshot } from '../../compiler/render/render-snapshot.ts';
import { type AnswerColumn, type Fence, WHOLE } from '../../domain/engine.ts';
import type { EnvironmentEntry } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import type { ShownView, Stage } from '../../domain/plan.ts';
import {
  physicalRelation,
  type Relation,
  relationText,
  type TableId,
  viewRelation,
} from '../../domain/relation.ts';
import { holdTables } from './hold-tables.ts';
import { diagnosticOf, EMPTY_RESULT, type RunContext, report } from './run-context.ts';
import { relationOf, viewQuery, withColumns } from './view-query.ts';
import { withRetries } from './with-retries.ts';

type MigrateStage = Extract<Stage, { kind: 'migrate' }>;

export async function migrate(context: RunContext, stage: MigrateStage): Promise<void> {
  const { journal } = context.world.state;
  try {
    const held = await holdTables(context, stage, [stage.table]);
    try {
      await withRetries(context, async () => {
        await context.world.engine.raiseFences(held.fences);
        await change(context, stage, held.fences);
      });
      await journal.dropIntent(held.intentId, context.takeEvents());
    } finally {
      await journal.releaseTables(context.execution.run.id, [stage.table]);
    }
  } catch (error) {
    const { model } = stage.table;
    report(context, {
      name: model,
      status: 'failed',
      ...EMPTY_RESULT,
      error: diagnosticOf(error, `the migration of ${model}`),
    });
    throw error;
  }
}

async function change(
  context: RunContext,
  { table, fingerprint, allowDestructive, views }: MigrateStage,
  fences: readonly Fence[],
): Promise<void> {
  const { engine } = context.world;
  const { model } = await context.contents.content(fingerprint);
  const relation = physicalRelation(table, engine.capabilities.identifierMax);
  const present = (await engine.columnsOf([relation])).get(relationText(relation));
  // A table that was never filled is made with the new columns when it is.
  if (present === undefined) return;
  const { changes, destructive } = migrationOf(model, withoutHistory(model, present), { allowDestructive });
  if (destructive.length > 0)
    throw failure('plan.destructive-change', { model: model.name, detail: destructive.join('; ') });
  const added = new Set(
    changes.flatMap((one) => (one.kind === 'add' ? [one.column.name.toLowerCase()] : [])),
  );
  const lost = new Set(
    changes.flatMap((one) =>
      one.kind === 'drop' && !added.has(one.column.toLowerCase()) ? [one.column.toLowerCase()] : [],
    ),
  );
  const replaced = await Promise.all(
    views
      .filter((view) => !isReplacedSoon(context, view, { table, views }))
      .map((view) => shown(context, isOver(view, table) ? withoutColumns(view, lost) : view)),
  );
  await engine.write(
    fences,
    async (session) => {
      const sent: Promise<unknown>[] = [];
      if (changes.length > 0) sent.push(session.alterTable(relation, changes));
      if (replaced.length > 0) sent.push(session.replaceViews(replaced));
      await Promise.all(sent);
    },
    { signal: context.cancel },
  );
}

/** Columns that Plinth itself keeps in a history are not the model's to drop; a model that lists them keeps them anyway. */
function withoutHistory({ kind, columns }: Model, present: readonly AnswerColumn[]): readonly AnswerColumn[] {
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

/** An old version of a view that this plan replaces, and nobody else shows, may read a column that goes; it is left to the promotion, moments later. */
function isReplacedSoon(
  { execution }: RunContext,
  view: ShownView,
  { table, views }: Pick<MigrateStage, 'table' | 'views'>,
): boolean {
  const { entry } = view;
  if (isOver(view, table)) return false;
  const next = execution.entries.find(({ model }) => model === entry.model);
  if (next === undefined || next.version === entry.version) return false;
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
    return {
      view: viewRelation(entry.model, execution.naming(environment)),
      query: viewQuery(from, complete.columns, world.engine),
    };
  }
  const { content, surroundings } = await contents.snapshot(entry.fingerprint);
  const { query } = await renderSnapshot(content, {
    surroundings,
    range: WHOLE,
    executionTime: execution.executionTime,
    runtimeStage: 'creating',
    thisModel: from,
    tableOf: await contents.namesAmong(await entriesAround(context, entry)),
    dialect: world.engine.dialect,
  });
  return { view: from, query };
}

/** The environment whose tables a physical view reads: the one being built, else one that shows it. */
async function entriesAround(
  { world, execution }: RunContext,
  { model, version }: EnvironmentEntry,
): Promise<readonly EnvironmentEntry[]> {
  const has = (entries: readonly EnvironmentEntry[]): boolean =>
    entries.some((entry) => entry.model === model && entry.version === version);
  if (has(execution.entries)) return execution.entries;
  const environments = await world.state.snapshots.environments();
  return environments.find(({ entries }) => has(entries))?.entries ?? execution.entries;
}
