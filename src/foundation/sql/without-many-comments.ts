import type { Dialect } from './dialect.ts';
import { tokenize } from './tokenize.ts';

/** Fewer comments cost nothing, and a text stays as it was written. */
const COMMENTS_MAX = 100;

/**
 * Spaces in the place of comments, where there are many, so that every other place stays where it is: some engines need much longer
 * for comments than for the rest. What cannot be cut into tokens is left for the engine to refuse.
 */
export function withoutManyComments(sql: string, dialect: Dialect): string {
  // As many signs that begin one, at least.
  if ((sql.match(/--|\/\*|\/\/|#/g)?.length ?? 0) <= COMMENTS_MAX) return sql;
  const { comments } = tokenize(sql, dialect);
  if (comments.length <= COMMENTS_MAX) return sql;
  let text = '';
  let done = 0;
  for (const { start, end } of comments) {
    text += sql.slice(done, start) + sql.slice(start, end).replace(/[^\n\r]/g, ' ');
    done = end;
  }
  return text + sql.slice(done);
}
