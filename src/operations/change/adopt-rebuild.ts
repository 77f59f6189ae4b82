import { recover } from '../../runtime/execute/recover.ts';
import type { OpenedWorld } from '../open-world.ts';
import type { StateRebuild } from './state-rebuild.ts';

/** Makes the state as `stateRebuild` found it, and copies from the ledger what is filled. */
export async function adoptRebuild(world: OpenedWorld, { adoption }: StateRebuild): Promise<void> {
  await world.state.adopt(adoption);
  await recover(world);
}
