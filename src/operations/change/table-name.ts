import { tableOf } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import { physicalRelation, type Relation, tableKey, viewRelation } from '../../domain/relation.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import { appliedEnvironment, type OpenedWorldReader } from '../open-world.ts';

/** Where a model of an environment lies: the view people read, and the table behind it. */
export interface NamedTable {
  readonly model: string;
  readonly fingerprint: string;
  readonly version: string;
  readonly view: Relation;
  readonly table: Relation;
  readonly intervals: RangeSet;
}

/** The physical table behind a model; EMBEDDED and EXTERNAL models have none, which is said. */
export async function tableName(
  world: OpenedWorldReader,
  { model, environment }: { readonly model: string; readonly environment: string },
): Promise<NamedTable> {
  const { name, entries } = await appliedEnvironment(world, environment);
  const wanted = model.toLowerCase();
  const entry = entries.find((each) => each.model === model || each.model.toLowerCase() === wanted);
  if (entry === undefined)
    throw failure(
      'query.unknown-model',
      { name: model, environment: name },
      {
        hint:
          didYouMean(
            wanted,
            entries.map((each) => each.model),
          ) ?? 'plinth status --all lists the models of an environment',
      },
    );
  const id = tableOf(entry);
  if (id === undefined) throw failure('query.no-table', { model: entry.model });
  const intervals = await world.state.journal.intervals([id]);
  return {
    model: entry.model,
    fingerprint: entry.fingerprint,
    version: id.version,
    view: viewRelation(entry.model, world.naming(name)),
    table: physicalRelation(id, world.engine.capabilities.identifierMax),
    intervals: intervals.get(tableKey(id)) ?? [],
  };
}
