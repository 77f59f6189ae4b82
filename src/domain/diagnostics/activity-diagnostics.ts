import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

/** What can be wrong with what a server is asked about plans and runs. */
export const activityDiagnostics = {
  'plan.not-found': {
    severity: 'error',
    message: 'There is no plan {id}.',
    hint: 'GET /activity/plans lists the plans; POST /activity/plans makes one',
    explain: 'Plans are named by their ids. The product that was asked has none of this id.',
  },
  'run.not-found': {
    severity: 'error',
    message: 'There is no run {id}.',
    hint: 'GET /activity/runs lists the runs',
    explain: 'Runs are named by their ids. The product that was asked has none of this id.',
  },
  'activity.too-many-plans': {
    severity: 'error',
    message: 'The queue is full: {count} plans are waiting to be made before this one.',
    hint: 'repeat the request when they are done',
    explain:
      'A server makes the plans of a product one after the other, each in its own process. Lint and tests of its folder wait in the same queue, which is bounded.',
  },
} as const satisfies Catalog;
