/*
 * Before each plan and run: finishes or undoes what a crash left behind, automatically.
 *
 *   do state and warehouse belong together? ─▶ tokens of leases are not below those of the warehouse ─▶ promotions without a live run ─▶ ledger ─▶ state, interrupted runs
 *                                                     tables that were dropped ──┘
 *   is what the warehouse shows what the state says? ─▶ reported, for a plan to bring together
 *
 * State says what was intended, the ledger what was done, so only the ledger decides about data.
 */
import type { LedgerSummary } from '../../domain/engine.ts';
import { failure } from '../../domain/failure.ts';
import { type TableId, tableKey, type ViewNaming } from '../../domain/relation.ts';
import type { RunEvent } from '../../domain/run.ts';
import type { World } from '../world.ts';
import { forgetLostTables, lostViews, relationsThere, viewsOf } from './lost-relations.ts';
import { NEVER_WRITTEN } from './open-tables.ts';
import { type PromotionDrift, promotionDrift } from './promotion-drift.ts';
import { leaseOfFence } from './promotion-fence.ts';
import { recoverPromotions } from './recover-promotions.ts';
import { recoverSettling } from './settle.ts';
import { type ShownDifference, shownDifferences } from './shown-differences.ts';

const RUNS_MAX = 10_000;

/** What was done, and whether state says other things than before: who had read it must read it again. */
export interface Recovery {
  readonly events: readonly RunEvent[];
  readonly hasChangedState: boolean;
  /** Tables that another program dropped: they count as empty now. */
  readonly lostTables: readonly TableId[];
  /** Models of the requested environment whose views another program dropped. */
  readonly lostViews: readonly string[];
  /** Views of it, and tables they show, that another program has changed. */
  readonly differences: readonly ShownDifference[];
  /** What the warehouse shows is of another time than the state: then neither of the two above is reported. */
  readonly drift?: PromotionDrift;
}

/** Answers with what was found and done; nothing in the usual case. */
export async function recover(world: World): Promise<readonly RunEvent[]> {
  return (await recoverState(world)).events;
}

/** The same for those who have begun to read state meanwhile, and want to know what is gone; `naming` says whose views. */
export async function recoverState(world: World, naming?: ViewNaming): Promise<Recovery> {
  const { engine, state, clock } = world;
  const known = await state.journal.dataVersions();
  await refuseStrangers(world, known);
  await raiseTokens(world);
  const { events: settled, ongoing, isAlive } = await recoverPromotions(world);
  const events = [...settled];
  const isPromoting = ongoing.some(({ target }) => target.name === naming?.environment);
  const running = await state.journal.runs({ status: 'running', limit: RUNS_MAX });
  const interrupted = running.filter(({ id, environment }) => !isAlive(id, environment)).map(({ id }) => id);
  for (const intent of await state.journal.intents())
    if (interrupted.includes(intent.runId)) events.push(...(await recoverSettling(world, intent)));
  const restatements = await state.journal.restatements();
  const present = naming === undefined ? undefined : await state.snapshots.environment(naming.environment);
  const views = present === undefined || naming === undefined ? new Map() : viewsOf(present, naming);
  const [changed, there] = await Promise.all([
    engine.ledger({
      known,
      since: new Map(restatements.map(({ table, sinceToken }) => [tableKey(table), sinceToken])),
    }),
    relationsThere(world, [...views.values()]),
  ]);
  const filled = new Set([...known.keys(), ...changed.map(({ table }) => tableKey(table))]);
  const { lost, forgotten } = await forgetLostTables(world, filled, there);
  const dropped = [...(await tablesDroppedUnseen(world, { known, interrupted })), ...forgotten, ...lost];
  const hasChanged = changed.length + dropped.length + interrupted.length > 0;
  if (hasChanged) await state.journal.reconcile([...changed, ...dropped], interrupted, clock.now());
  for (const runId of interrupted)
    events.push({ event: 'run.recovered', runId, did: 'marked the run as interrupted' });
  const reported = {
    events,
    hasChangedState: hasChanged || events.length > 0,
    lostTables: lost.map(({ table }) => table),
  };
  const drift = naming === undefined ? undefined : await promotionDrift(world, naming.environment);
  if (drift !== undefined) return { ...reported, lostViews: [], differences: [], drift };
  if (isPromoting || present === undefined || naming === undefined)
    return { ...reported, lostViews: [], differences: [] };
  return {
    ...reported,
    lostViews: lostViews(views, there),
    differences: await shownDifferences(world, present, naming),
  };
}

/** State and warehouse share an id; a state that lost its warehouse, or a warehouse that lost its state, is refused. */
async function refuseStrangers(
  { engine, state, names }: World,
  known: ReadonlyMap<string, string>,
): Promise<void> {
  const { id, hasLedger } = await engine.identity(state.warehouseId);
  const mismatch = (detail: string): Error =>
    failure('state.mismatch', { state: names.state, warehouse: names.warehouse, detail });
  if (id !== state.warehouseId)
    throw (await state.isEmpty())
      ? mismatch('the state is empty, but the warehouse was filled under another one')
      : mismatch('each of them belongs to another partner');
  if (hasLedger && (await state.isEmpty()))
    throw mismatch('the state is empty, but the warehouse has data that was written before');
  if (!hasLedger && known.size > 0)
    throw mismatch(`the state knows ${known.size} filled tables, but the warehouse has none`);
}

/**
 * A state that was put back from a copy would hand out tokens that the warehouse has seen: every write would be refused, and a
 * restatement would take older rows for its own.
 */
async function raiseTokens({ engine, state }: World): Promise<void> {
  const raised = new Map<string, number>();
  for (const [key, token] of await engine.newestTokens()) {
    const lease = leaseOfFence(key);
    raised.set(lease, Math.max(token, raised.get(lease) ?? 0));
  }
  await state.journal.raiseTokens(raised);
}

/** Tables that a janitor dropped before it died, without an update of state: the ledger has no rows of them, so it does not mention them. */
async function tablesDroppedUnseen(
  { engine, state }: World,
  {
    known,
    interrupted,
  }: { readonly known: ReadonlyMap<string, string>; readonly interrupted: readonly string[] },
): Promise<readonly LedgerSummary[]> {
  const tables = (await state.journal.intents())
    .filter(({ runId }) => interrupted.includes(runId))
    .flatMap(({ stage }) => (stage.kind === 'clean-up' ? stage.tables.map(({ table }) => table) : []))
    .filter((table) => known.has(tableKey(table)));
  if (tables.length === 0) return [];
  const there = new Set((await engine.ledger({ tables })).map(({ table }) => tableKey(table)));
  return tables
    .filter((table) => !there.has(tableKey(table)))
    .map((table) => ({ table, filled: [], filledSince: [], dataVersion: NEVER_WRITTEN }));
}
