import { renderQuery, type TableStandIn } from '../../compiler/render/render-query.ts';
import { expandWithAnswers } from '../../compiler/resolve/analyze-model.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { Failure, failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import type { SqlText } from '../../domain/sql-text.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { DIALECTS, dialectOf } from '../../foundation/sql/dialect.ts';
import type { FormatOptions } from '../../foundation/sql/format/format-options.ts';
import { formatSql } from '../../foundation/sql/format/format-sql.ts';
import { transpile } from '../../foundation/sql/library/transpile.ts';
import type { SqlError } from '../../foundation/sql/sql-error.ts';
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
export interface RenderedModel {
  readonly dialect: string;
  readonly query: string;
  readonly preStatements: readonly string[];
  readonly postStatements: readonly string[];
  /** What is run when the view of an environment is pointed at the model. */
  readonly onVirtualUpdate: readonly string[];
}

/** Expands and inlines a model for an interval; tables keep their names, so that the text can be pasted into any client. */
export async function render(loaded: LoadedWorkspace, request: RenderRequest): Promise<RenderedModel> {
  const { model, times } = request;
  const columns = new Map(loaded.project.models.map(({ name, columns: own }) => [name, own]));
  const options = { times, columnsOf: (table: string) => columns.get(table) };
  const embedded = new Map<string, TableStandIn>();
  const standIn = (table: string): TableStandIn | undefined => embedded.get(table);
  // Dependencies come first, so an embedded model finds those it reads already rendered.
  const needed = embeddedUpstream(loaded, model);
  for (const parent of loaded.project.models)
    if (needed.has(parent.name))
      embedded.set(parent.name, {
        kind: 'query',
        sql: endingLine(await renderQuery(parent, loaded.surroundings, { ...options, standIn })),
      });
  const query = await renderQuery(model, loaded.surroundings, { ...options, standIn });
  const beside = await surroundingStatements(loaded, model, options);
  const dialect = request.dialect ?? model.dialect;
  const convert = async (sql: string): Promise<string> => {
    const converted = await inDialect(sql, model, dialect);
    return request.isFormatted === true
      ? laidOut(converted, model, { dialect, options: formatOptions(loaded.project.config) })
      : converted;
  };
  return {
    dialect,
    query: await convert(query),
    preStatements: await Promise.all(beside.preStatements.map(convert)),
    postStatements: await Promise.all(beside.postStatements.map(convert)),
    onVirtualUpdate: await Promise.all(beside.onVirtualUpdate.map(convert)),
  };
}

/** A comment at the end must not swallow the bracket that follows an inlined query. */
function endingLine(sql: string): string {
  return /--[^\n]*$/.test(sql) ? `${sql}\n` : sql;
}

/** Embedded models that the query reaches without a stored one in between. */
function embeddedUpstream({ project }: LoadedWorkspace, model: Model): ReadonlySet<string> {
  const byName = new Map(project.models.map((candidate) => [candidate.name, candidate]));
  const found = new Set<string>();
  const queue = [model];
  for (let at = queue.pop(); at !== undefined; at = queue.pop())
    for (const name of at.dependencies) {
      const parent = byName.get(name);
      if (parent?.kind.kind !== 'embedded' || found.has(name)) continue;
      found.add(name);
      queue.push(parent);
    }
  return found;
}

async function surroundingStatements(
  { surroundings }: LoadedWorkspace,
  model: Model,
  { times, columnsOf }: Pick<Parameters<typeof renderQuery>[2], 'times' | 'columnsOf'>,
): Promise<Pick<RenderedModel, 'preStatements' | 'postStatements' | 'onVirtualUpdate'>> {
  if (model.source.kind === 'external') return { preStatements: [], postStatements: [], onVirtualUpdate: [] };
  const { preStatements, postStatements, onVirtualUpdate } = model.source;
  const own: readonly SqlText[] = model.source.kind === 'sql' ? [model.source.query] : [];
  const context = { ...surroundings.macroContext(model, columnsOf), times };
  const { statements } = await expandWithAnswers(
    [...preStatements, ...own, ...postStatements, ...onVirtualUpdate],
    context,
    surroundings.userCode,
  );
  const texts = statements.map(({ text }) => text.trim().replace(/;$/, ''));
  const from = (start: number, count: number): readonly string[] =>
    texts.slice(start, start + count).filter((text) => text !== '');
  const afterQuery = preStatements.length + own.length;
  return {
    preStatements: from(0, preStatements.length),
    postStatements: from(afterQuery, postStatements.length),
    onVirtualUpdate: from(afterQuery + postStatements.length, onVirtualUpdate.length),
  };
}

function laidOut(
  sql: string,
  model: Model,
  { dialect, options }: { readonly dialect: string; readonly options: FormatOptions },
): string {
  const result = formatSql(sql, dialectOf(dialect) ?? model.dialect, options);
  if (result.ok) return result.value.trimEnd();
  throw notRendered(model, result.error);
}

function notRendered(model: Model, { message }: SqlError): Failure {
  return failure('cli.not-rendered', { model: model.name, detail: message.replace(/\.$/, '') });
}

async function inDialect(sql: string, model: Model, dialect: string): Promise<string> {
  if (dialectOf(dialect) === model.dialect) return sql;
  const result = await transpile(sql, model.dialect, dialect);
  if (result.ok) return result.value;
  if (dialectOf(dialect) === undefined)
    throw new Failure(
      diagnostic(
        'cli.bad-value',
        { name: '--dialect', value: dialect, expected: DIALECTS.join(', ') },
        { hint: didYouMean(dialect, DIALECTS) },
      ),
    );
  throw notRendered(model, result.error);
}
