import { Failure, failure } from '../../domain/failure.ts';
import type { TableDiffRequest } from '../../domain/table-diff.ts';
import { appliedEnvironment, type OpenedWorldReader } from '../open-world.ts';
import type { Sides } from './compare-tables.ts';
import { tableName } from './table-name.ts';

interface ModelOfSides {
  readonly model: string;
  readonly key: readonly string[] | undefined;
  readonly isNamed: boolean;
}

export type Compared = Pick<TableDiffRequest, 'source' | 'target' | 'key'>;

/** The tables of a model in two environments, or why they are not compared. */
export async function comparedSides(
  world: OpenedWorldReader,
  { source, target, model, key, isNamed }: Sides & ModelOfSides,
): Promise<Compared | { readonly reason: string }> {
  try {
    return {
      source: (await tableName(world, { model, environment: source })).view,
      target: (await tableName(world, { model, environment: target })).view,
      key: key ?? (await grainOf(world, target, model)),
    };
  } catch (error) {
    if (isNamed || !(error instanceof Failure) || !NOT_COMPARED.has(error.code)) throw error;
    return { reason: error.message };
  }
}

/** Why a model that only a wildcard means is left out: it is new, has no table on one side, or nothing says what identifies a row. */
const NOT_COMPARED: ReadonlySet<string> = new Set(['query.unknown-model', 'query.no-table', 'query.no-key']);

/** The first grain, or the key that the model's kind names. */
async function grainOf(
  world: OpenedWorldReader,
  environment: string,
  model: string,
): Promise<readonly string[]> {
  const { entries } = await appliedEnvironment(world, environment);
  const fingerprint = entries.find((entry) => entry.model === model)?.fingerprint ?? '';
  const applied = (await world.state.snapshots.contents([fingerprint])).get(fingerprint)?.model;
  const key =
    applied?.grains[0] ?? (applied?.kind && 'uniqueKey' in applied.kind ? applied.kind.uniqueKey : []);
  if (key.length === 0) throw failure('query.no-key', { model });
  return key;
}
