import { failure } from '../../domain/failure.ts';
import { splitModelName } from '../../domain/model-name.ts';
import type { Relation } from '../../domain/relation.ts';
import type { TableDiff, TableDiffRequest } from '../../domain/table-diff.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import { tableDiff } from './table-diff.ts';

/** Two environments, or two tables. */
export interface Sides {
  readonly source: string;
  readonly target: string;
}

export type ComparisonOptions = Omit<TableDiffRequest, 'source' | 'target' | 'key'> & {
  readonly key?: readonly string[];
};

/** Compares two tables by the columns of `key`. */
export async function compareTables(
  world: OpenedWorldReader,
  { source, target }: Sides,
  options: ComparisonOptions,
): Promise<TableDiff> {
  if (options.key === undefined) throw failure('query.no-key', { model: source });
  return tableDiff(world.engine, {
    ...options,
    source: relationOf(source),
    target: relationOf(target),
    key: options.key,
  });
}

function relationOf(name: string): Relation {
  const { catalog, schema = 'main', table } = splitModelName(name.toLowerCase());
  return { ...(catalog === undefined ? {} : { catalog }), schema, name: table };
}
