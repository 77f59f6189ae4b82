import type { ModelSource } from '../../domain/model.ts';
import { castColumn } from '../../foundation/sql/cast-aliases.ts';
import type { Comment } from '../../foundation/sql/token.ts';
import type { Projection, Query, QueryBody, Select } from '../../foundation/sql/tree.ts';
import { commentText } from './comment-text.ts';

/**
 * Descriptions of output columns from the comments beside them, by lower-case column name:
 *
 *   SELECT
 *     id,          -- behind a projection (also behind its comma): describes it
 *     -- above a projection: describes the next one
 *     amount
 *
 * `comments` are offsets into `text`, the text that was parsed. Comments inside an expression describe nothing.
 */
export function columnComments(
  query: Query,
  text: string,
  comments: readonly Comment[],
): Readonly<Record<string, string>> {
  const select = firstSelect(query.body);
  if (select === undefined || comments.length === 0) return {};
  const projections = select.projections.filter((p) => p.span.end > p.span.start);
  const lines = new Map<string, string[]>();
  const describe = (owner: Projection | undefined, comment: Comment): void => {
    const name = owner === undefined ? undefined : outputName(owner);
    const words = commentText(comment.text);
    if (name === undefined || words === '') return;
    const known = lines.get(name);
    if (known === undefined) lines.set(name, [words]);
    else known.push(words);
  };
  let next = 0;
  for (let i = 0; i <= projections.length; i++) {
    const [previous, following] = [projections[i - 1], projections[i]];
    const from = previous?.span.end ?? 0;
    while (next < comments.length && (comments[next] as Comment).start < from) next++;
    const inGap: Comment[] = [];
    while (
      next < comments.length &&
      (comments[next] as Comment).start < (following?.span.start ?? Number.POSITIVE_INFINITY)
    )
      inGap.push(comments[next++] as Comment);
    const gap = readGap(
      text,
      previous === undefined ? headOfGap(text, inGap, following) : from,
      inGap,
      previous !== undefined,
    );
    for (const comment of gap.behind) describe(previous, comment);
    for (const comment of gap.above) describe(following, comment);
  }
  return Object.fromEntries([...lines].map(([name, parts]) => [name, parts.join('\n')]));
}

/** Sorts the comments between two projections into those behind the first and those above the second; one pass over the gap. */
function readGap(
  text: string,
  from: number,
  comments: readonly Comment[],
  hasPrevious: boolean,
): { readonly behind: readonly Comment[]; readonly above: readonly Comment[] } {
  const behind: Comment[] = [];
  let above: Comment[] = [];
  let [isSameLine, hasOther, at] = [hasPrevious, false, from];
  for (const comment of comments) {
    if (comment.start < from) continue;
    const between = text.slice(at, comment.start);
    if (/[^\s,(]/.test(between)) [hasOther, above] = [true, []];
    if (between.includes('\n')) isSameLine = false;
    if (isSameLine && !hasOther) behind.push(comment);
    else if (!isSameLine || above.length > 0) above.push(comment);
    at = comment.end;
  }
  return { behind, above };
}

/** Before the first projection stand SELECT and perhaps long common tables: only the run of comments directly above it counts. */
function headOfGap(text: string, comments: readonly Comment[], first: Projection | undefined): number {
  let at = first?.span.start ?? 0;
  for (const comment of comments.toReversed()) {
    if (/[^\s(]/.test(text.slice(comment.end, at))) break;
    const line = text.slice(text.lastIndexOf('\n', comment.start - 1) + 1, comment.start);
    if (line.trim() !== '' && !line.trimEnd().endsWith('*/')) break;
    at = comment.start;
  }
  return at;
}

/** The comments of a model's file as offsets into its query as written. */
export function commentsOfQuery(source: Extract<ModelSource, { readonly kind: 'sql' }>): readonly Comment[] {
  const { start } = source.query;
  return source.comments.map((comment) => ({
    ...comment,
    start: comment.start - start,
    end: comment.end - start,
  }));
}

function firstSelect(body: QueryBody): Select | undefined {
  switch (body.kind) {
    case 'select':
      return body;
    case 'set-operation':
      return firstSelect(body.left);
    case 'nested':
      return firstSelect(body.query.body);
    default:
      return undefined;
  }
}

function outputName({ alias, expression }: Projection): string | undefined {
  if (alias !== undefined) return alias.name.toLowerCase();
  const column = expression.kind === 'column' ? expression.name : castColumn(expression);
  return column?.name.toLowerCase();
}
