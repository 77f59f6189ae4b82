import type { EventSeverity } from './event-types.ts';

/** What can be followed. */
export const TARGET_KINDS = ['product', 'model', 'metric', 'perspective'] as const;

/** Something that is followed. The product has no name. */
export type FollowTarget =
  | { readonly kind: 'product' }
  | { readonly kind: Exclude<(typeof TARGET_KINDS)[number], 'product'>; readonly name: string };

/** `product`, `model:marts.orders`, `metric:revenue`, `perspective:monthly`. */
export const targetKey = (target: FollowTarget): string =>
  target.kind === 'product' ? 'product' : `${target.kind}:${target.name}`;

/** What a key says; undefined when it is none. */
export function targetOf(key: string): FollowTarget | undefined {
  if (key === 'product') return { kind: 'product' };
  const [, kind, name = ''] = /^(model|metric|perspective):(.{1,500})$/s.exec(key) ?? [];
  if (kind === 'model') return { kind, name: name.toLowerCase() };
  return kind === 'metric' || kind === 'perspective' ? { kind, name } : undefined;
}

/** Who follows: a user, a service account (an app), or all members of a group. */
export interface FollowingParty {
  readonly kind: 'user' | 'group' | 'app';
  /** Of the principal, or of the group. */
  readonly name: string;
}

/** `user:ana`, `group:finance`, `app:loader`. */
export const partyKey = ({ kind, name }: FollowingParty): string => `${kind}:${name}`;

/** One party that hears of what happens to one target. */
export interface Follower {
  /** Made of both, so that no party follows a target twice. */
  readonly id: string;
  /** The principal that follows; of a group the one who had it follow. */
  readonly ownerId: string;
  readonly party: FollowingParty;
  /** The key of the target. */
  readonly target: string;
  /** Names of events; `dq.*` are all that begin so. Absent: all. */
  readonly events?: readonly string[];
  /** Ids of channels of the owner; absent: the inbox. */
  readonly channels?: readonly string[];
  readonly minSeverity: EventSeverity;
  /** Of the last event that happened before. */
  readonly since: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const followerId = (party: FollowingParty, target: string): string => `${partyKey(party)} ${target}`;
