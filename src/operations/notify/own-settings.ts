import { failure } from '../../domain/failure.ts';
import { settled } from '../access/access-context.ts';

/** How many of each one principal may have. */
export const OWNED_MAX = { channel: 50, rule: 100, follower: 1_000, preference: 1 } as const;

/** Throws `access.not-found`, also for what belongs to another principal. */
export function found<Setting>(setting: Setting | undefined, what: string, name: string): Setting {
  if (setting === undefined) throw failure('access.not-found', { what, name });
  return setting;
}

/** A change that did not happen is a failure of the request. */
export function settledSetting(
  outcome: 'done' | 'missing' | 'differs' | 'exists' | 'full',
  what: keyof typeof OWNED_MAX,
  name: string,
): void {
  if (outcome === 'full') throw failure('notification.full', { most: `${OWNED_MAX[what]} ${what}s` });
  settled(outcome === 'exists' ? 'differs' : outcome, what, name);
}
