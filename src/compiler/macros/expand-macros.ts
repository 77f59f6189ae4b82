import type { SqlText } from '../../domain/sql-text.ts';
import { tokenize } from '../../foundation/sql/tokenize.ts';
import { expandJinja } from './expand-jinja.ts';
import type { ExpandedText, ExpandMacros, Expansion } from './expansion.ts';
import { copiedFragment, type Fragment, offsetMap } from './fragment.ts';
import { MacroExpander } from './macro-expander.ts';
import { MacroStop } from './problems.ts';

/**
 * Expands the macros of statements in order. Text without macros is returned as it is, after one scan for the macro sign.
 * What is wrong comes back as diagnostics; such a statement's text is not fit to be run.
 */
export const expandMacros: ExpandMacros = (statements, context): Expansion => {
  if (!statements.some(({ text, isJinja }) => isJinja || text.includes('@'))) return unchanged(statements);
  const expander = new MacroExpander(context);
  const expanded: ExpandedText[] = [];
  for (const statement of statements) expanded.push(expandStatement(statement, expander));
  const { reads, userCalls } = expander;
  return {
    statements: expanded,
    diagnostics: expander.diagnostics,
    usedVariables: [...reads.variables],
    usedFunctions: [...reads.functions],
    usedTables: [...reads.tables],
    usedContext: [...reads.context],
    needs: [...userCalls.needs].map(([key, call]) => ({ key, call })),
  };
};

function unchanged(statements: readonly SqlText[]): Expansion {
  const texts = statements.map(({ text, start }) => textOf(copiedFragment(text, start)));
  return {
    statements: texts,
    diagnostics: [],
    usedVariables: [],
    usedFunctions: [],
    usedTables: [],
    usedContext: [],
    needs: [],
  };
}

function expandStatement(statement: SqlText, expander: MacroExpander): ExpandedText {
  const fragment = statement.isJinja
    ? expandJinja(statement, expander.context, expander.reads, (found) => expander.report(found))
    : copiedFragment(statement.text, statement.start);
  if (fragment === undefined)
    return { text: '', map: offsetMap(copiedFragment(statement.text, statement.start)) };
  if (!fragment.text.includes('@')) return textOf(fragment);
  try {
    return textOf(expander.statement(fragment));
  } catch (error) {
    if (!(error instanceof MacroStop)) throw error;
    expander.report(error.diagnostic);
    return { text: '', map: offsetMap(fragment) };
  }
}

function textOf(fragment: Fragment): ExpandedText {
  return { text: isBlank(fragment.text) ? '' : fragment.text, map: offsetMap(fragment) };
}

/** Nothing but blanks, comments and semicolons is left. */
function isBlank(text: string): boolean {
  return (
    /^\s*($|;|--|\/\*)/.test(text) &&
    tokenize(text).tokens.every(({ kind, text: word }) => kind === 'end' || word === ';')
  );
}
