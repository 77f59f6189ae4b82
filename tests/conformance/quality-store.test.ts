/** Every state store keeps the history of quality as its port says. */
import { describeOnEveryStore } from './every-state-store.ts';
import { describeQualityStore } from './quality-store.ts';

describeOnEveryStore('quality', describeQualityStore);
