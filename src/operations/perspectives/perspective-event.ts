import type { NewEvent } from '../../domain/event.ts';
import type { Perspective } from '../../domain/perspective.ts';

/** What the log keeps of a change: how the perspective is after it, since that says who may know of it. */
export const perspectiveEvent = (
  event: 'perspective.created' | 'perspective.changed' | 'perspective.removed' | 'perspective.transferred',
  { id, slug, name, owner, visibility, version }: Perspective,
  { at, more = {} }: { readonly at: number; readonly more?: Readonly<Record<string, unknown>> },
): NewEvent => ({ at, event, data: { id, slug, name, owner, visibility, version, ...more } });
