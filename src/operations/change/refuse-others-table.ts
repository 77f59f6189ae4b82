import { heldTables } from '../../compiler/plan/held-tables.ts';
import { failure } from '../../domain/failure.ts';
import { tableKey } from '../../domain/relation.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import type { Quarantine } from './held-tables-of.ts';

/** An environment writes only its own tables. */
export async function refuseOthersTable(
  world: OpenedWorldReader,
  environment: string,
  { table, model }: Quarantine,
): Promise<void> {
  const { snapshots } = world.state;
  const environments = await snapshots.environments();
  const own = environments.find(({ name }) => name === environment);
  const known = new Map((await snapshots.snapshots()).map((each) => [each.fingerprint, each]));
  const owner = own && heldTables(own, environments, known).get(tableKey(table));
  if (owner !== undefined) throw failure('quarantine.shared-table', { model, environment, owner });
}
