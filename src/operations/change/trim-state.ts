import type { RetentionSettings } from '../../domain/config.ts';
import { addDuration, type Duration, parseDuration } from '../../foundation/time/duration.ts';
import type { OpenedWorld } from '../open-world.ts';

const RUNS_LOOKED_AT = 2;

/** Removes history that config.yaml does not keep; answers with how many records went. */
export async function trimState({ state, clock, config }: OpenedWorld): Promise<number> {
  const bounds = boundsOf(config.retention, clock.now());
  let gone = 0;
  for (let piece = await state.trim(bounds); piece > 0; piece = await state.trim(bounds)) gone += piece;
  const running = await state.journal.runs({ status: 'running', limit: RUNS_LOOKED_AT });
  // A run that has to wait for long cannot say that it is alive.
  if (running.length === 0) await state.compact();
  return gone;
}

function boundsOf(kept: RetentionSettings, now: number): Record<keyof RetentionSettings, number> {
  const before = (written: string): number => {
    // Loading has checked what config.yaml says.
    return addDuration(now, parseDuration(written) as Duration, -1);
  };
  return {
    runs: before(kept.runs),
    events: before(kept.events),
    plans: before(kept.plans),
    statements: before(kept.statements),
    leases: before(kept.leases),
    auditLog: before(kept.auditLog),
    quality: before(kept.quality),
  };
}
