import { partyKey } from '../../../domain/follower.ts';
import type {
  NotificationSettings,
  NotificationStore,
  SettingKind,
} from '../../../domain/notification-store.ts';
import type { StateOperations } from './operations.ts';

/** Channels, rules, followers, preferences, deliveries and inboxes. */
export function notificationStore(connection: StateOperations): NotificationStore {
  return {
    settings: async (kind, filter) => JSON.parse(await connection.ask('notificationSettings', kind, filter)),
    deliveries: (request) => connection.ask('deliveries', request),
    inbox: (request) => connection.ask('inbox', request),
    backlog: () => connection.ask('notificationBacklog'),
    putSetting: (kind, setting, request) => {
      const { since: _, ...stored } = setting as { readonly since?: number };
      return connection.ask(
        'putNotificationSetting',
        kind,
        { setting: stored, index: indexOf(kind, setting) },
        request,
      );
    },
    removeSetting: (kind, id, request) => connection.ask('removeNotificationSetting', kind, id, request),
    attend: (request) => connection.ask('attendNotifications', request),
    fanOut: (request) => connection.ask('fanOut', request),
    claim: (request) => connection.ask('claimDeliveries', request),
    settle: (settlements, request) => connection.ask('settleDeliveries', settlements, request),
    revive: (request) => connection.ask('reviveDeliveries', request),
    markRead: (request) => connection.ask('markInboxRead', request),
  };
}

/** What settings are found by. */
function indexOf<Kind extends SettingKind>(
  kind: Kind,
  setting: Omit<NotificationSettings[Kind], 'since'>,
): { readonly id: string; readonly ownerId: string; readonly target?: string; readonly party?: string } {
  const { id, ownerId } = setting as unknown as NotificationSettings['channel'];
  if (kind !== 'follower') return { id, ownerId };
  const { target, party } = setting as unknown as NotificationSettings['follower'];
  return { id, ownerId, target, party: partyKey(party) };
}
