import { diagnostic } from '../domain/diagnostics/catalog.ts';
import { Failure } from '../domain/failure.ts';
import { DAY_MS, modulo } from '../foundation/time/civil.ts';
import { addDuration, parseDuration } from '../foundation/time/duration.ts';
import { isoInstant } from '../foundation/time/iso.ts';
import type { TimeRange } from '../foundation/time/ranges.ts';
import { exclusiveEnd, type ParsedTime, parseTime } from '../foundation/time/relative-date.ts';
import type { CommandContext } from './command.ts';

/** A time that an option gives; a text that is none is refused by the option's name. */
export function timeOption({ values, executionTime }: CommandContext, name: string): ParsedTime | undefined {
  const text = values.get(name);
  if (text === undefined) return undefined;
  const time = parseTime(text, executionTime);
  if (time.kind === 'time') return time;
  throw badValue(name, text, "a time such as '2025-06-01' or '3 days ago'");
}

/** The interval of `--start` and `--end`; by default the last full day before the execution time. */
export function rangeOption(context: CommandContext): TimeRange {
  const { values, executionTime } = context;
  const [from, to] = [timeOption(context, 'start'), timeOption(context, 'end')];
  const end = to === undefined ? executionTime - modulo(executionTime, DAY_MS) : exclusiveEnd(to);
  const start = from?.at ?? end - DAY_MS;
  if (start < end) return { start, end };
  const written = values.get('start') ?? isoInstant(start);
  throw badValue('start', written, `a time before the end, ${values.get('end') ?? isoInstant(end)}`);
}

/** `--wait 10m` in milliseconds. */
export function waitOption({ values }: CommandContext): number | undefined {
  const text = values.get('wait');
  if (text === undefined) return undefined;
  const duration = parseDuration(text);
  if (duration.kind !== 'duration') throw badValue('wait', text, "a length of time such as '10m'");
  return addDuration(0, duration);
}

/** A whole number that an option gives, at least 1. */
export function countOption({ values }: Pick<CommandContext, 'values'>, name: string): number | undefined {
  const text = values.get(name);
  if (text === undefined) return undefined;
  const count = Number(text);
  if (/^\d{1,9}$/.test(text) && count >= 1) return count;
  throw badValue(name, text, 'a whole number from 1 on');
}

export function badValue(name: string, value: string, expected: string): Failure {
  return new Failure(diagnostic('cli.bad-value', { name: `--${name}`, value, expected }));
}
