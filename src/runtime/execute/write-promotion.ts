/** The transactions of a promotion whose demands are proven, and its record in state. */
import type { Fence } from '../../domain/engine.ts';
import { type Environment, type EnvironmentEntry, environmentViews } from '../../domain/environment.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { MigrationWork, NeededProof, Stage } from '../../domain/plan.ts';
import { type Relation, relationText, viewRelation } from '../../domain/relation.ts';
import { auditNarrowed } from './audit-narrowed.ts';
import { blameModel } from './blame-model.ts';
import { type MigrationStep, migrationStep, refuseWhenPromoted } from './migration-step.ts';
import { promotionFence } from './promotion-fence.ts';
import { refuseForeignWrites } from './refuse-foreign-writes.ts';
import type { RunContext } from './run-context.ts';
import { type ShownNames, shownNames } from './shown-names.ts';
import { refuseTakenNames } from './taken-names.ts';
import { withRetries } from './with-retries.ts';

type PromoteStage = Extract<Stage, { kind: 'promote' }>;

/** A statement that runs with the promotion. */
export interface VirtualUpdate {
  readonly sql: string;
  /** Whose statement it is. */
  readonly of: EnvironmentEntry;
}

/** What changes in one catalog. */
export interface CatalogChange {
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

/** What a promotion writes. */
export interface PromotionWrite {
  readonly target: Environment;
  /** The text that the warehouse keeps of it. */
  readonly record: string;
  readonly changes: readonly CatalogChange[];
  readonly statements: readonly VirtualUpdate[];
  /** Events that are stored with it. */
  readonly noticed: readonly NewEvent[];
}

/** What holds while it is written. */
export interface Proven {
  readonly fences: readonly Fence[];
  readonly proofs: readonly NeededProof[];
}

/** Writes it and tells of it; when it fails and the warehouse does not show it, it was never announced. */
export async function writePromotion(
  context: RunContext,
  stage: PromoteStage,
  { promotion, proven }: { readonly promotion: PromotionWrite; readonly proven: Proven },
): Promise<void> {
  const { engine, state, clock } = context.world;
  const { target, changes, noticed } = promotion;
  try {
    await writeChanges(context, promotion, proven);
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
  { target, record, changes, statements }: PromotionWrite,
  { fences: tableFences, proofs }: Proven,
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
