import type { Dialect } from '../../../foundation/sql/dialect.ts';
import type { ForeignFile, ImportedChecks } from './imported-check.ts';
import type { ImportedModel } from './imported-model.ts';
import { matchTable } from './match-table.ts';
import { readSoda } from './read-soda.ts';
import { writePacks } from './write-packs.ts';

/** Packs for the checks of SodaCL files, and what became of each check. */
export function importSoda(
  files: readonly ForeignFile[],
  {
    models,
    dialect,
    variables,
  }: {
    readonly models: readonly ImportedModel[];
    readonly dialect: Dialect;
    readonly variables: ReadonlyMap<string, string>;
  },
): ImportedChecks {
  const world = {
    tableOf: (name: string) => matchTable(name, models).name,
    tables: models.map(({ name }) => name),
    variables,
  };
  const drafts = files.flatMap((file) => readSoda(file, world));
  return writePacks(drafts, { tool: 'soda', models, dialect });
}
