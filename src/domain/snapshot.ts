import { hash128 } from '../foundation/hash.ts';
import type { Model } from './model.ts';
import { splitModelName } from './model-name.ts';

/** One state of a model, identified by its fingerprint. Walking skeleton: fingerprint and version are one. */
export interface Snapshot {
  readonly model: string;
  readonly kind: string;
  readonly fingerprint: string;
  readonly table: string;
}

export function snapshotOf(model: Model, parents: readonly Snapshot[]): Snapshot {
  const content = model.source.kind === 'seed' ? model.source.contentHash : (model.queryHash ?? '');
  const fingerprint = hash128(
    model.name,
    JSON.stringify(model.kind),
    content,
    ...parents.map((parent) => parent.fingerprint),
  );
  const [schema, table] = splitName(model.name);
  return {
    model: model.name,
    kind: model.kind.kind,
    fingerprint,
    table: `plinth__${schema}.${table}__${fingerprint}`,
  };
}

/** Schema and table of a model name; a name without a schema lives in `main`. */
export function splitName(name: string): readonly [schema: string, table: string] {
  const { schema = 'main', table } = splitModelName(name);
  return [schema, table];
}
