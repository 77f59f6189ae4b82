import type { SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { identifierText, tokenize } from '../../foundation/sql/tokenize.ts';

/** Where a column is named inside a range of a file; the whole range when a macro or a default put the name there. */
export function placeOfColumn(
  range: SourceRange,
  column: string,
  files: ReadonlyMap<string, string>,
  dialect: Dialect,
): SourceRange {
  const text = files.get(range.file)?.slice(range.start, range.end) ?? '';
  const { tokens } = tokenize(text, dialect);
  const found = tokens.find((token, i) => {
    if (token.kind !== 'word' && token.kind !== 'name') return false;
    // `column := …` names an argument and `column(` a function.
    const next = tokens[i + 1]?.text;
    if (next === ':=' || next === '=>' || next === '(' || tokens[i - 1]?.kind === 'at') return false;
    if (next === ':' && tokens[i + 2]?.text === '=') return false;
    return identifierText(token).toLowerCase() === column.toLowerCase();
  });
  return found === undefined
    ? range
    : { file: range.file, start: range.start + found.start, end: range.start + found.end };
}
