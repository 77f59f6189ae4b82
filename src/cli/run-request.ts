import { failure } from '../domain/failure.ts';
import { isoInstantShort } from '../foundation/time/iso.ts';
import { exclusiveEnd } from '../foundation/time/relative-date.ts';
import type { RunRequest } from '../operations/change/run-input.ts';
import type { CommandContext } from './command.ts';
import { timeOption } from './times.ts';

/** What the options of a run ask for. */
export function runRequest(context: CommandContext, environment: string): RunRequest {
  const { values, switches, executionTime } = context;
  const selection = values.get('select');
  const [from, to] = [timeOption(context, 'start'), timeOption(context, 'end')];
  const end = to === undefined ? undefined : exclusiveEnd(to);
  if (from !== undefined && end !== undefined && from.at >= end)
    throw failure('plan.bad-range', { start: isoInstantShort(from.at), end: isoInstantShort(end) });
  return {
    environment,
    executionTime,
    ...(selection === undefined ? {} : { selection, withUpstream: !switches.has('no-auto-upstream') }),
    ...(from === undefined ? {} : { start: from.at }),
    ...(end === undefined ? {} : { end }),
    ignoreCron: switches.has('ignore-cron'),
    isShared: switches.has('shared'),
  };
}
