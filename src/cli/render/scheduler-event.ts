import { Failure } from '../../domain/failure.ts';
import { isoInstant, isoInstantShort } from '../../foundation/time/iso.ts';
import { unreachable } from '../../foundation/unreachable.ts';
import type { SchedulerEvent } from '../../operations/serve/keep-up-to-date.ts';
import { printable } from './printable.ts';
import { runSummary } from './run-text.ts';
import { counted } from './table.ts';

/** What the scheduler decided, in one line of text. */
export function schedulerText(event: SchedulerEvent): string {
  switch (event.event) {
    case 'scheduler.following':
      return `follows ${printable(event.leader.who)}`;
    case 'scheduler.leading':
      return 'leads';
    case 'scheduler.lost-lead':
      return `lost the lead to ${printable(event.leader.who)}`;
    case 'scheduler.next-due':
      return event.environments.length === 0
        ? 'nothing is scheduled'
        : `next: ${event.environments.map(({ environment, at, models }) => `${environment} at ${isoInstantShort(at)} (${counted(models.length, 'model')})`).join(', ')}`;
    case 'scheduler.run-started':
      return `run of ${event.environment} begins`;
    case 'scheduler.run-finished':
      return event.run === undefined
        ? `nothing was due in ${event.environment}`
        : `${event.environment}: ${runSummary(event.run)}${againText(event.retryAt)}`;
    case 'scheduler.run-failed':
      return `run of ${event.environment} could not be made: ${messageOf(event.error)}${againText(event.retryAt)}`;
    case 'scheduler.state-failed':
      return `the state could not be asked: ${messageOf(event.error)}`;
    case 'scheduler.stopped':
      return 'stopped';
    default:
      return unreachable(event);
  }
}

/** The same as one JSON line. */
export function schedulerJson(event: SchedulerEvent, at: number): string {
  return JSON.stringify({ v: 1, event: event.event, at: isoInstant(at), ...partsOf(event) });
}

function partsOf(event: SchedulerEvent): Readonly<Record<string, unknown>> {
  switch (event.event) {
    case 'scheduler.following':
    case 'scheduler.lost-lead':
      return { leader: event.leader.who };
    case 'scheduler.leading':
      return { token: event.token };
    case 'scheduler.next-due':
      return {
        environments: event.environments.map(({ environment, at, models }) => ({
          environment,
          at: isoInstantShort(at),
          models,
        })),
      };
    case 'scheduler.run-started':
      return {
        environment: event.environment,
        execution_time: isoInstantShort(event.executionTime),
        due_since: event.dueSince === undefined ? null : isoInstantShort(event.dueSince),
      };
    case 'scheduler.run-finished':
      return {
        environment: event.environment,
        run_id: event.run?.id ?? null,
        status: event.run?.status ?? null,
        retry_at: event.retryAt === undefined ? null : isoInstantShort(event.retryAt),
      };
    case 'scheduler.run-failed':
      return {
        environment: event.environment,
        error: messageOf(event.error),
        retry_at: event.retryAt === undefined ? null : isoInstantShort(event.retryAt),
      };
    case 'scheduler.state-failed':
      return { error: messageOf(event.error) };
    case 'scheduler.stopped':
      return {};
    default:
      return unreachable(event);
  }
}

const againText = (at: number | undefined): string =>
  at === undefined ? '' : `; again at ${isoInstantShort(at)}`;

function messageOf(error: unknown): string {
  if (error instanceof Failure) return `${error.code}, ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}
