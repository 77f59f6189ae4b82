/** Many calls of several processes and workers at the same time, on every store. */
import { describeOnEveryStore } from '../conformance/every-state-store.ts';
import { describeStateStorm } from '../conformance/state-storm.ts';

describeOnEveryStore('a storm', describeStateStorm);
