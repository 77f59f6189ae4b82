import { rollupSources } from '../../compiler/semantic/rollups/rollup-sources.ts';
import { SOURCE_COLUMN } from '../../domain/environment.ts';
import type { Model } from '../../domain/model.ts';
import type { SnapshotContent } from '../../domain/snapshot.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { quoteName } from '../../foundation/sql/quote.ts';
import { subquery } from './materialize/table-write.ts';
import type { RunContext } from './run-context.ts';

/** SQL of the data versions of everything a rollup is made from, read in the transaction that makes it; undefined for other models. */
export async function rollupSourceSql(
  { contents, execution, world }: RunContext,
  { model }: SnapshotContent,
): Promise<string | undefined> {
  if (model.rollup === undefined) return undefined;
  const entries = new Map(execution.entries.map((entry) => [entry.model, entry]));
  const sources = await rollupSources(model.dependencies, async (name) => {
    const entry = entries.get(name);
    return entry && (await contents.content(entry.fingerprint)).model;
  });
  if (sources.kind === 'unknown') return 'NULL';
  const tables = sources.models.map((name) => ({ model: name, version: entries.get(name)?.version ?? '' }));
  return world.engine.dataVersionSql(tables);
}

/** The query of a rollup with its source written out; without one it is never taken to be up to date. */
export function withSource(query: string, { columns }: Model, source: string, dialect: Dialect): string {
  const names = columns.map(({ name }) => {
    const quoted = quoteName(name, dialect);
    return name === SOURCE_COLUMN ? `${quoted} || ' ' || ${source} AS ${quoted}` : quoted;
  });
  return `SELECT ${names.join(', ')} FROM ${subquery(query)} AS plinth__rollup`;
}
