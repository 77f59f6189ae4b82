import type { ChangeOutcome } from '../../domain/access-store.ts';
import type { NewEvent } from '../../domain/event.ts';
import { failure } from '../../domain/failure.ts';
import { PRINCIPAL_NAME } from '../../domain/names.ts';
import type { AuditEntry } from '../../domain/principal.ts';
import type { PrincipalStore } from '../../domain/principal-store.ts';

/** Where principals are kept, who acts and when. */
export interface Desk {
  readonly principals: PrincipalStore;
  /** The tenant whose product the log of events is about: it says nothing of the people of others. */
  readonly eventsOf: string;
  /** Principal id, or who sits at the command line. */
  readonly actor: string;
  readonly now: number;
  readonly correlationId?: string;
}

/** An entry of the audit log about a change that the desk makes. */
export const audit = (desk: Desk, tenant: string, action: string, target: string): AuditEntry => ({
  at: desk.now,
  tenant,
  actor: desk.actor,
  action,
  target,
  outcome: 'done',
  ...(desk.correlationId === undefined ? {} : { correlationId: desk.correlationId }),
});

/** Throws `access.bad-name`. */
export function checkName(what: string, name: string, pattern = PRINCIPAL_NAME): void {
  if (!pattern.test(name))
    throw failure('access.bad-name', { what, name: JSON.stringify(name.slice(0, 80)) });
}

/** A change that did not happen is a failure of the request. */
export function settled(outcome: ChangeOutcome, what: string, name: string): void {
  if (outcome === 'missing') throw failure('access.not-found', { what, name });
  if (outcome === 'differs') throw failure('access.changed', { what, name });
}

/** None when the log is about the product of another tenant. */
export function eventsOf(
  desk: Desk,
  tenant: string,
  event: string,
  data: Readonly<Record<string, unknown>>,
): readonly NewEvent[] {
  return tenant === desk.eventsOf ? [{ at: desk.now, event, data }] : [];
}
