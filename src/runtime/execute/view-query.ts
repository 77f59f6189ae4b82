import type { EngineReader } from '../../domain/engine.ts';
import { type EnvironmentEntry, tableOf } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import { physicalRelation, type Relation, relationSql, relationText } from '../../domain/relation.ts';
import { quoteName } from '../../foundation/sql/quote.ts';

/** Where the rows of an entry lie; undefined for models that have no object of their own. */
export function relationOf(entry: EnvironmentEntry, { capabilities }: EngineReader): Relation | undefined {
  const table = tableOf(entry);
  return table === undefined ? undefined : physicalRelation(table, capabilities.identifierMax);
}

/** What a view of an environment selects. Columns are listed one by one: a star would show an added column at once. */
export function viewQuery(
  { view, from }: { readonly view: Relation; readonly from: Relation },
  columns: readonly string[],
  { dialect, capabilities: { ownCatalog } }: EngineReader,
): string {
  const isElsewhere = view.catalog !== undefined && from.catalog === undefined && ownCatalog !== undefined;
  const source = relationSql(isElsewhere ? { ...from, catalog: ownCatalog } : from, dialect);
  return `SELECT ${columns.map((column) => quoteName(column, dialect)).join(', ')} FROM ${source}`;
}

/** Entries whose columns could not be known before their tables were built get them from the engine now. */
export async function withColumns(
  engine: EngineReader,
  entries: readonly EnvironmentEntry[],
): Promise<readonly EnvironmentEntry[]> {
  const unknown = entries.flatMap((entry) => {
    const relation = entry.columns.length === 0 ? relationOf(entry, engine) : undefined;
    return relation === undefined ? [] : [relation];
  });
  if (unknown.length === 0) return entries;
  const found = await engine.columnsOf(unknown);
  return entries.map((entry) => {
    const relation = entry.columns.length === 0 ? relationOf(entry, engine) : undefined;
    if (relation === undefined) return entry;
    const columns = found.get(relationText(relation));
    if (columns === undefined || columns.length === 0)
      throw failure('environment.table-missing', { model: entry.model, table: relationText(relation) });
    return { ...entry, columns: columns.map(({ name }) => name) };
  });
}
