/** Every state store holds when several processes have it open, and when they are killed. */
import { describeOnEveryStore } from '../conformance/every-state-store.ts';
import { describeStateStoreProcesses } from '../conformance/state-store-processes.ts';

describeOnEveryStore('state', (name, store) => {
  describeStateStoreProcesses(name, store);
});
