import type { StoredEvent } from './event.ts';
import { EVENT_TYPES, type EventSeverity } from './event-types.ts';

/** How urgent an event is: by its name, and by what it says of itself. */
export function severityOf({ event, data }: Pick<StoredEvent, 'event' | 'data'>): EventSeverity {
  const said = (data ?? {}) as Readonly<Record<string, unknown>>;
  const own = EVENT_TYPES[event]?.severity ?? 'info';
  switch (event) {
    case 'schema.changed':
    case 'metric.changed':
      return said['breaking'] === true ? 'warning' : own;
    case 'audit.failed':
      return said['isBlocking'] === false ? 'warning' : own;
    case 'dq.failed':
      return said['severity'] === 'warning' ? 'warning' : own;
    case 'incident.opened':
      return said['severity'] === 'warning' ? 'error' : own;
    case 'freshness.breached':
      return said['outcome'] === 'warn' ? 'warning' : own;
    default:
      return own;
  }
}
