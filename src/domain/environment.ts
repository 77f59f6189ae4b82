import type { Snapshot } from './snapshot.ts';
import { splitName } from './snapshot.ts';

/** A name that points at one snapshot per model; the warehouse shows it as views. */
export interface Environment {
  readonly name: string;
  readonly snapshots: readonly Snapshot[];
}

/** The view under which an environment shows a model: unsuffixed in prod, `<schema>__<env>` elsewhere. */
export function viewName(model: string, environment: string): string {
  const [schema, table] = splitName(model);
  return environment === 'prod' ? `${schema}.${table}` : `${schema}__${environment}.${table}`;
}
