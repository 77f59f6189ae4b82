import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import type { CheckResult, Incident } from './check-result.ts';
import type { ProfileEvent } from './profile-event.ts';

/** Something that happens while checks run: the CLI draws it, the server streams it. */
export type CheckEvent =
  | { readonly event: 'checks.started'; readonly runId: string; readonly models: number }
  | {
      readonly event: 'model.checked';
      readonly model: string;
      readonly results: readonly CheckResult[];
      readonly ms: number;
    }
  /** They could not go on; what was not recorded is checked after the next change. */
  | { readonly event: 'checks.failed'; readonly error: Diagnostic }
  | { readonly event: 'incident.opened'; readonly incident: Incident }
  | { readonly event: 'incident.closed'; readonly incident: Incident };

/** What follows a change: checks, then profiles. */
export type QualityEvent = CheckEvent | ProfileEvent;
