/** How urgent an event is for the people who hear of it. */
export const SEVERITIES = ['info', 'warning', 'error', 'critical'] as const;
export type EventSeverity = (typeof SEVERITIES)[number];

/** Whether a severity reaches a least one. */
export const reaches = (severity: EventSeverity, least: EventSeverity): boolean =>
  SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least);

/** One name under which the log keeps events. */
export interface EventType {
  /** As urgent as it gets by its name alone; `severityOf` looks into the event too. */
  readonly severity: EventSeverity;
  readonly words: string;
  /** It says something of the data: what is made of the model or metric is hit too. */
  readonly spreads?: true;
}

/** Every event that the log of a product can have, by its name. */
export const EVENT_TYPES: Readonly<Record<string, EventType>> = {
  'plan.created': { severity: 'info', words: 'A plan was made.' },
  'plan.applied': { severity: 'info', words: 'A plan was applied.' },
  'plan.failed': { severity: 'error', words: 'A plan was not applied.' },
  'plan.rolled_back': { severity: 'warning', words: 'An environment went back to an earlier plan.' },
  'run.started': { severity: 'info', words: 'A run began; it may apply a plan.' },
  'run.finished': { severity: 'info', words: 'A run ended.' },
  'run.failed': { severity: 'error', words: 'A run ended with a failure, or was interrupted.' },
  'run.recovered': { severity: 'warning', words: 'What an interrupted run had left was put in order.' },
  'stage.failed': { severity: 'error', words: 'A stage of a run failed.' },
  'model.waiting': { severity: 'info', words: 'A model waits for another run.' },
  'model.written': { severity: 'info', words: 'Rows of a model were written.' },
  'model.built': { severity: 'info', words: 'A model was built.' },
  'model.failed': { severity: 'error', words: 'A model was not built.', spreads: true },
  'model.skipped': { severity: 'warning', words: 'A model was skipped because another one failed.' },
  'audit.failed': {
    severity: 'error',
    words: 'An audit found rows that must not be there.',
    spreads: true,
  },
  'environment.promoted': { severity: 'info', words: 'An environment shows other tables.' },
  'environment.invalidated': { severity: 'info', words: 'An environment is about to be removed.' },
  'warehouse.cleaned': { severity: 'info', words: 'Tables that no environment needs were removed.' },
  'quarantine.released': { severity: 'info', words: 'Rows in quarantine were published.' },
  'quarantine.discarded': { severity: 'info', words: 'Rows in quarantine were discarded.' },
  'schema.changed': {
    severity: 'info',
    words: 'Columns of a model were added, removed or have another type.',
    spreads: true,
  },
  'metric.changed': { severity: 'info', words: 'A metric was changed or removed.', spreads: true },
  'dq.failed': { severity: 'error', words: 'A check failed.', spreads: true },
  'dq.warned': { severity: 'warning', words: 'A check has a warning.', spreads: true },
  'dq.recovered': { severity: 'info', words: 'A check passes again.', spreads: true },
  'freshness.breached': { severity: 'error', words: 'Data are older than promised.', spreads: true },
  'freshness.recovered': { severity: 'info', words: 'Data are as fresh as promised again.', spreads: true },
  'incident.opened': { severity: 'critical', words: 'A check began to fail.', spreads: true },
  'incident.closed': { severity: 'info', words: 'A check that had failed passes.', spreads: true },
  'statement.failed': { severity: 'warning', words: 'A statement failed.' },
  'token.created': { severity: 'info', words: 'A token was created.' },
  'token.revoked': { severity: 'info', words: 'A token was revoked.' },
  'grant.given': { severity: 'info', words: 'A role on the product was granted.' },
  'grant.revoked': { severity: 'info', words: 'A role on the product was revoked.' },
  'access.requested': { severity: 'info', words: 'A principal asks for a role on the product.' },
  'access.approved': { severity: 'info', words: 'A request for access was approved.' },
  'access.denied': { severity: 'info', words: 'A request for access was denied.' },
  'follower.added': { severity: 'info', words: 'A principal follows the product or a part of it.' },
  'follower.removed': { severity: 'info', words: 'A principal follows it no longer.' },
  'perspective.created': { severity: 'info', words: 'A perspective was created.' },
  'perspective.changed': { severity: 'info', words: 'A perspective was changed.' },
  'perspective.transferred': { severity: 'info', words: 'A perspective has another owner.' },
  'perspective.removed': { severity: 'info', words: 'A perspective was removed.' },
  'perspective.broken': { severity: 'error', words: 'A change of the product broke a perspective.' },
  'state.rebuilt': { severity: 'warning', words: 'A lost state was rebuilt from the warehouse.' },
};
