import type { NewEvent } from '../../domain/event.ts';
import type { Run, RunEvent } from '../../domain/run.ts';

/** What the log keeps; the rest only moves a progress line. */
export function isLogged({ event }: RunEvent): boolean {
  switch (event) {
    case 'stage.started':
    case 'stage.finished':
    case 'model.started':
    case 'model.progress':
    case 'run.started':
      return false;
    default:
      return true;
  }
}

/** An event as the log keeps it. What the run's own record has is not repeated. */
export function loggedEvent(event: RunEvent, { id: runId, environment }: Run, at: number): NewEvent {
  const model = modelOf(event);
  return {
    at,
    event: nameOf(event),
    environment,
    runId,
    ...(model === undefined ? {} : { model }),
    data: dataOf(event),
  };
}

/** That a run began, written with its record: subscribers want to hear of it before its end. */
export const startedEvent = ({ id: runId, environment, kind, planId, who }: Run, at: number): NewEvent => ({
  ...{ at, event: 'run.started', environment, runId },
  data: { run: { id: runId, kind, environment, ...(planId === undefined ? {} : { planId }), who } },
});

/** The log names the end of a failed run differently, because subscribers want that event. */
function nameOf(event: RunEvent): string {
  return event.event === 'run.finished' && isBad(event.run) ? 'run.failed' : event.event;
}

const isBad = ({ status }: Run): boolean => status === 'failed' || status === 'interrupted';

/** What becomes of a plan when the run that applied it ends; nothing for a run that applied none, or was given up. */
export function planEvents(run: Run, at: number): readonly NewEvent[] {
  const { id: runId, environment, planId, kind, status, error } = run;
  if (planId === undefined || status === 'running' || status === 'cancelled') return [];
  const event = isBad(run) ? 'plan.failed' : kind === 'rollback' ? 'plan.rolled_back' : 'plan.applied';
  return [{ at, event, environment, runId, data: { planId, who: run.who, ...(error && { error }) } }];
}

function modelOf(event: RunEvent): string | undefined {
  if ('model' in event) return event.model;
  return 'result' in event ? event.result.name : undefined;
}

function dataOf(event: RunEvent): unknown {
  switch (event.event) {
    case 'run.started':
    case 'run.finished': {
      const { models, ...run } = event.run;
      return { run, models: models.length };
    }
    case 'stage.failed':
      return { stage: event.stage.id, kind: event.stage.kind, error: event.error };
    default: {
      const { event: _, ...data } = event;
      return data;
    }
  }
}
