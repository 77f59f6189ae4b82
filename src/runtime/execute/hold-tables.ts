import { failure } from '../../domain/failure.ts';
import type { Stage } from '../../domain/plan.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import type { Intent } from '../../domain/run.ts';
import type { HeldTables } from './prepared-tables.ts';
import { modelsOfStage, type RunContext, refuseWhenStopped } from './run-context.ts';

const POLL_FIRST_MS = 25;
const POLL_MAX_MS = 500;

/**
 * Takes the leases of all these tables or none, and writes down what is intended. While another run has one of them
 * it waits (telling once per holder): that run is building what this one needs.
 */
export async function holdTables(
  context: RunContext,
  stage: Stage,
  tables: readonly TableId[],
): Promise<HeldTables> {
  const { world, execution } = context;
  const { id: runId, environment, who } = execution.run;
  let pollMs = POLL_FIRST_MS;
  let holder: string | undefined;
  for (;;) {
    refuseWhenStopped(context, nameOfStage(stage));
    const now = world.clock.now();
    const intent: Intent = { id: crypto.randomUUID(), runId, environment, stage, at: now };
    const answer = await world.state.journal.startBackfill(intent, { tables, who, now });
    if (answer.kind === 'granted') {
      const tokens = new Map(answer.leases.map((lease) => [lease.name, lease.token]));
      return {
        intentId: intent.id,
        mark: answer.mark,
        fences: tables.map((table) => {
          const token = tokens.get(`table:${tableKey(table)}`);
          if (token === undefined) throw new Error(`no lease was granted for ${tableKey(table)}`);
          return { table, token };
        }),
      };
    }
    if (answer.by.holder !== holder) {
      const { name, who: by } = answer.by;
      holder = answer.by.holder;
      const wanted = tables.filter((table) => `table:${tableKey(table)}` === name);
      const models = modelsOfStage(stage);
      for (const model of models.length > 0 ? models : wanted.map((table) => table.model))
        context.emit({ event: 'model.waiting', model, holder: by });
    }
    await world.clock.sleep(pollMs, context.stop);
    pollMs = Math.min(POLL_MAX_MS, pollMs * 2);
  }
}

/** A stage in words, for messages. */
function nameOfStage(stage: Stage): string {
  const models = modelsOfStage(stage);
  return models.length === 0 ? stage.kind : models.join(', ');
}

/** What it takes to know whether the run may go on. */
export type LeaseContext = Pick<RunContext, 'world' | 'execution' | 'cancel' | 'loseLease'>;

/** Makes sure that the run still owns its leases before it repeats a write: it may have been paused meanwhile. */
export async function refuseWhenLeaseLost(context: LeaseContext): Promise<void> {
  const { world, execution } = context;
  if (await world.state.journal.heartbeat(execution.run.id, world.clock.now())) return;
  context.loseLease('its lease passed to another run while it could not say that it is alive');
  throw context.cancel.reason instanceof Error
    ? context.cancel.reason
    : failure('run.lease-lost', {
        run: execution.run.id,
        environment: execution.run.environment,
        detail: 'its lease passed to another run',
      });
}
