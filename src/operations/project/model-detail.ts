import { lineage } from '../../compiler/catalog/lineage.ts';
import { standaloneModels } from '../../compiler/resolve/standalone-models.ts';
import { Failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { type ModelInfo, modelInfo } from '../../domain/model-info.ts';
import type { LoadedWorkspace } from './load-project.ts';
import { type RenderRequest, render } from './render.ts';

/** One model as `plinth info MODEL --json` prints it: what `plinth info --json` says of it, and what surrounds it. */
export interface ModelDetail extends ModelInfo {
  /** Which columns and settings the kind keeps the table by; empty when it has none. */
  readonly kind_options: Readonly<Record<string, string>>;
  /** The audits with their arguments, as SQL. */
  readonly audit_calls: readonly string[];
  /** Audits that belong to no model and read this one. */
  readonly standalone_audits: readonly string[];
  readonly dq_packs: readonly string[];
  readonly tests: readonly string[];
  readonly read_by: {
    /** Models whose queries name it. */
    readonly models: readonly string[];
    readonly semantic_models: readonly string[];
    /** Computed from its semantic models, also by way of other metrics. */
    readonly metrics: readonly string[];
  };
  readonly start: string | null;
  /** As the engine gets it; null for external tables, seeds and queries that cannot be rendered. */
  readonly sql: string | null;
}

/** Everything the project says about one model, and the reason when its SQL cannot be rendered. */
export async function modelDetail(
  loaded: LoadedWorkspace,
  model: Model,
  times: RenderRequest['times'],
): Promise<{ readonly detail: ModelDetail; readonly problem?: Diagnostic }> {
  const { project } = loaded;
  const rendered = await renderedSql(loaded, model, times);
  const detail: ModelDetail = {
    ...modelInfo(model),
    start: model.start ?? null,
    kind_options: kindOptions(model),
    audit_calls: model.audits.map(({ name, arguments: given }) => {
      const values = Object.entries(given).map(([key, value]) => `${key} := ${value}`);
      return values.length === 0 ? name : `${name}(${values.join(', ')})`;
    }),
    standalone_audits: standaloneReaders(loaded, model),
    dq_packs: project.dqPacks
      .filter((pack) => isAbout(pack.model.value, model))
      .map(({ name }) => name.value),
    tests: project.tests
      .filter(({ subject }) => subject.kind === 'model' && isAbout(subject.model.value, model))
      .map(({ name }) => name),
    read_by: readers(loaded, model),
    sql: rendered.sql,
  };
  return rendered.problem === undefined ? { detail } : { detail, problem: rendered.problem };
}

const isAbout = (written: string, { name }: Model): boolean => written.toLowerCase() === name.toLowerCase();

/** The part of the lineage below the model that does not pass through another model. */
function readers({ project }: LoadedWorkspace, model: Model): ModelDetail['read_by'] {
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

function standaloneReaders({ project }: LoadedWorkspace, model: Model): readonly string[] {
  return standaloneModels(project.audits).flatMap(({ name, inlineAudits }) =>
    inlineAudits
      .filter((audit) =>
        [...(project.auditReads?.[name]?.[audit.name] ?? []), ...audit.dependsOn].includes(model.name),
      )
      .map((audit) => audit.name),
  );
}

async function renderedSql(
  loaded: LoadedWorkspace,
  model: Model,
  times: RenderRequest['times'],
): Promise<{ readonly sql: string | null; readonly problem?: Diagnostic }> {
  if (model.source.kind !== 'sql') return { sql: null };
  try {
    return { sql: (await render(loaded, { model, times })).query };
  } catch (error) {
    if (error instanceof Failure) return { sql: null, problem: error.diagnostic };
    throw error;
  }
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
