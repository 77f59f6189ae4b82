import { hash128 } from '../foundation/hash128.ts';
import type { Model } from './model.ts';

/** One model as `plinth info --json` prints it; names and values are part of the machine contract. */
export interface ModelInfo {
  readonly name: string;
  readonly kind: string;
  readonly file: string;
  readonly dialect: string;
  readonly cron: string;
  readonly owner: string | null;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly grains: readonly (readonly string[])[];
  readonly dependencies: readonly string[];
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly description: string | null;
  }[];
  /** False when a star over an unknown table left the list of columns open. */
  readonly has_all_columns: boolean;
  readonly audits: readonly string[];
  readonly query_hash: string | null;
  readonly lineage_digest: string;
}

export function modelInfo(model: Model): ModelInfo {
  return {
    ...modelFacts(model),
    query_hash: model.queryHash ?? null,
    lineage_digest: lineageDigest(model),
  };
}

/** The same without hashes, which take time. */
export function modelFacts(model: Model): Omit<ModelInfo, 'query_hash' | 'lineage_digest'> {
  return {
    name: model.name,
    kind: model.kind.kind,
    file: model.file,
    dialect: model.dialect,
    cron: model.cron,
    owner: model.owner ?? null,
    description: model.description ?? null,
    tags: model.tags,
    grains: model.grains,
    dependencies: model.dependencies,
    columns: model.columns.map(({ name, type, description }) => ({
      name,
      type,
      description: description ?? null,
    })),
    has_all_columns: model.hasAllColumns,
    audits: model.audits.map(({ name }) => name),
  };
}

/** A hash over the complete column lineage of a model: each column, how it is made, and every source column, sorted. */
function lineageDigest({ lineage }: Model): string {
  let text = '';
  for (const { column, transformation, sources } of lineage) {
    const names = sources.map((source) => `${source.model}\u0001${source.column}`);
    // Columns of one table usually come sorted; sorting is only paid for where it is needed.
    if (names.some((name, index) => index > 0 && name < (names[index - 1] as string))) names.sort();
    text += `${column}\u0002${transformation}\u0002${names.join('\u0003')}\n`;
  }
  return hash128(text);
}
