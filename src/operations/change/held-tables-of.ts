import { isRollup, tableOf } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import { quarantineRelation, type Relation, relationText, type TableId } from '../../domain/relation.ts';
import { appliedEnvironment, type OpenedWorldReader } from '../open-world.ts';
import { tableName } from './table-name.ts';

/** A quarantine that exists, of a model as an environment shows it. */
export interface Quarantine {
  readonly model: string;
  readonly fingerprint: string;
  readonly table: TableId;
  readonly relation: Relation;
  /** All columns, Plinth's own included. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** The quarantines of an environment's models; with `model` that one's, which must be one of them. */
export async function heldTablesOf(
  world: OpenedWorldReader,
  environment: string,
  model?: string,
): Promise<readonly Quarantine[]> {
  const { entries } = await appliedEnvironment(world, environment);
  const only = model === undefined ? undefined : (await tableName(world, { model, environment })).model;
  const { identifierMax } = world.engine.capabilities;
  const wanted = entries.flatMap((entry) => {
    const table = tableOf(entry);
    if (table === undefined || isRollup(entry) || (only !== undefined && entry.model !== only)) return [];
    return [{ ...entry, table, relation: quarantineRelation(table, identifierMax) }];
  });
  const there = await world.engine.columnsOf(wanted.map(({ relation }) => relation));
  return wanted.flatMap((each) => {
    const { fingerprint, table, relation } = each;
    const columns = there.get(relationText(relation));
    return columns === undefined ? [] : [{ model: each.model, fingerprint, table, relation, columns }];
  });
}

/** The one of a model; `quarantine.nothing-held` without one. */
export async function heldTableOf(
  world: OpenedWorldReader,
  { environment, model }: { readonly environment: string; readonly model: string },
): Promise<Quarantine> {
  const [found] = await heldTablesOf(world, environment, model);
  if (found === undefined) throw failure('quarantine.nothing-held', { model, environment, which: '' });
  return found;
}
