/** Every state store passes the suite of its port. */
import { describeOnEveryStore } from './every-state-store.ts';
import { describeStateStore } from './state-store.ts';
import { describeStateStoreProcesses } from './state-store-processes.ts';

describeOnEveryStore('state', describeStateStore);
describeOnEveryStore('state', (name, store) => {
  describeStateStoreProcesses(name, store);
});
