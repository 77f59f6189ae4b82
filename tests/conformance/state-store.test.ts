/** Every state store passes the suite of its port. */
import { describeOnEveryStore } from './every-state-store.ts';
import { describeStateStore } from './state-store.ts';

describeOnEveryStore('state', describeStateStore);
