import { type JanitorOutcome, janitorStages } from '../compiler/plan/janitor-stages.ts';
import type { Plan } from '../domain/plan.ts';
import { tableOfKey } from '../domain/relation.ts';
import type { Run, RunEvent } from '../domain/run.ts';
import type { PlanRecord } from '../domain/state-store.ts';
import { HOUR_MS } from '../foundation/time/civil.ts';
import { type Duration, parseDuration } from '../foundation/time/duration.ts';
import { executeStages } from '../runtime/execute/execute-stages.ts';
import { recover } from '../runtime/execute/recover.ts';
import type { ActOptions } from './apply.ts';
import { newId } from './new-id.ts';
import type { OpenedWorld } from './open-world.ts';

const PLANS_MAX = 100_000;
/** A plan that was only shown may still be applied, but not for ever. */
const PREVIEW_MS = HOUR_MS;
/** The janitor works on no environment in particular; no environment can have this name. */
export const EVERYWHERE = '*';

/** What nothing alive uses any more. Looks only. */
export async function janitorWork(world: OpenedWorld, executionTime: number): Promise<JanitorOutcome> {
  await recover(world);
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
    (status === 'planned' && createdAt > now - PREVIEW_MS && !ended.has(environment));
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
    now: executionTime,
    // Loading has checked what config.yaml says.
    ttl: parseDuration(world.config.janitor.snapshotTtl) as Duration,
  });
}

/** Removes it, and yields what was dropped and what had to stay. */
export async function* janitor(
  world: OpenedWorld,
  { stages }: JanitorOutcome,
  { who, waitMs, signal, executionTime }: ActOptions & { readonly executionTime: number },
): AsyncGenerator<RunEvent, Run> {
  const startedAt = world.clock.now();
  return yield* executeStages(world, {
    run: {
      id: newId('r', startedAt),
      kind: 'janitor',
      environment: EVERYWHERE,
      who,
      startedAt,
      executionTime,
      status: 'running',
      models: [],
    },
    stages,
    entries: [],
    naming: (name) => world.naming(name),
    maxParallel: 1,
    executionTime,
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(signal === undefined ? {} : { signal }),
  });
}
