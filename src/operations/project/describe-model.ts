import { modelDetail } from '../../compiler/catalog/model-detail.ts';
import { Failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import type { ModelDetail } from '../../domain/model-detail.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { LoadedWorkspace } from './load-project.ts';
import { type RenderRequest, render } from './render.ts';

/** Everything the project says about one model, and the reason when its SQL cannot be rendered. */
export async function describeModel(
  loaded: LoadedWorkspace,
  model: Model,
  times: RenderRequest['times'],
): Promise<{ readonly detail: ModelDetail; readonly problem?: Diagnostic }> {
  const { sql, ...problem } = await renderedSql(loaded, model, times);
  return { detail: modelDetail(loaded.project, model, sql), ...problem };
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
