/** Many calls of several processes and workers at the same time, on every store. */
import { describeOnEveryStore } from '../conformance/every-state-store.ts';
import { describeStateFuzz } from '../conformance/state-fuzz.ts';
import { describeStateStorm } from '../conformance/state-storm.ts';
import { describeStatementModel } from '../conformance/statement-store-model.ts';

describeOnEveryStore('random calls', describeStateFuzz);
describeOnEveryStore('random lives of statements', describeStatementModel);
describeOnEveryStore('a storm', describeStateStorm);
