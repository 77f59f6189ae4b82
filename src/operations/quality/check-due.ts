import { scheduledSince } from '../../compiler/quality/pack-schedule.ts';
import type { QualityEvent } from '../../domain/check-event.ts';
import { momentOf } from '../../domain/clock.ts';
import type { DqPack } from '../../domain/dq-pack.ts';
import type { Environment } from '../../domain/environment.ts';
import { runChecks } from '../../runtime/quality/run-checks.ts';
import { newId } from '../new-id.ts';
import type { OpenedWorld } from '../open-world.ts';
import { type EnvironmentChecks, environmentChecks } from './environment-checks.ts';
import { profile } from './profile.ts';
import { retireChecks } from './retire-checks.ts';
import { uncheckedPacks, unprofiledModels } from './unseen-data.ts';

export interface DueRequest {
  readonly environment: string;
  /** The run whose changes are checked; absent: the schedules of packs are what is looked for. */
  readonly changedBy?: string;
  readonly signal?: AbortSignal;
}

/**
 * Checks and profiles what no check and no profile has seen as it is now, be it because a process died before it came to that,
 * and what the schedules of packs make due; then closes what no pack asks any more.
 */
export async function* checkDue(
  world: OpenedWorld,
  { environment: name, changedBy, signal }: DueRequest,
): AsyncGenerator<QualityEvent, void> {
  const environment = await world.state.snapshots.environment(name);
  if (environment === undefined) return;
  const end = signal === undefined ? {} : { signal };
  if (environment.dqPacks !== undefined) yield* evaluateDue(world, environment, { changedBy, ...end });
  if (signal?.aborted !== true) yield* retireChecks(world, environment);
}

async function* evaluateDue(
  world: OpenedWorld,
  environment: Environment,
  { changedBy, ...end }: { readonly changedBy: string | undefined; readonly signal?: AbortSignal },
): AsyncGenerator<QualityEvent, void> {
  const checks = await environmentChecks(world, environment, () => true);
  const { due, changed } = await duePacks(world, checks);
  if (due.length > 0)
    yield* runChecks(world, {
      ...checks,
      packs: due,
      run: {
        id: newId('c', world.clock.now()),
        environment: environment.name,
        trigger: changedBy === undefined ? 'schedule' : 'change',
        ...(changedBy === undefined ? {} : { changedBy }),
        ...(environment.dqPacks === undefined ? {} : { definedBy: environment.dqPacks }),
      },
      ...end,
    });
  const unprofiled = await unprofiledModels(world, checks);
  const models = new Set([...changed.map(({ model }) => model.value), ...unprofiled]);
  if (models.size > 0)
    yield* profile(world, {
      ...{ environment: environment.name, models, ...end },
      ...(changedBy === undefined ? {} : { changedBy }),
    });
}

interface DuePacks {
  readonly due: readonly DqPack[];
  /** Those of them whose rows no check has seen as they are now. */
  readonly changed: readonly DqPack[];
}

async function duePacks(world: OpenedWorld, checks: EnvironmentChecks): Promise<DuePacks> {
  const changed = await uncheckedPacks(world, checks);
  const unchecked = new Set(changed);
  const now = momentOf(world.clock);
  const lastAt = new Map<string, number>();
  const latest = await world.state.quality.latestResults({ environment: checks.environment.name });
  // A check at a given time that is still to come does not stop the schedule until then.
  for (const { pack, at } of latest) if (at <= now) lastAt.set(pack, Math.max(at, lastAt.get(pack) ?? at));
  const due = checks.packs.filter((pack) => {
    const tick = scheduledSince(pack, now);
    return unchecked.has(pack) || (tick !== undefined && (lastAt.get(pack.name.value) ?? 0) < tick);
  });
  return { due, changed };
}
