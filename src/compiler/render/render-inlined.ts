import type { Model } from '../../domain/model.ts';
import { reachable } from '../../foundation/graph.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import type { CompileContext } from '../resolve/compile-context.ts';
import { type RenderOptions, renderQuery } from './render-query.ts';

export interface InlinedOptions extends Pick<RenderOptions, 'times' | 'runtimeStage' | 'isSelfReplaced'> {
  /** Whether the query of a parent is written out where its name stands. */
  readonly isInlined: (parent: Model) => boolean;
  /** What stands for the name of another parent, in the dialect of the query; undefined leaves the name. */
  readonly tableSql?: (name: string, dialect: Dialect) => string | undefined;
}

/** The query of a model, with the queries of parents inside that have no table of their own. */
export async function renderInlined(
  { models, compileContext }: { readonly models: readonly Model[]; readonly compileContext: CompileContext },
  model: Model,
  { isInlined, tableSql = () => undefined, ...options }: InlinedOptions,
): Promise<string> {
  const byName = new Map(models.map((each) => [each.name, each]));
  const inlined = reachable(
    [model.name],
    (name) =>
      (name === model.name ? model : byName.get(name))?.dependencies.filter((parent) => {
        const found = byName.get(parent);
        return found !== undefined && isInlined(found);
      }) ?? [],
  );
  const rendered = new Map<string, string>();
  const rendering = (each: Model): Promise<string> =>
    renderQuery(each, compileContext, {
      ...options,
      columnsOf: (table) => byName.get(table)?.columns,
      standIn(table) {
        const sql = tableSql(table, each.dialect);
        if (sql !== undefined) return { kind: 'table', sql };
        const query = rendered.get(table);
        return query === undefined ? undefined : { kind: 'query', sql: query };
      },
    });
  // Dependencies come first, so what is written out finds what it reads.
  for (const each of models)
    if (each !== model && inlined.has(each.name)) rendered.set(each.name, await rendering(each));
  return rendering(model);
}
