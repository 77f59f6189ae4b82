import type { ExternalFile, ExternalTable } from '../../../domain/external-file.ts';
import {
  type DescribedTable,
  generatedNames,
  hasEntry,
  withGeneratedEntries,
} from './write-external-models.ts';

/** What is known of the tables that models read and no model makes. */
export interface FoundTables {
  readonly read: readonly string[];
  /** Those that the user described. */
  readonly own: ReadonlySet<string>;
  /** As the warehouse has them. */
  readonly described: ReadonlyMap<string, DescribedTable>;
  /** A table as an entry names it. */
  readonly spell: (name: string) => string;
  /** What an unreadable model reads is not known, so no entry goes then. */
  readonly isWhole: boolean;
}

/** The file with its entries brought up to date, and what became of each table. */
export function externalFile(
  { path, before }: Pick<ExternalFile, 'path' | 'before'>,
  { read, own, described, spell, isWhole }: FoundTables,
): ExternalFile {
  const wanted = new Set(read.filter((name) => !own.has(name)).map(spell));
  const after = withGeneratedEntries(before, [...described.values()], (name) => !isWhole || wanted.has(name));
  const gone = isWhole ? (generatedNames(before) ?? []).filter((name) => !wanted.has(name)) : [];
  const hasNothing = described.size === 0 && gone.length === 0;
  return {
    path,
    before,
    after: hasNothing ? before : after,
    tables: [
      ...read.map((name): ExternalTable => {
        const table = described.get(name);
        if (own.has(name)) return { name, status: 'kept' };
        if (table === undefined) return { name, status: 'missing' };
        return { name, status: hasEntry(before, table) ? 'same' : 'written', columns: table.columns.length };
      }),
      ...gone.map((name): ExternalTable => ({ name, status: 'removed' })),
    ],
  };
}
