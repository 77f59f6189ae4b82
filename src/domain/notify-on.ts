import type { StoredEvent } from './event.ts';
import { severityOf } from './severity-of.ts';

/** Names that `notify_on` of config.yaml may have. Those of migrations never happen: the state is migrated when it is opened, before there is a log to tell of it. */
export const NOTIFY_ON = [
  'apply_start', 'apply_end', 'apply_failure', 'run_start', 'run_end', 'run_failure', 'audit_failure', 'dq_failure', 'dq_warning', 'freshness_failure', 'incident_opened', 'incident_closed',
  'migration_start', 'migration_end', 'migration_failure', 'schema_change', 'plan_change',
] as const; // biome-ignore format: a table
type NotifyOn = (typeof NOTIFY_ON)[number];

/** Whether an event is one that `notify_on` names. */
export function notifiesOn(event: StoredEvent, names: readonly string[]): boolean {
  const own = namesOf(event);
  return names.some((name) => own.includes(name as NotifyOn));
}

function namesOf(event: StoredEvent): readonly NotifyOn[] {
  const isApplied = kindOf(event) !== 'run';
  switch (event.event) {
    case 'run.started':
      return [isApplied ? 'apply_start' : 'run_start'];
    case 'plan.applied':
    case 'plan.rolled_back':
      return ['apply_end'];
    case 'plan.failed':
      return ['apply_failure'];
    case 'run.finished':
      return isApplied ? [] : ['run_end'];
    case 'run.failed':
      return isApplied ? [] : ['run_end', 'run_failure'];
    case 'audit.failed':
      return ['audit_failure'];
    case 'dq.failed':
      return severityOf(event) === 'warning' ? ['dq_failure', 'dq_warning'] : ['dq_failure'];
    case 'dq.warned':
      return ['dq_warning'];
    case 'freshness.breached':
      return ['freshness_failure'];
    case 'incident.opened':
      return ['incident_opened'];
    case 'incident.closed':
      return ['incident_closed'];
    case 'schema.changed':
      return ['schema_change'];
    case 'plan.created':
      return ['plan_change'];
    default:
      return [];
  }
}

/** Of the run that an event is about: it fills what is due, or does what a plan says. */
function kindOf({ data }: StoredEvent): 'run' | 'plan' {
  const { run } = (data ?? {}) as { readonly run?: { readonly planId?: string; readonly kind?: string } };
  return run?.planId === undefined && run?.kind === 'run' ? 'run' : 'plan';
}
