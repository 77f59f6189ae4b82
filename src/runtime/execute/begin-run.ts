import type { NewEvent } from '../../domain/event.ts';
import { failure } from '../../domain/failure.ts';
import { LEASE_MS } from '../../domain/lease.ts';
import type { Restatement } from '../../domain/state-store.ts';
import type { World } from '../world.ts';
import { ageText } from './age-text.ts';
import type { Contents } from './contents.ts';
import { startedEvent } from './event-log.ts';
import { tablesOf } from './hold-stage.ts';
import type { LeaseContext } from './hold-tables.ts';
import { JANITOR_LEASE, janitorFence, promotionFence } from './promotion-fence.ts';
import { settlePromotion } from './settle-promotion.ts';
import type { StagesToRun } from './stages-to-run.ts';
import { refuseTakenNames } from './taken-names.ts';
import { withRetries } from './with-retries.ts';

const POLL_MS = 250;

/** Takes the environment's lease and records the run, waiting as long as it may; answers with the lease's token. */
export async function takeEnvironment(
  { state, clock }: World,
  { run, waitMs = 0 }: StagesToRun,
  { stop, events }: { readonly stop: AbortSignal; readonly events: readonly NewEvent[] },
): Promise<number> {
  const until = clock.now() + waitMs;
  for (;;) {
    if (stop.aborted) throw failure('run.cancelled', { what: `anything of ${run.environment}` });
    const now = clock.now();
    const answer = await state.journal.startRun(run, { now, events: [...events, startedEvent(run, now)] });
    if (answer.kind === 'granted') {
      const [lease] = answer.leases;
      if (lease === undefined) throw new Error(`no lease was granted for ${run.environment}`);
      return lease.token;
    }
    if (now >= until)
      throw failure('environment.busy', {
        environment: run.environment,
        holder: answer.by.who,
        age: ageText(now - answer.by.since),
      });
    await clock.sleep(Math.min(POLL_MS, until - now), stop);
  }
}

/**
 * What must be true before the first stage: no earlier holder of the environment can still change it, the stages were
 * made for what it is, the plan is in state, and no name it needs is taken. Answers with what waits to be filled again, and which tables were filled before.
 */
export async function prepareRun(
  context: LeaseContext,
  token: number,
  contents: Contents,
): Promise<{ readonly restatements: readonly Restatement[]; readonly knownTables: ReadonlySet<string> }> {
  const { world, execution } = context;
  const { engine, state } = world;
  const { run, plan, basePromotionId } = execution;
  await withRetries(context, () => engine.raiseFences([promotionFence(run.environment, token)]));
  for (const intent of await state.journal.promotionIntents())
    if (intent.target.name === run.environment && intent.runId !== run.id)
      await settlePromotion(world, intent, undefined);
  await waitForJanitor(world, execution);
  if (plan !== undefined) await state.snapshots.beginPlan(plan, run, []);
  else if (basePromotionId !== undefined) {
    const present = (await state.snapshots.environment(run.environment))?.promotionId;
    if (present !== basePromotionId)
      throw failure('environment.moved', {
        environment: run.environment,
        detail: present === undefined ? 'it is gone' : 'another plan was applied to it meanwhile',
      });
  }
  const tables = execution.stages.flatMap((stage) =>
    stage.kind === 'backfill' ? tablesOf(stage) : stage.kind === 'migrate' ? [stage.table] : [],
  );
  const knownTables = new Set((await state.journal.dataVersions(tables)).keys());
  await refuseTakenNames(world, {
    stages: execution.stages,
    environment: run.environment,
    naming: execution.naming,
    known: knownTables,
    contents,
  });
  return { restatements: await state.journal.restatements(), knownTables };
}

/** A janitor that began before this run was recorded does not know of its plan; one that died is shut out. */
async function waitForJanitor({ engine, state, clock }: World, { run }: StagesToRun): Promise<void> {
  if (run.kind === 'janitor') return;
  const until = clock.now() + 4 * LEASE_MS;
  for (;;) {
    const lease = (await state.journal.leases()).find(({ name }) => name === JANITOR_LEASE);
    if (lease === undefined) return;
    const now = clock.now();
    if (lease.expiresAt <= now) {
      const taken = await state.journal.takeLease({ name: JANITOR_LEASE, holder: run.id, who: run.who, now });
      if (taken.kind === 'held') continue;
      await engine.raiseFences([janitorFence(taken.leases[0]?.token ?? 0)]);
      return state.journal.releaseLease(JANITOR_LEASE, run.id);
    }
    if (now > until)
      throw failure('environment.busy', {
        environment: run.environment,
        holder: lease.who,
        age: ageText(now - lease.since),
      });
    await clock.sleep(50);
  }
}
