/*
 * Tables and views that somebody dropped behind our back, found with one look at the warehouse's catalog:
 *
 *   ledger has rows, catalog has no table ─▶ lease, look again ─▶ ledger forgets it ─▶ state follows: it counts as empty
 *   environment shows a model, catalog has no view ─▶ told; a plan makes it again
 *
 * While the lease of a table is held nobody can make it, so what is forgotten is nobody's new data.
 */
import type { Fence, LedgerSummary } from '../../domain/engine.ts';
import type { Environment } from '../../domain/environment.ts';
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

/** Makes the ledger forget tables (by `tableKey`) that are gone, and answers with them as they are now: never written. */
export async function forgetLostTables(
  world: World,
  keys: Iterable<string>,
  there: Found,
): Promise<readonly LedgerSummary[]> {
  const { engine } = world;
  const isGone = (found: Found) => (table: TableId) =>
    !found.has(keyOf(physicalRelation(table, engine.capabilities.identifierMax)));
  const gone = [...keys].flatMap((key) => tableOfKey(key) ?? []).filter(isGone(there));
  if (gone.length === 0) return [];
  // Without rows in a ledger that can be read, the table was dropped by us, or its catalog is not there at all.
  const written = (await engine.ledger({ tables: gone })).map(({ table }) => table);
  const holder = crypto.randomUUID();
  const fences = await takeLeases(world, written, holder);
  try {
    if (fences.length === 0) return [];
    await engine.raiseFences(fences);
    const now = await relationsThere(world, []);
    const lost = fences.map(({ table }) => table).filter(isGone(now));
    if (lost.length > 0) await engine.write(fences, (session) => session.forgetTables(lost));
    return lost.map((table) => ({ table, filled: [], filledSince: [], dataVersion: NEVER_WRITTEN }));
  } finally {
    for (const { table } of fences) await world.state.journal.releaseLease(leaseOf(table), holder);
  }
}

const leaseOf = (table: TableId): string => `table:${tableKey(table)}`;

/** Of those that nobody is writing. */
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
