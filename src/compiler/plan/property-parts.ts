import type { Model } from '../../domain/model.ts';
import type { ModelKind } from '../../domain/model-kind.ts';

/*
 * What each property of a model is to its fingerprint. One decision each, written down once; a test proves that no
 * property is missing, so the author of a new one has to decide.
 *
 *   data      rows or columns of the table may differ, or the table must be rebuilt: another version
 *   sql       like data, but a list of SQL texts, in which spelling does not count
 *   metadata  the same rows in the same table, but something a user should see in a plan
 *   parents   counted through the parents part
 *   nothing   places in files, and what is counted elsewhere
 */
export type PropertyPart = 'data' | 'sql' | 'metadata' | 'parents' | 'nothing';

/** Every key of a model. */
export const MODEL_PARTS: Readonly<Record<keyof Model, PropertyPart>> = {
  // Two models of the same text are two snapshots.
  name: 'data',
  file: 'nothing',
  // By option, below.
  kind: 'nothing',
  // By its hashes, and the columns of a seed.
  source: 'nothing',
  // The same text may mean other rows.
  dialect: 'data',
  cron: 'metadata',
  cronTz: 'metadata',
  intervalUnit: 'metadata',
  start: 'metadata',
  end: 'metadata',
  grains: 'metadata',
  references: 'metadata',
  owner: 'metadata',
  description: 'metadata',
  tags: 'metadata',
  terms: 'metadata',
  // The table is created with them.
  declaredColumns: 'data',
  columnDescriptions: 'nothing',
  columnTags: 'metadata',
  // With their definitions: see `auditsPart`.
  audits: 'nothing',
  inlineAudits: 'nothing',
  declaredDependencies: 'parents',
  // Where the kind replaces rows by partition; elsewhere it has no effect.
  partitionedBy: 'sql',
  // Without effect: the load notes it.
  clusteredBy: 'nothing',
  tableFormat: 'nothing',
  storageFormat: 'nothing',
  // Engine hints; the rows stay the same, and a table keeps those it was made with.
  physicalProperties: 'metadata',
  virtualProperties: 'metadata',
  // A time zone or a collation changes what a query returns.
  sessionProperties: 'data',
  // Exists to force a new version.
  stamp: 'data',
  isEnabled: 'nothing',
  allowPartials: 'metadata',
  // Another warehouse.
  gateway: 'data',
  ignoredRules: 'nothing',
  signals: 'metadata',
  profiles: 'metadata',
  optimizeQuery: 'metadata',
  freshness: 'metadata',
  // Through the expanded query.
  blueprint: 'nothing',
  // Its name and query follow from it.
  rollup: 'nothing',
  ranges: 'nothing',
  dependencies: 'parents',
  // Their descriptions are metadata, see `metadataPart`; names and types follow from query and parents.
  columns: 'nothing',
  hasAllColumns: 'nothing',
  lineage: 'nothing',
  reads: 'nothing',
  deciding: 'nothing',
  joining: 'nothing',
  queryHash: 'data',
  statementsHash: 'data',
  hiddenHash: 'data',
  virtualUpdateHash: 'metadata',
  commonTables: 'nothing',
  usedMacros: 'nothing',
};

type KeysOf<Union> = Union extends unknown ? keyof Union : never;

/** Every option of every kind, `kind` itself included. */
export const KIND_PARTS: Readonly<Record<KeysOf<ModelKind>, PropertyPart>> = {
  kind: 'data',
  materialized: 'data',
  timeColumn: 'data',
  strictTime: 'metadata',
  autoRestatementIntervals: 'metadata',
  autoRestatementCron: 'metadata',
  partitionByTimeColumn: 'data',
  uniqueKey: 'sql',
  whenMatched: 'sql',
  mergeFilter: 'sql',
  insertOverwrite: 'data',
  updatedAtName: 'data',
  updatedAtAsValidFrom: 'data',
  columns: 'data',
  executionTimeAsValidFrom: 'data',
  // Which intervals are processed again, never what an interval's rows are.
  lookback: 'metadata',
  batchSize: 'metadata',
  batchConcurrency: 'metadata',
  forwardOnly: 'metadata',
  disableRestatement: 'metadata',
  onDestructiveChange: 'metadata',
  onAdditiveChange: 'metadata',
  validFromName: 'data',
  validToName: 'data',
  timeDataType: 'data',
  invalidateHardDeletes: 'data',
  // The content counts, not where it lies.
  path: 'nothing',
  csv: 'data',
  materialization: 'data',
  properties: 'data',
};

/** What the user calls a property, for reasons in plans: as it stands in the MODEL block. */
export function propertyWord(key: string): string {
  const known: Readonly<Record<string, string>> = {
    declaredColumns: 'columns',
    queryHash: 'query',
    statementsHash: 'pre- or post-statements',
    hiddenHash: 'text with macros that decide by time or stage',
    csv: 'csv_settings',
  };
  return known[key] ?? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
