/*
 * Tables and views that another program dropped, found with one query of the warehouse's catalog:
 *
 *   ledger has rows, catalog has no table ─▶ lease, look again ─▶ ledger forgets it ─▶ state follows: it counts as empty
 *   neither has it, state does ─▶ the process that dropped it or made the ledger forget it died before it updated state: state follows
 *   environment shows a model, catalog has no view ─▶ reported; a plan makes it again
 *
 * While the lease of a table is held no other process can make it, so no new data is forgotten.
 */
import type { Fence, LedgerSummary } from '../../domain/engine.ts';
import type { Environment } from '../../domain/environment.ts';
import { Failure } from '../../domain/failure.ts';
import { splitModelName } from '../../domain/model-name.ts';
import {
  physicalRelation,
  type Relation,
  relationText,
  type TableId,
  tableKey,
  tableOfKey,
  type ViewNaming,
  viewRelation,
} from '../../domain/relation.ts';
import type { World } from '../world.ts';
import { NEVER_WRITTEN } from './open-tables.ts';

/** Keys of tables and views in lower case, because engines differ in whether they keep it. */
type Found = ReadonlySet<string>;

export async function relationsThere({ engine }: World, views: readonly Relation[]): Promise<Found> {
  const schemas = [...new Set(views.map(({ schema }) => schema))];
  return new Set((await engine.relations(schemas)).map(({ relation }) => keyOf(relation)));
}

const keyOf = (relation: Relation): string => relationText(relation).toLowerCase();

/** The views an environment should have, by model. */
export function viewsOf(
  { entries }: Pick<Environment, 'entries'>,
  naming: ViewNaming,
): ReadonlyMap<string, Relation> {
  return new Map(
    entries.flatMap(({ model, version }) =>
      version === undefined ? [] : [[model, viewRelation(model, naming)] as const],
    ),
  );
}

/** Models whose views are not there. */
export function lostViews(views: ReadonlyMap<string, Relation>, there: Found): readonly string[] {
  return [...views].filter(([, view]) => !there.has(keyOf(view))).map(([model]) => model);
}

/** Tables that are gone, as they are now: never written. */
export interface GoneTables {
  /** Another program dropped these: the ledger had rows of them. */
  readonly lost: readonly LedgerSummary[];
  /** Of these the ledger had no rows any more. */
  readonly forgotten: readonly LedgerSummary[];
}

/** Makes the ledger forget tables (by `tableKey`) that are gone. */
export async function forgetLostTables(
  world: World,
  keys: Iterable<string>,
  there: Found,
): Promise<GoneTables> {
  const { engine } = world;
  const isGone = (found: Found) => (table: TableId) =>
    !found.has(keyOf(physicalRelation(table, engine.capabilities.identifierMax)));
  const gone = [...keys].flatMap((key) => tableOfKey(key) ?? []).filter(isGone(there));
  if (gone.length === 0) return { lost: [], forgotten: [] };
  const written = (await engine.ledger({ tables: gone })).map(({ table }) => table);
  const inLedger = new Set(written.map(tableKey));
  const unwritten = gone.filter((table) => !inLedger.has(tableKey(table)));
  const readable = await readableCatalogs(world, unwritten, there);
  const forgotten = unwritten.filter((table) => readable.has(catalogOf(table)));
  return { lost: await forget(world, written, isGone), forgotten: forgotten.map(neverWritten) };
}

const catalogOf = ({ model }: TableId): string => splitModelName(model).catalog?.toLowerCase() ?? '';

/**
 * A catalog that is not attached has no tables and no ledger: that says nothing about its data. One that has lost all it
 * had looks the same, but can be written.
 */
async function readableCatalogs(
  world: World,
  tables: readonly TableId[],
  there: Found,
): Promise<ReadonlySet<string>> {
  const readable = new Set<string>();
  for (const catalog of new Set(tables.map(catalogOf))) {
    const isSeen = catalog === '' || [...there].some((key) => key.startsWith(`${catalog}.`));
    if (isSeen || (await isWritable(world, catalog))) readable.add(catalog);
  }
  return readable;
}

/** Writes nothing there. */
async function isWritable({ engine }: World, catalog: string): Promise<boolean> {
  const table = { model: `${catalog}.plinth.recovery`, version: 'none' };
  try {
    await engine.write([{ table, token: 1 }], async () => undefined);
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === 'engine.statement-failed') return false;
    throw error;
  }
}

const neverWritten = (table: TableId): LedgerSummary => ({
  table,
  filled: [],
  filledSince: [],
  dataVersion: NEVER_WRITTEN,
});

/** Those that no process is writing and that are still gone under their leases. */
async function forget(
  world: World,
  written: readonly TableId[],
  isGone: (found: Found) => (table: TableId) => boolean,
): Promise<readonly LedgerSummary[]> {
  const { engine } = world;
  const holder = crypto.randomUUID();
  const fences = await takeLeases(world, written, holder);
  try {
    if (fences.length === 0) return [];
    await engine.raiseFences(fences);
    const now = await relationsThere(world, []);
    const lost = fences.map(({ table }) => table).filter(isGone(now));
    if (lost.length > 0) await engine.write(fences, (session) => session.forgetTables(lost));
    return lost.map(neverWritten);
  } finally {
    for (const { table } of fences) await world.state.journal.releaseLease(leaseOf(table), holder);
  }
}

const leaseOf = (table: TableId): string => `table:${tableKey(table)}`;

/** Of those that no process is writing. */
async function takeLeases(
  { state, clock }: World,
  tables: readonly TableId[],
  holder: string,
): Promise<readonly Fence[]> {
  const fences: Fence[] = [];
  for (const table of tables) {
    const name = leaseOf(table);
    const answer = await state.journal.takeLease({ name, holder, who: 'recovery', now: clock.now() });
    const token = answer.kind === 'granted' ? answer.leases[0]?.token : undefined;
    if (token !== undefined) fences.push({ table, token });
  }
  return fences;
}
