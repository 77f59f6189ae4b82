import { HEARTBEAT_MS, LEASE_MS } from '../../domain/lease.ts';
import type { World } from '../world.ts';

/**
 * Says every two seconds that the run is alive, until `end` is aborted. `lost` is called once, when a lease passed to
 * another, or when its heartbeat could not be written for so long that it may have.
 */
export async function keepLeases(
  { state, clock }: World,
  runId: string,
  { end, lost }: { readonly end: AbortSignal; readonly lost: (detail: string) => void },
): Promise<void> {
  let lastAnswer = clock.now();
  for (;;) {
    await clock.sleep(HEARTBEAT_MS, end);
    if (end.aborted) return;
    const now = clock.now();
    try {
      if (!(await state.journal.heartbeat(runId, now)))
        return lost('its lease passed to another run while it could not say that it is alive');
      lastAnswer = now;
    } catch (error) {
      if (clock.now() - lastAnswer < LEASE_MS) continue;
      return lost(
        `its heartbeat could not be written to state for ${LEASE_MS / 1000} s (${error instanceof Error ? error.message : String(error)})`,
      );
    }
  }
}
