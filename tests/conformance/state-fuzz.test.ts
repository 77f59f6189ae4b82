/** Random calls of four processes, on SQLite and on PostgreSQL. */
import { describeOnEveryStore } from './every-state-store.ts';
import { describeStateFuzz } from './state-fuzz.ts';

describeOnEveryStore('random calls', describeStateFuzz);
