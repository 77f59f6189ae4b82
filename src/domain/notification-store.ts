import type {
  Delivery,
  DeliveryStatus,
  InboxItem,
  NewDelivery,
  NewInboxItem,
  Settlement,
} from './delivery.ts';
import type { NewEvent } from './event.ts';
import type { Follower } from './follower.ts';
import type { NotificationChannel, NotificationPreference, NotificationRule } from './notification.ts';

/** What principals set up, by kind. */
export interface NotificationSettings {
  readonly channel: NotificationChannel;
  readonly rule: NotificationRule;
  readonly follower: Follower;
  readonly preference: NotificationPreference;
}

export type SettingKind = keyof NotificationSettings;

export interface SettingFilter {
  readonly id?: string;
  readonly ownerId?: string;
  /** Of followers: the key of what is followed. */
  readonly target?: string;
  /** Of followers: the keys of who follows. */
  readonly parties?: readonly string[];
}

/** Channels, rules, followers, preferences, deliveries and inboxes of a product: reading half. */
export interface NotificationReader {
  /** Oldest first. */
  settings<Kind extends SettingKind>(
    kind: Kind,
    filter: SettingFilter,
  ): Promise<readonly NotificationSettings[Kind][]>;
  /** Newest first. */
  deliveries(request: {
    readonly id?: string;
    readonly ownerId?: string;
    readonly statuses?: readonly DeliveryStatus[];
    readonly subscriber?: string;
    /** Older than this id. */
    readonly before?: string;
    readonly limit: number;
  }): Promise<readonly Delivery[]>;
  /** Newest first. */
  inbox(request: {
    readonly principalId: string;
    readonly isUnread?: boolean;
    /** Older than this id. */
    readonly before?: string;
    readonly limit: number;
  }): Promise<readonly InboxItem[]>;
  /** How far the log was dealt out, and how many deliveries are still open. */
  backlog(): Promise<{ readonly sequence: number; readonly open: number }>;
}

/** Deliveries of one subscriber that one process is to send, in this order. */
export interface ClaimedQueue {
  readonly subscriber: string;
  readonly deliveries: readonly Delivery[];
}

/** Each method is one transaction. */
export interface NotificationStore extends NotificationReader {
  /**
   * Makes it or replaces it; a new rule or follower begins behind the last event. `differs`: it does not match `expected`; `exists`:
   * it must be new and is not; `full`: its owner has as many as allowed.
   */
  putSetting<Kind extends SettingKind>(
    kind: Kind,
    setting: Omit<NotificationSettings[Kind], 'since'>,
    request: {
      readonly isNew?: boolean;
      /** Tags of `entityTag`, one of which it must have. */
      readonly expected?: readonly string[] | undefined;
      readonly most: number;
      readonly events: readonly NewEvent[];
    },
  ): Promise<'done' | 'differs' | 'exists' | 'full'>;
  removeSetting(
    kind: SettingKind,
    id: string,
    request: { readonly expected?: readonly string[] | undefined; readonly events: readonly NewEvent[] },
  ): Promise<'done' | 'missing' | 'differs'>;
  /**
   * A process is about to deal out the log. `home` says which principals it knows; another home stays in charge unless it is claimed.
   * Targets of config.yaml that are new begin behind the last event. Undefined: another home is in charge.
   */
  attend(request: {
    readonly home: string;
    readonly claims: boolean;
    readonly targets: readonly string[];
  }): Promise<{ readonly sequence: number; readonly targets: Readonly<Record<string, number>> } | undefined>;
  /** Writes what the events up to `to` become, and moves on from `from`; false, and nothing is written, when another process was faster. */
  fanOut(request: {
    readonly from: number;
    readonly to: number;
    readonly deliveries: readonly NewDelivery[];
    readonly inbox: readonly NewInboxItem[];
    readonly now: number;
  }): Promise<boolean>;
  /** Subscribers that something is due for, each to this process alone. `token` is that of its lease: claims of smaller ones are taken over. */
  claim(request: {
    readonly token: number;
    readonly now: number;
    readonly subscribers: number;
    readonly each: number;
  }): Promise<readonly ClaimedQueue[]>;
  /** Writes down what became of deliveries; those that ended stay as they are. `released`: the process is through with this subscriber. */
  settle(
    settlements: readonly Settlement[],
    request: {
      readonly now: number;
      readonly released?: { readonly subscriber: string; readonly token: number };
    },
  ): Promise<void>;
  /** Sends them once more, under the same ids; answers with those that it found among `statuses`. */
  revive(request: {
    readonly ids: readonly string[];
    readonly statuses: readonly DeliveryStatus[];
    readonly now: number;
  }): Promise<readonly string[]>;
  /** Of this principal, those named or all up to an id; answers with how many were not read before. */
  markRead(request: {
    readonly principalId: string;
    readonly ids?: readonly string[];
    readonly upTo?: string;
    readonly at: number;
  }): Promise<number>;
}
