import { retiredChecks } from '../../compiler/quality/retired-checks.ts';
import type { CheckEvent } from '../../domain/check-event.ts';
import type { Environment } from '../../domain/environment.ts';
import { appliedPacks } from '../applied-packs.ts';
import type { OpenedWorld } from '../open-world.ts';

/** Closes what checks left open that no pack has any more: no result would ever close it. */
export async function* retireChecks(
  world: OpenedWorld,
  environment: Environment,
): AsyncGenerator<CheckEvent, void> {
  const { quality } = world.state;
  const latest = await quality.latestResults({ environment: environment.name });
  const checks = latest.length === 0 ? [] : retiredChecks(latest, await appliedPacks(world, environment));
  if (checks.length === 0) return;
  const at = world.clock.now();
  for (const incident of await quality.retireChecks({ environment: environment.name, checks, at }))
    yield { event: 'incident.closed', incident };
}
