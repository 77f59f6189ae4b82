import { ACCESS_DEFECTS } from './access-defects.ts';
import type { Defect } from './defect.ts';
import { FUNCTIONS_DEFECTS } from './functions-defects.ts';
import { IMPACT_DEFECTS } from './impact-defects.ts';
import { KEPT_DEFECTS } from './kept-defects.ts';
import { KEYS_DEFECTS } from './keys-defects.ts';
import { QUALITY_DEFECTS } from './quality-defects.ts';
import { ROWS_DEFECTS } from './rows-defects.ts';
import { SEMANTICS_DEFECTS } from './semantics-defects.ts';
import { SINGLE_DEFECTS } from './single-defects.ts';

/** Defects by what a mechanism was built to find; a mechanism that misses one fails. */
export const DEFECTS_BY_TOPIC: Readonly<Record<string, readonly Defect[]>> = {
  access: ACCESS_DEFECTS,
  rows: ROWS_DEFECTS,
  semantics: SEMANTICS_DEFECTS,
  keys: KEYS_DEFECTS,
  functions: FUNCTIONS_DEFECTS,
  kept: KEPT_DEFECTS,
  impact: IMPACT_DEFECTS,
  quality: QUALITY_DEFECTS,
  single: SINGLE_DEFECTS,
};

export const KNOWN_DEFECTS: readonly Defect[] = Object.values(DEFECTS_BY_TOPIC).flat();
