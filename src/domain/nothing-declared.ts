import type { Model } from './model.ts';

/** What a model has that no block of properties describes. */
export const NOTHING_DECLARED = {
  columnTags: {},
  inlineAudits: [],
  declaredDependencies: [],
  partitionedBy: [],
  clusteredBy: [],
  physicalProperties: {},
  virtualProperties: {},
  sessionProperties: {},
} as const satisfies Partial<Model>;
