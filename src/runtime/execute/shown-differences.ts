import type { EngineReader, ViewDifference } from '../../domain/engine.ts';
import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import { type Relation, relationText, type ViewNaming, viewRelation } from '../../domain/relation.ts';
import type { WorldReader } from '../world.ts';
import { relationOf, viewQuery } from './view-query.ts';

/** What another program has changed of a view or of the table it shows. */
export type ShownDifference = ViewDifference & { readonly model: string; readonly table: Relation };

/** Compares the views of an environment with what its promotion made. */
export async function shownDifferences(
  { engine }: WorldReader,
  { entries }: Environment,
  naming: ViewNaming,
): Promise<readonly ShownDifference[]> {
  const made = entries.flatMap((entry) => {
    const from = relationOf(entry, engine);
    // Columns that state does not know cannot be compared.
    if (from === undefined || entry.columns.length === 0) return [];
    const view = viewRelation(entry.model, naming);
    return [{ model: entry.model, view, from, query: viewQuery({ view, from }, entry.columns, engine) }];
  });
  const byView = new Map(made.map((one) => [relationText(one.view), one]));
  const found = (await engine.viewDifferences(made)).flatMap((difference) => {
    const one = byView.get(relationText(difference.view));
    return one === undefined ? [] : [{ ...difference, model: one.model, table: one.from }];
  });
  const narrowed = await narrowedViews(engine, entries, found);
  return found.filter(({ kind, model }) => kind !== 'other-query' || !narrowed.has(model));
}

/** A plan of another environment that drops columns of a shared table makes the views over it without them. */
async function narrowedViews(
  engine: EngineReader,
  entries: readonly EnvironmentEntry[],
  found: readonly ShownDifference[],
): Promise<ReadonlySet<string>> {
  const others = found.filter(({ kind }) => kind === 'other-query');
  if (others.length === 0) return new Set();
  const present = await engine.columnsOf(others.map(({ table }) => table));
  const columnsOf = new Map(entries.map(({ model, columns }) => [model, columns]));
  const made = others.map(({ model, view, table: from }) => {
    const there = new Set(present.get(relationText(from))?.map(({ name }) => name.toLowerCase()));
    const columns = (columnsOf.get(model) ?? []).filter((name) => there.has(name.toLowerCase()));
    return { model, view, from, query: viewQuery({ view, from }, columns, engine) };
  });
  const still = new Set((await engine.viewDifferences(made)).map(({ view }) => relationText(view)));
  return new Set(made.filter(({ view }) => !still.has(relationText(view))).map(({ model }) => model));
}
