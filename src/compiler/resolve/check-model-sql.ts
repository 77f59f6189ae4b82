import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { ModelDefinition } from '../../domain/model.ts';
import type { SqlText } from '../../domain/sql-text.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import type { LimitedClient } from '../../foundation/sql/library/library-client.ts';
import { readWithLibrary } from '../../foundation/sql/library/read-with-library.ts';
import { checkSqlStatement, type SqlStatementProblem } from '../load/check-sql-statement.ts';
import type { Expansion } from '../macros/expansion.ts';

/**
 * Looks at the statements beside a model's query after their macros were expanded; `written[i]` is the text of `expansion.statements[i]`,
 * undefined for the query itself. Statements of model_defaults stand in no model file and are left out.
 */
export async function checkModelSql(
  { file, dialect }: ModelDefinition,
  written: readonly (SqlText | undefined)[],
  { statements, diagnostics }: Expansion,
  library: LimitedClient,
): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = [];
  for (const [i, own] of written.entries()) {
    const expanded = statements[i];
    if (own === undefined || own.isDefault === true || expanded === undefined || expanded.text === '')
      continue;
    // A wrong macro stands as NULL, so the text around it is not what was meant.
    if (diagnostics.some((each) => isAbout(each, own))) continue;
    for (const problem of checkSqlStatement(expanded.text, dialect)) {
      if (await isReadable(problem, dialect, library)) continue;
      const at = { file, ...expanded.map.original(problem.span.start, problem.span.end) };
      found.push(describe(problem, at));
    }
  }
  return found;
}

function isAbout({ severity, at }: Diagnostic, { text, start }: SqlText): boolean {
  return severity === 'error' && (at === undefined || (at.start < start + text.length && at.end >= start));
}

/** What our parser does not know is left to the library, as with the query of a model. */
async function isReadable(
  problem: SqlStatementProblem,
  dialect: ModelDefinition['dialect'],
  library: LimitedClient,
): Promise<boolean> {
  if (problem.kind !== 'sql') return false;
  if (problem.error.kind === 'unsupported') return true;
  if (problem.sql === undefined || problem.error.kind !== 'syntax') return false;
  const second = await readWithLibrary(problem.sql, dialect, library);
  return second.ok || second.error.kind === 'timeout' || library.isSpent();
}

function describe(problem: SqlStatementProblem, at: NonNullable<Diagnostic['at']>): Diagnostic {
  switch (problem.kind) {
    case 'unclosed':
      return diagnostic('sql.syntax', { problem: `the bracket ${problem.bracket} is never closed` }, { at });
    case 'unopened':
      return diagnostic('sql.syntax', { problem: `the bracket ${problem.bracket} was never opened` }, { at });
    case 'unknown-word': {
      const { word, behind, known } = problem;
      const what =
        behind === undefined
          ? 'the beginning of a statement'
          : `a kind of object that ${behind} could be about`;
      return diagnostic('model.unknown-statement', { word, what }, { at, hint: didYouMean(word, known) });
    }
    case 'sql': {
      const { kind, message, expected } = problem.error;
      const hint = expected === undefined ? undefined : `expected ${expected}`;
      return diagnostic(`sql.${kind}`, { problem: message }, { at, hint });
    }
  }
}
