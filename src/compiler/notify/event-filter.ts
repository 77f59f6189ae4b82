import type { StoredEvent } from '../../domain/event.ts';
import { reaches } from '../../domain/event-types.ts';
import type { EventFilter } from '../../domain/notification.ts';
import { severityOf } from '../../domain/severity-of.ts';

/** Whether a name is one of these, or fits one of these patterns: `*` stands for anything. */
export const fitsOne = (name: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => fits(name, pattern.split('*')));

/** Without a regular expression: a pattern of many stars would take long. */
function fits(name: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last))
    return false;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}

/** Whether an event is one of those that a filter lets through. */
export function passesFilter(
  event: StoredEvent,
  { events, models, environments, minSeverity }: EventFilter,
  defaultEnvironment: string,
): boolean {
  return (
    (events === undefined || fitsOne(event.event, events)) &&
    (models === undefined || (event.model !== undefined && fitsOne(event.model, models))) &&
    isInEnvironments(event, environments ?? [defaultEnvironment]) &&
    (minSeverity === undefined || reaches(severityOf(event), minSeverity))
  );
}

/** What concerns no environment concerns all. */
export const isInEnvironments = (
  { environment }: Pick<StoredEvent, 'environment'>,
  environments: readonly string[],
): boolean => environment === undefined || fitsOne(environment, environments);
