import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { asAudits } from './as-audits.ts';
import type { ForeignFile, ImportedChecks } from './imported-check.ts';
import type { ImportedModel } from './imported-model.ts';
import { matchTable } from './match-table.ts';
import { projectVariables } from './project-variables.ts';
import { readDbt } from './read-dbt.ts';
import { readDbtSql } from './read-dbt-sql.ts';
import { sourcePlaces } from './source-places.ts';
import { writePacks } from './write-packs.ts';

/** Packs, or audits for what is severe, for the tests of a dbt project, and what became of each test. */
export function importDbt(
  files: readonly ForeignFile[],
  {
    models,
    dialect,
    variables,
    as,
  }: {
    readonly models: readonly ImportedModel[];
    readonly dialect: Dialect;
    readonly variables: ReadonlyMap<string, string>;
    readonly as: 'checks' | 'audits';
  },
): ImportedChecks {
  const named = (name: string): string => matchTable(name, models).name;
  const places = sourcePlaces(files);
  const world = {
    dialect,
    variables: new Map([...projectVariables(files), ...variables]),
    ref: named,
    source: (source: string, table: string) =>
      named(places.get(JSON.stringify([source, table])) ?? `${source}.${table}`),
  };
  const drafts = files.flatMap((file) =>
    /\.sql$/i.test(file.path) ? readDbtSql(file, world) : readDbt(file, world),
  );
  const writing = { tool: 'dbt', models, dialect };
  return as === 'audits' ? asAudits(drafts, writing) : writePacks(drafts, writing);
}
