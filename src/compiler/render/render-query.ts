import type { Model } from '../../domain/model.ts';
import { castAliases } from '../../foundation/sql/cast-aliases.ts';
import { parseQuery } from '../../foundation/sql/parse/parse-query.ts';
import { splice } from '../../foundation/sql/splice.ts';
import { tableUses } from '../../foundation/sql/table-uses.ts';
import type { MacroContext } from '../macros/expansion.ts';
import { expandWithAnswers } from '../resolve/analyze-model.ts';
import type { Surroundings } from '../resolve/surroundings.ts';
import { seedQuery } from './seed-query.ts';

/** What stands in a rendered query for a table the model reads. */
export type TableStandIn =
  | { readonly kind: 'table'; readonly sql: string }
  | { readonly kind: 'query'; readonly sql: string };

export interface RenderOptions {
  readonly times: MacroContext['times'];
  /** Undefined leaves the name as the user wrote it. */
  readonly standIn: (table: string) => TableStandIn | undefined;
  readonly columnsOf: MacroContext['columnsOf'];
  readonly runtimeStage?: string;
}

/** The query of a model as the engine gets it: macros expanded, tables replaced in place. The user's own text is kept around what is replaced. */
export async function renderQuery(
  model: Model,
  surroundings: Surroundings,
  options: RenderOptions,
): Promise<string> {
  if (model.source.kind === 'seed') return seedQuery(model);
  if (model.source.kind === 'external') return `SELECT * FROM ${model.name}`;
  const { query, preStatements } = model.source;
  const context = surroundings.macroContext(model, options.columnsOf);
  const expansion = await expandWithAnswers(
    [...preStatements, query],
    { ...context, times: options.times, runtimeStage: options.runtimeStage ?? context.runtimeStage },
    surroundings.userCode,
  );
  const text = expansion.statements[preStatements.length]?.text.trim().replace(/;$/, '') ?? '';
  const parsed = parseQuery(text, model.dialect);
  // A query only the SQL library can read has no places of ours to splice at; its own names are all it gets.
  if (!parsed.ok) return text;
  const edits = tableUses(parsed.value).flatMap((use) => {
    if (use.isFile) return [];
    const name = surroundings.tableName(use.parts, model.dialect);
    const standIn = name === model.name ? undefined : options.standIn(name);
    if (standIn === undefined) return [];
    const alias =
      use.hasAlias || standIn.kind === 'table'
        ? ''
        : ` AS ${text.slice(use.parts.at(-1)?.span.start, use.parts.at(-1)?.span.end)}`;
    return [{ ...use.nameSpan, text: standIn.kind === 'table' ? standIn.sql : `(${standIn.sql})${alias}` }];
  });
  return splice(text, [...edits, ...castAliases(parsed.value, text)]);
}
