/** What principals set up to hear of events: channels, rules and preferences. Follows are in follower.ts. */
import type { EventSeverity } from './event-types.ts';

export const CHANNEL_KINDS = ['webhook', 'slack', 'teams', 'email', 'inbox'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

interface Owned {
  readonly id: string;
  /** The principal that made it: their rights say what may be sent, and no other principal sees it. */
  readonly ownerId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Where messages of one principal go. */
export interface NotificationChannel extends Owned {
  readonly name: string;
  readonly kind: ChannelKind;
  readonly isEnabled: boolean;
  /** What may be shown, as its kind has it. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Secrets as one sealed text. */
  readonly sealed?: string;
}

/** Which events. */
export interface EventFilter {
  /** Names; `dq.*` are all that begin so. Absent: all. */
  readonly events?: readonly string[];
  /** Names or patterns with `*`; an event without a model fits none. */
  readonly models?: readonly string[];
  /** Absent: the default one, and what concerns none; `*` is every one. */
  readonly environments?: readonly string[];
  readonly minSeverity?: EventSeverity;
}

export interface Audience {
  readonly owners?: boolean;
  readonly followers?: boolean;
  /** Ids of channels of the owner of the rule. */
  readonly channels?: readonly string[];
}

/** `HH:MM`; a span may pass midnight. */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
  readonly zone: string;
  /** Events from this severity on are sent all the same; `critical` when absent. */
  readonly except?: EventSeverity;
}

/** When messages go out: at once, or together once an hour or a day. */
export type Timing = 'immediate' | 'hourly' | 'daily';

/** Who hears of which events, and when. */
export interface NotificationRule extends Owned {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly filter: EventFilter;
  readonly audience: Audience;
  readonly timing: Timing;
  readonly quietHours?: QuietHours;
  /** Of the last event that happened before. */
  readonly since: number;
}

/** What one principal wants to hear of whatever they follow or own; the id is that of the principal. */
export interface NotificationPreference extends Owned {
  readonly minSeverity?: EventSeverity;
  /** Names of events that are never told; `model.*` are all that begin so. */
  readonly muted: readonly string[];
  /** Channels besides the inbox for what they follow and own. */
  readonly channels: readonly string[];
  readonly timing: Timing;
  readonly quietHours?: QuietHours;
}
