import { isDqKey } from '../compiler/plan/definition-hashes.ts';
import type { DqPack } from '../domain/dq-pack.ts';
import type { Environment } from '../domain/environment.ts';
import { failure } from '../domain/failure.ts';
import type { WorldReader } from '../runtime/world.ts';

/** The dq packs of an environment as they were applied; `dq.not-applied` when it has packs whose text no plan kept. */
export async function appliedPacks(
  { state }: Pick<WorldReader, 'state'>,
  { name, definitions, dqPacks }: Environment,
): Promise<readonly DqPack[]> {
  if (!Object.keys(definitions).some(isDqKey)) return [];
  const found = dqPacks === undefined ? undefined : (await state.snapshots.plan(dqPacks))?.dqPacks;
  if (found === undefined) throw failure('dq.not-applied', { environment: name });
  return found;
}
