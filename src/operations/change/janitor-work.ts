import { type JanitorOutcome, janitorStages } from '../../compiler/plan/janitor-stages.ts';
import type { Plan } from '../../domain/plan.ts';
import { tableOfKey } from '../../domain/relation.ts';
import type { PlanRecord } from '../../domain/state-store.ts';
import { HOUR_MS } from '../../foundation/time/civil.ts';
import { type Duration, parseDuration } from '../../foundation/time/duration.ts';
import { outOfStep, promotionDrift } from '../../runtime/execute/promotion-drift.ts';
import { recover } from '../../runtime/execute/recover.ts';
import type { OpenedWorld } from '../open-world.ts';

const PLANS_MAX = 100_000;
/** A plan that was only shown may still be applied, but not forever. */
const PREVIEW_MS = HOUR_MS;

const NO_TIME = parseDuration('0 seconds') as Duration;

/**
 * What nothing alive uses any more. Looks only. `keeps`: what is younger than `janitor.snapshot_ttl` and every plan of the last
 * hour (`young`, the default), only what a plan or an environment names (`named`), or nothing that is not being written.
 */
export async function janitorWork(
  world: OpenedWorld,
  executionTime: number,
  { keeps = 'young' }: { readonly keeps?: 'young' | 'named' | 'nothing' } = {},
): Promise<JanitorOutcome> {
  await recover(world);
  await refuseOutOfStep(world, executionTime);
  const { snapshots, journal } = world.state;
  const [environments, known, plans, leases, intents] = await Promise.all([
    snapshots.environments(),
    snapshots.snapshots(),
    snapshots.plans({ limit: PLANS_MAX }),
    journal.leases(),
    journal.intents(),
  ]);
  const now = world.clock.now();
  const promotions = (await Promise.all(environments.map(({ name }) => snapshots.promotions(name)))).flatMap(
    (list) => list.map(({ environment, at }) => ({ environment, at: environment.executionTime ?? at })),
  );
  const promoted = new Map(promotions.map(({ environment, at }) => [environment.planId, at]));
  const ended = new Set(environments.filter(({ expiresAt }) => expiresAt === 0).map(({ name }) => name));
  const isUnfinished = ({ status, createdAt, environment }: PlanRecord): boolean =>
    status === 'applying' ||
    (status === 'planned' && keeps !== 'nothing' && createdAt > now - PREVIEW_MS && !ended.has(environment));
  const unfinished = await Promise.all(
    plans.filter(isUnfinished).map(({ id }) => snapshots.plan(id) as Promise<Plan | undefined>),
  );
  const busy = [
    ...leases.flatMap(({ name }) => (name.startsWith('table:') ? (tableOfKey(name.slice(6)) ?? []) : [])),
    ...intents.flatMap(({ stage }) =>
      stage.kind === 'backfill' ? stage.members.map(({ table }) => table) : [],
    ),
  ];
  return janitorStages({
    environments,
    snapshots: known,
    promotions,
    unfinished: unfinished.filter((plan) => plan !== undefined),
    busy,
    planTimes: new Map(plans.map(({ id, createdAt }) => [id, promoted.get(id) ?? createdAt])),
    // Without a time to live nothing is too young, also not what was made after the given execution time.
    now: keeps === 'young' ? executionTime : Math.max(executionTime, now),
    // Loading has checked what config.yaml says.
    ttl: keeps === 'young' ? (parseDuration(world.config.janitor.snapshotTtl) as Duration) : NO_TIME,
    endsProd: keeps === 'nothing',
  });
}

/** What such a warehouse shows is not known from the state. An environment that has expired is removed in any case. */
async function refuseOutOfStep(world: OpenedWorld, executionTime: number): Promise<void> {
  for (const { name, expiresAt = Number.POSITIVE_INFINITY } of await world.state.snapshots.environments()) {
    if (expiresAt <= executionTime) continue;
    const drift = await promotionDrift(world, name);
    if (drift !== undefined) throw outOfStep(drift);
  }
}
