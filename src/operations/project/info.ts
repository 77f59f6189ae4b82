import type { Model } from '../../domain/model.ts';
import type { Project } from '../../domain/project.ts';
import { hash128 } from '../../foundation/hash128.ts';
import type { LoadedWorkspace } from './load-project.ts';

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
export function lineageDigest({ lineage }: Model): string {
  let text = '';
  for (const { column, transformation, sources } of lineage) {
    const names = sources.map((source) => `${source.model}\u0001${source.column}`);
    // Columns of one table usually come sorted; sorting is only paid for where it is needed.
    if (names.some((name, index) => index > 0 && name < (names[index - 1] as string))) names.sort();
    text += `${column}\u0002${transformation}\u0002${names.join('\u0003')}\n`;
  }
  return hash128(text);
}

/** What a project holds besides its models, and how much work loading it was. */
export function projectInfo({
  project,
  brokenNames,
  work,
}: LoadedWorkspace): Readonly<Record<string, unknown>> {
  const { config } = project;
  return {
    name: config.name,
    tenant: config.tenant,
    display_name: config.displayName ?? null,
    version: config.version ?? null,
    description: config.description ?? null,
    owner: config.owner ?? null,
    gateway: config.defaultGateway,
    counts: { models: project.models.length, by_kind: countsByKind(project) },
    undeclared_externals: undeclaredExternals({ project, brokenNames }),
    semantic_models: project.semanticModels.map(
      ({ name, file, model, dimensions, measures, segments, joins }) => ({
        name: name.value,
        file,
        model: model.value,
        dimensions: dimensions?.map((dimension) => dimension.name.value) ?? null,
        measures: measures.map((measure) => measure.name.value),
        segments: segments.map((segment) => segment.name.value),
        joins: joins.map((join) => join.name.value),
      }),
    ),
    metrics: project.metrics.map(({ name, file, calculation, owner }) => ({
      name: name.value,
      file,
      kind: calculation.kind,
      owner: owner ?? null,
    })),
    audits: project.audits.map((audit) => ({
      name: audit.name,
      file: audit.file,
      blocking: audit.isBlocking,
      standalone: audit.isStandalone,
      description: audit.description ?? null,
      owner: audit.owner ?? null,
      tags: audit.tags,
      depends_on: audit.dependsOn,
    })),
    dq_packs: project.dqPacks.map(({ name, file, model, rules }) => ({
      name: name.value,
      file,
      model: model.value,
      rules: rules.map((rule) => rule.name),
    })),
    tests: project.tests.map(({ name, file, subject }) => ({
      name,
      file,
      model: subject.kind === 'model' ? subject.model.value : null,
    })),
    work,
  };
}

/** How many models there are of each kind, the most frequent first. */
export function countsByKind({ models }: Project): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { kind } of models) counts.set(kind.kind, (counts.get(kind.kind) ?? 0) + 1);
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
}

/** Tables that are read and that no file defines, sorted; a model whose file is wrong is defined all the same. */
export function undeclaredExternals({
  project: { models },
  brokenNames,
}: Pick<LoadedWorkspace, 'project' | 'brokenNames'>): readonly string[] {
  const known = new Set([...brokenNames, ...models.map(({ name }) => name)]);
  const missing = new Set<string>();
  for (const { dependencies } of models)
    for (const name of dependencies) if (!known.has(name)) missing.add(name);
  return [...missing].sort();
}
