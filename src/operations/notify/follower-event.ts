import type { NewEvent } from '../../domain/event.ts';

/** Without a name: who follows is for owners to see, and the log has other readers. */
export const followerEvent = (
  event: 'follower.added' | 'follower.removed',
  { target }: { readonly target: string },
  at: number,
): NewEvent => ({
  at,
  event,
  data: { target },
});
