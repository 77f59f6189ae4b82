import type { LibraryClient } from '../../../src/foundation/sql/library/library-client.ts';
import type { QueryFacts, SchemaOf } from '../../../src/foundation/sql/query-facts.ts';
import { libraryLineage } from './library-lineage.ts';

/** An output column whose sources the SQL library sees otherwise; both lists are `table.column`, lower-case, sorted, with spaces between. */
export interface LineageDifference {
  readonly column: string;
  readonly ours: string;
  /** `refused: …` when the library gave no answer. */
  readonly theirs: string;
}

/** How many output columns the library sees as we do, and all the others. */
export interface LineageComparison {
  readonly same: number;
  readonly different: readonly LineageDifference[];
}

/** Asks the library about every output column: by name, because its positions shift behind stars, and by position where a name is not unique or, without an alias, not known to it. */
export async function compareLineage(
  client: LibraryClient,
  sql: string,
  facts: QueryFacts,
  schemaOf: SchemaOf,
): Promise<LineageComparison> {
  const tables = facts.reads.map(({ table }) => ({
    name: table,
    // The library refuses a schema with anything else in it, such as a description.
    columns: (schemaOf(table.split('.'))?.columns ?? []).map(({ name, type }) => ({ name, type })),
  }));
  const uses = new Map<string, number>();
  for (const { name } of facts.columns) uses.set(name.toLowerCase(), (uses.get(name.toLowerCase()) ?? 0) + 1);
  let same = 0;
  const different: LineageDifference[] = [];
  for (const [ordinal, { name, sources }] of facts.columns.entries()) {
    const question = { text: sql, dialect: 'duckdb', tables };
    const isUnique = uses.get(name.toLowerCase()) === 1;
    let answer = await libraryLineage({ ...question, column: isUnique ? name : ordinal }, client);
    if (isUnique && !answer.ok && answer.error.message.startsWith('Cannot resolve column'))
      answer = await libraryLineage({ ...question, column: ordinal }, client);
    const ours = sources
      .map((source) => `${source.table}.${source.column}`.toLowerCase())
      .sort()
      .join(' ');
    const theirs = answer.ok ? answer.value.join(' ') : `refused: ${answer.error.message}`;
    if (ours === theirs) same++;
    else different.push({ column: name, ours, theirs });
  }
  return { same, different };
}
