import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { SourceFile } from '../../domain/source-file.ts';
import type { Diagnostic, SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import type { Token } from '../../foundation/sql/token.ts';
import { forbiddenSql, isQuery, type SqlStatement, soleMacroCall } from './cut-sql-statements.ts';

/** What follows the block of a model: statements around at most one query. */
export interface ModelBody {
  readonly query?: SqlStatement | undefined;
  /** Further queries, which a model must not have. */
  readonly extraQueries: readonly SqlStatement[];
  readonly preStatements: readonly SqlStatement[];
  readonly postStatements: readonly SqlStatement[];
  readonly onVirtualUpdate: readonly SqlStatement[];
  /** `@INSERT_SEED()` splits the statements of a seed that has no query. */
  readonly hasSeedMark: boolean;
  /** Where each forbidden statement stands; whether settings are locked is the engine's matter. */
  readonly settings: readonly { readonly words: string; readonly at: SourceRange }[];
}

/** Macro calls that are never the query of a model, even when they stand alone. */
const STATEMENT_MACROS = new Set(['DEF', 'INSERT_SEED']);

/** Sorts the statements of a model file; transaction control is reported. */
export function readModelBody(
  file: SourceFile,
  tokens: readonly Token[],
  statements: readonly SqlStatement[],
  diagnostics: Diagnostic[],
): ModelBody {
  const inline = statements.filter((s) => !s.isVirtualUpdate);
  const queries = inline.filter((s) => isQuery(tokens, s));
  if (queries.length === 0) queries.push(...soleCalls(tokens, inline));
  const query = queries[0];
  const mark = inline.find((s) => soleMacroCall(tokens, s) === 'INSERT_SEED');
  const middle = query ?? mark;
  const middleAt = middle?.sql.start ?? Number.POSITIVE_INFINITY;
  const isQueryToo = new Set(queries);
  const others = inline.filter((s) => s !== middle && !isQueryToo.has(s));
  const settings: { words: string; at: SourceRange }[] = [];
  for (const statement of statements) {
    if (statement === query) continue;
    const forbidden = forbiddenSql(tokens, statement);
    if (forbidden === undefined) continue;
    const place = { file: file.path, start: forbidden.start, end: forbidden.end };
    if (forbidden.kind === 'setting') settings.push({ words: forbidden.words, at: place });
    else
      diagnostics.push(
        diagnostic('model.transaction-control', { statement: forbidden.words }, { at: place }),
      );
  }
  return {
    query,
    extraQueries: queries.slice(1),
    preStatements: others.filter((s) => s.sql.start < middleAt),
    postStatements: others.filter((s) => s.sql.start > middleAt),
    onVirtualUpdate: statements.filter((s) => s.isVirtualUpdate),
    hasSeedMark: mark !== undefined,
    settings,
  };
}

/** A macro call that stands alone in a file without any other query is the query; of several, none is. */
function soleCalls(tokens: readonly Token[], statements: readonly SqlStatement[]): readonly SqlStatement[] {
  const calls = statements.filter((s) => {
    const macro = soleMacroCall(tokens, s);
    return macro !== undefined && !STATEMENT_MACROS.has(macro);
  });
  return calls.length === 1 ? calls : [];
}
