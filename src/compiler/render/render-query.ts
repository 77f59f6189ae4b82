import type { Model } from '../../domain/model.ts';
import { castAliases } from '../../foundation/sql/cast-aliases.ts';
import type { ExpansionContext } from '../macros/expansion.ts';
import { expandWithAnswers } from '../resolve/analyze-model.ts';
import type { CompileContext } from '../resolve/compile-context.ts';
import { replaceTables, type TableStandIn } from './replace-tables.ts';
import { seedQuery } from './seed-query.ts';

export type { TableStandIn } from './replace-tables.ts';

export interface RenderOptions {
  readonly times: ExpansionContext['times'];
  /** Undefined leaves the name as the user wrote it. */
  readonly standIn: (table: string) => TableStandIn | undefined;
  readonly columnsOf: ExpansionContext['columnsOf'];
  readonly runtimeStage?: string;
  /** Whether the table of the model itself has a stand-in, too. */
  readonly isSelfReplaced?: boolean;
}

/** The query of a model in its own dialect: macros expanded, tables replaced in place. The user's own text is kept around what is replaced. */
export async function renderQuery(
  model: Model,
  compileContext: CompileContext,
  options: RenderOptions,
): Promise<string> {
  if (model.source.kind === 'seed') return seedQuery(model);
  if (model.source.kind === 'external') return `SELECT * FROM ${model.name}`;
  const { query, preStatements } = model.source;
  const context = compileContext.macroContext(model, options.columnsOf);
  const expansion = await expandWithAnswers(
    [...preStatements, query],
    { ...context, times: options.times, runtimeStage: options.runtimeStage ?? context.runtimeStage },
    compileContext.userCode,
  );
  const text = expansion.statements[preStatements.length]?.text.trim().replace(/;$/, '') ?? '';
  let isReplaced = false;
  const replaced = await replaceTables(
    { text, dialect: model.dialect },
    (parts, dialect) => {
      const name = compileContext.tableName(parts, dialect);
      const isLeft = name === model.name && options.isSelfReplaced !== true;
      const standIn = isLeft ? undefined : options.standIn(name);
      isReplaced ||= standIn !== undefined;
      return standIn;
    },
    { more: castAliases, library: compileContext.library },
  );
  // What only the SQL library could read is shown as written, unless a table had to be replaced in it.
  if (replaced === undefined || (replaced.dialect !== model.dialect && !isReplaced)) return text;
  return replaced.text;
}
