import type { ChangeOutcome } from '../../domain/access-store.ts';
import type { NewEvent } from '../../domain/event.ts';
import { failure } from '../../domain/failure.ts';
import { PRINCIPAL_NAME } from '../../domain/names.ts';
import type { AuditEntry } from '../../domain/principal.ts';
import type { PrincipalStore } from '../../domain/principal-store.ts';

/** Where principals are kept, who changes them and when: what each verb about access takes. */
export interface AccessContext {
  readonly principals: PrincipalStore;
  /** The tenant whose product the log of events is about: it says nothing of the people of others. */
  readonly eventsOf: string;
  /** Principal id, or the user of the command line. */
  readonly actor: string;
  readonly now: number;
  readonly correlationId?: string;
}

/** An entry of the audit log about a change in this context. */
export const audit = (
  context: AccessContext,
  tenant: string,
  action: string,
  target: string,
): AuditEntry => ({
  at: context.now,
  tenant,
  actor: context.actor,
  action,
  target,
  outcome: 'done',
  ...(context.correlationId === undefined ? {} : { correlationId: context.correlationId }),
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
  context: AccessContext,
  tenant: string,
  event: string,
  data: Readonly<Record<string, unknown>>,
): readonly NewEvent[] {
  return tenant === context.eventsOf ? [{ at: context.now, event, data }] : [];
}
