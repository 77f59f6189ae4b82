/** Every state store keeps notifications as its port says. */
import { describeOnEveryStore } from './every-state-store.ts';
import { describeNotificationStore } from './notification-store.ts';

describeOnEveryStore('notifications', describeNotificationStore);
