import type { Dialect } from '../../foundation/sql/dialect.ts';
import { tokenize } from '../../foundation/sql/tokenize.ts';

const BEGIN = /\bJINJA_(?:QUERY|STATEMENT)_BEGIN\b\s*;/gi;
const END = /\bJINJA_(?:QUERY_|STATEMENT_)?END\b/gi;

/**
 * The text with the inside of every Jinja section blanked out, so that SQL's rules never meet Jinja's (`{# it's #}` has no closing quote).
 * Offsets stay what they were. A section that is never closed is blanked to the end.
 */
export function maskJinja(text: string, dialect: Dialect): string {
  if (!/JINJA_/i.test(text)) return text;
  let masked = '';
  let copied = 0;
  BEGIN.lastIndex = 0;
  for (let begin = BEGIN.exec(text); begin !== null; begin = BEGIN.exec(text)) {
    if (isInsideComment(masked + text.slice(copied, begin.index), dialect)) continue;
    const from = begin.index + begin[0].length;
    END.lastIndex = from;
    const to = END.exec(text)?.index ?? text.length;
    masked += text.slice(copied, from) + text.slice(from, to).replace(/[^\r\n]/g, ' ');
    copied = to;
    BEGIN.lastIndex = to;
  }
  return masked + text.slice(copied);
}

/** The text with Jinja comments outside of sections blanked out: no engine knows them. Offsets stay what they were. */
export function withoutJinjaComments(text: string, dialect: Dialect): string {
  if (!text.includes('{#')) return text;
  let blanked = '';
  let copied = 0;
  for (const { text: comment, start, end } of tokenize(maskJinja(text, dialect), dialect).comments) {
    if (!comment.startsWith('{#')) continue;
    blanked += text.slice(copied, start) + comment.replace(/[^\r\n]/g, ' ');
    copied = end;
  }
  return blanked + text.slice(copied);
}

/** Whether the place after this text is in a comment or string, where a section cannot begin. */
function isInsideComment(before: string, dialect: Dialect): boolean {
  const { error, comments } = tokenize(before, dialect);
  const last = comments.at(-1);
  return error !== undefined || (last !== undefined && !last.isBlock && last.end === before.length);
}
