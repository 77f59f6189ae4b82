import type { Run, RunEvent } from '../../domain/run.ts';
import type { NewEvent } from '../../domain/state-store.ts';

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
    event: event.event,
    environment,
    runId,
    ...(model === undefined ? {} : { model }),
    data: dataOf(event),
  };
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
