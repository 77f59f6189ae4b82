import type { Model } from '../../domain/model.ts';
import type { SqlText } from '../../domain/sql-text.ts';
import type { ExpansionContext } from '../macros/expansion.ts';
import { expandWithAnswers } from '../resolve/analyze-model.ts';
import type { CompileContext } from '../resolve/compile-context.ts';

/** Statements of a model beside its query, in its own dialect: none is empty or ends with a semicolon. */
export interface StatementsBeside {
  readonly preStatements: readonly string[];
  readonly postStatements: readonly string[];
  /** What is run when the view of an environment is pointed at the model. */
  readonly onVirtualUpdate: readonly string[];
}

/** Expanded together with the query, since macros of one can define what another uses. */
export async function statementsBeside(
  model: Model,
  compileContext: CompileContext,
  { times, columnsOf }: Pick<ExpansionContext, 'times' | 'columnsOf'>,
): Promise<StatementsBeside> {
  if (model.source.kind === 'external') return { preStatements: [], postStatements: [], onVirtualUpdate: [] };
  const { preStatements, postStatements, onVirtualUpdate } = model.source;
  const own: readonly SqlText[] = model.source.kind === 'sql' ? [model.source.query] : [];
  const context = { ...compileContext.macroContext(model, columnsOf), times };
  const { statements } = await expandWithAnswers(
    [...preStatements, ...own, ...postStatements, ...onVirtualUpdate],
    context,
    compileContext.userCode,
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
