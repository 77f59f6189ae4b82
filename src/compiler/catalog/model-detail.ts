import type { Model } from '../../domain/model.ts';
import type { ModelDetail } from '../../domain/model-detail.ts';
import { modelInfo } from '../../domain/model-info.ts';
import type { Project } from '../../domain/project.ts';
import { standaloneModels } from '../../domain/standalone-models.ts';
import { lineage } from './lineage.ts';

/** Everything the project says about one model; `sql` is its query as the engine gets it, null without one. */
export function modelDetail(project: Project, model: Model, sql: string | null): ModelDetail {
  return {
    ...modelInfo(model),
    start: model.start ?? null,
    kind_options: kindOptions(model),
    audit_calls: model.audits.map(({ name, arguments: given }) => {
      const values = Object.entries(given).map(([key, value]) => `${key} := ${value}`);
      return values.length === 0 ? name : `${name}(${values.join(', ')})`;
    }),
    standalone_audits: standaloneReaders(project, model),
    dq_packs: project.dqPacks
      .filter((pack) => isAbout(pack.model.value, model))
      .map(({ name }) => name.value),
    tests: project.tests
      .filter(({ subject }) => subject.kind === 'model' && isAbout(subject.model.value, model))
      .map(({ name }) => name),
    read_by: readers(project, model),
    sql,
  };
}

const isAbout = (written: string, { name }: Model): boolean => written.toLowerCase() === name.toLowerCase();

/** The part of the lineage below the model that does not pass through another model. */
function readers(project: Project, model: Model): ModelDetail['read_by'] {
  const near = lineage(project, { model, direction: 'downstream', depthMax: 1 }).nodes;
  const semantics = near.filter(({ kind }) => kind === 'semantic');
  const metrics = new Set(
    semantics.flatMap(({ id }) =>
      lineage(project, { node: id, direction: 'downstream', depthMax: Number.POSITIVE_INFINITY })
        .nodes.filter(({ kind }) => kind === 'metric')
        .map(({ name }) => name),
    ),
  );
  const models = near.filter(({ id, kind }) => id !== model.name && kind !== 'semantic');
  return {
    models: models.map(({ name }) => name),
    semantic_models: semantics.map(({ name }) => name),
    metrics: [...metrics],
  };
}

function standaloneReaders(project: Project, model: Model): readonly string[] {
  return standaloneModels(project.audits).flatMap(({ name, inlineAudits }) =>
    inlineAudits
      .filter((audit) =>
        [...(project.auditReads?.[name]?.[audit.name] ?? []), ...audit.dependsOn].includes(model.name),
      )
      .map((audit) => audit.name),
  );
}

function kindOptions({ kind }: Model): Readonly<Record<string, string>> {
  switch (kind.kind) {
    case 'incremental-by-time-range':
      return { 'time column': kind.timeColumn.column };
    case 'incremental-by-unique-key':
    case 'scd-type-2-by-time':
    case 'scd-type-2-by-column':
      return { 'unique key': kind.uniqueKey.join(', ') };
    case 'seed':
      return { path: kind.path };
    case 'custom':
      return { materialization: kind.materialization };
    default:
      return {};
  }
}
