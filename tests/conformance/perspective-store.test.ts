/** Every state store keeps perspectives as its port says. */
import { describeOnEveryStore } from './every-state-store.ts';
import { describePerspectiveStore } from './perspective-store.ts';

describeOnEveryStore('perspectives', describePerspectiveStore);
