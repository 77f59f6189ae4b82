import { inDialect, notRendered } from '../../compiler/render/in-dialect.ts';
import { renderInlined } from '../../compiler/render/render-inlined.ts';
import { type StatementsBeside, statementsBeside } from '../../compiler/render/statements-beside.ts';
import type { Model } from '../../domain/model.ts';
import { dialectOf } from '../../foundation/sql/dialect.ts';
import { formatSql } from '../../foundation/sql/format/format-sql.ts';
import { formatOptions } from './format-files.ts';
import type { LoadedWorkspace } from './load-project.ts';

export interface RenderRequest {
  readonly model: Model;
  /** Epoch milliseconds; the interval is half-open. */
  readonly times: { readonly start: number; readonly end: number; readonly execution: number };
  /** As the user wrote it; undefined is the model's own. */
  readonly dialect?: string | undefined;
  /** Lay the text out as `plinth format` does. */
  readonly isFormatted?: boolean;
}

/** The statements of a model, ready for an engine: none ends with a semicolon. */
export interface RenderedModel extends StatementsBeside {
  readonly dialect: string;
  readonly query: string;
}

/** Expands and inlines a model for an interval; tables keep their names, so that the text can be pasted into any client. */
export async function render(loaded: LoadedWorkspace, request: RenderRequest): Promise<RenderedModel> {
  const { project, compileContext } = loaded;
  const { model, times, dialect = model.dialect } = request;
  const query = await renderInlined({ models: project.models, compileContext }, model, {
    times,
    isInlined: ({ kind }) => kind.kind === 'embedded',
  });
  const columns = new Map(project.models.map(({ name, columns: own }) => [name, own]));
  const beside = await statementsBeside(model, compileContext, {
    times,
    columnsOf: (table) => columns.get(table),
  });
  const convert = async (sql: string): Promise<string> => {
    const converted = await inDialect(sql, model, dialect);
    return request.isFormatted === true ? laidOut(converted, { loaded, model, dialect }) : converted;
  };
  return {
    dialect,
    query: await convert(query),
    preStatements: await Promise.all(beside.preStatements.map(convert)),
    postStatements: await Promise.all(beside.postStatements.map(convert)),
    onVirtualUpdate: await Promise.all(beside.onVirtualUpdate.map(convert)),
  };
}

function laidOut(
  sql: string,
  {
    loaded,
    model,
    dialect,
  }: { readonly loaded: LoadedWorkspace; readonly model: Model; readonly dialect: string },
): string {
  const options = formatOptions(loaded.project.config);
  const result = formatSql(sql, dialectOf(dialect) ?? model.dialect, options);
  if (result.ok) return result.value.trimEnd();
  throw notRendered(model, result.error);
}
