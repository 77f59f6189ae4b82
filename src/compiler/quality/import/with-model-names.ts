import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { parseQuery } from '../../../foundation/sql/parse/parse-query.ts';
import { splice } from '../../../foundation/sql/splice.ts';
import { tableUses } from '../../../foundation/sql/table-uses.ts';
import type { ImportedModel } from './imported-model.ts';
import { matchTable } from './match-table.ts';

/**
 * A query with the names of its tables replaced by those of the models they mean. A table that was named without an alias keeps its
 * own name as one, because other places of the query may use it. What cannot be read stays as it is, and the loader says what is wrong with it.
 */
export function withModelNames(
  query: string,
  models: readonly Pick<ImportedModel, 'name' | 'alsoCalled'>[],
  dialect: Dialect,
): string {
  const parsed = parseQuery(query, dialect);
  if (!parsed.ok) return query;
  const edits = tableUses(parsed.value).flatMap(({ parts, nameSpan, isFile, hasAlias }) => {
    const written = query.slice(nameSpan.start, nameSpan.end);
    const matched = isFile ? undefined : matchTable(written, models);
    if (matched?.kind !== 'model' || matched.name.toLowerCase() === written.toLowerCase()) return [];
    const last = parts.at(-1);
    const own = last === undefined ? '' : query.slice(last.span.start, last.span.end);
    const text = hasAlias || own === '' ? matched.name : `${matched.name} AS ${own}`;
    return [{ start: nameSpan.start, end: nameSpan.end, text }];
  });
  return splice(query, edits);
}
