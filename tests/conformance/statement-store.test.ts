/** Every store of statements passes the suite of its port. */
import { describeOnEveryStore } from './every-state-store.ts';
import { describeStatementStore } from './statement-store.ts';

describeOnEveryStore('statements', describeStatementStore);
