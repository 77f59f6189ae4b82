import { ACCESS_DEFECTS } from './access-defects.ts';
import type { Defect } from './defect.ts';
import { KEYS_DEFECTS } from './keys-defects.ts';
import { ROWS_DEFECTS } from './rows-defects.ts';
import { SEMANTICS_DEFECTS } from './semantics-defects.ts';

/** Every defect that a mechanism was built to find; a mechanism that misses one fails. */
export const KNOWN_DEFECTS: readonly Defect[] = [
  ...ACCESS_DEFECTS,
  ...SEMANTICS_DEFECTS,
  ...KEYS_DEFECTS,
  ...ROWS_DEFECTS,
];
