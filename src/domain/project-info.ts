import type { Project } from './project.ts';

interface ProjectWithNames {
  readonly project: Project;
  /** Models that files meant to define but that cannot be used. */
  readonly brokenNames: ReadonlySet<string>;
}

/** What a project holds besides its models, and how much work loading it was. */
export function projectInfo({
  project,
  brokenNames,
  work,
}: ProjectWithNames & { readonly work: Readonly<Record<string, number>> }): Readonly<
  Record<string, unknown>
> {
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
}: ProjectWithNames): readonly string[] {
  const known = new Set([...brokenNames, ...models.map(({ name }) => name)]);
  const missing = new Set<string>();
  for (const { dependencies } of models)
    for (const name of dependencies) if (!known.has(name)) missing.add(name);
  return [...missing].sort();
}
