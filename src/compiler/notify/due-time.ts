import type { EventSeverity } from '../../domain/event-types.ts';
import { reaches } from '../../domain/event-types.ts';
import type { QuietHours, Timing } from '../../domain/notification.ts';
import { type Cron, floorTick, nextTick, parseCron } from '../../foundation/time/cron.ts';

/** When a message goes out: `dueAt` absent, in its turn; with a `batch` it goes together with others of the same. */
export interface DueTime {
  readonly dueAt?: number;
  readonly batch?: number;
}

const DIGESTS: Readonly<Record<Exclude<Timing, 'immediate'>, Cron>> = {
  hourly: cronOf('0 * * * *', 'UTC'),
  daily: cronOf('0 8 * * *', 'UTC'),
};

/** Digests go out each full hour, or at eight in the morning of UTC; what is due in quiet hours goes out at their end. */
export function dueTime(
  severity: EventSeverity,
  { timing, quietHours }: { readonly timing: Timing; readonly quietHours?: QuietHours },
  now: number,
): DueTime {
  const batch = timing === 'immediate' ? undefined : nextTick(DIGESTS[timing], now);
  const end = quietHours && quietUntil(severity, quietHours, batch ?? now);
  if (batch !== undefined) return { dueAt: end ?? batch, batch };
  return end === undefined ? {} : { dueAt: end };
}

/** When the quiet hours end that a time lies in; undefined outside of them, and for what is sent all the same. */
function quietUntil(
  severity: EventSeverity,
  { from, to, zone, except = 'critical' }: QuietHours,
  at: number,
): number | undefined {
  if (from === to || reaches(severity, except)) return undefined;
  const [begins, ends] = [cronAt(from, zone), cronAt(to, zone)];
  return floorTick(begins, at) > floorTick(ends, at) ? nextTick(ends, at) : undefined;
}

/** Each day at `HH:MM`. */
function cronAt(time: string, zone: string): Cron {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return cronOf(`${minutes} ${hours} * * *`, zone);
}

function cronOf(text: string, zone: string): Cron {
  const cron = parseCron(text, zone);
  if (cron.kind === 'cron') return cron;
  throw new Error(`${text} in ${zone} is not a time of day: ${cron.message}`);
}
