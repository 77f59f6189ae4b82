/**
 * SQL with references in braces: `{revenue} / NULLIF({count}, 0)`, `{orders.customer_id} = {customers.customer_id}`.
 * Each reference is overwritten by as many copies of one private character, which is a name in every dialect, so that the parser's
 * offsets stay those of the text; the tree then has columns with such names where the references were.
 */
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { foldsRows } from '../../../foundation/sql/functions/folds-rows.ts';
import { parseExpression } from '../../../foundation/sql/parse/parse-query.ts';
import type { SqlError } from '../../../foundation/sql/sql-error.ts';
import { tokenize } from '../../../foundation/sql/tokenize.ts';
import type { Call, ColumnReference, Expression } from '../../../foundation/sql/tree.ts';
import { walk } from '../../../foundation/sql/walk.ts';

/** A reference in braces; offsets are into the expression's text. */
export interface MemberReference {
  readonly parts: readonly string[];
  /** The name it has in the tree. */
  readonly placeholder: string;
  readonly start: number;
  readonly end: number;
  readonly isAggregated: boolean;
}

/** A column written without braces. */
export interface BareColumn {
  readonly column: ColumnReference;
  readonly isAggregated: boolean;
}

export interface MemberExpression {
  readonly tree: Expression;
  readonly references: readonly MemberReference[];
  readonly columns: readonly BareColumn[];
  /** Calls that fold rows, the outermost ones. */
  readonly aggregates: readonly Call[];
}

export type ReadExpression =
  | { readonly ok: true; readonly value: MemberExpression }
  | { readonly ok: false; readonly error: SqlError };

const FIRST_MARK = 0xe000;
const SINGLE = /^\s*\{\s*([A-Za-z_]\w*)(?:\s*\.\s*([A-Za-z_]\w*))?\s*\}\s*$/;
const REFERENCE = /\{\s*([A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*)\s*\}/y;

/** A reference as it is written. */
interface Mark {
  readonly parts: readonly string[];
  readonly placeholder: string;
  readonly start: number;
  readonly end: number;
}

/** Parses an expression of a semantic model. The commonest one, a single reference, is read without the parser. */
export function readMemberExpression(text: string, dialect: Dialect): ReadExpression {
  const single = SINGLE.exec(text);
  if (single !== null) return { ok: true, value: singleReference(text, single) };
  const { masked, marks } = maskReferences(text, dialect);
  const parsed = parseExpression(masked, dialect);
  if (!parsed.ok) return { ok: false, error: withReferences(parsed.error, marks, text) };
  return {
    ok: true,
    value: gatherReferences(parsed.value, new Map(marks.map((mark) => [mark.placeholder, mark]))),
  };
}

/** The text with every reference overwritten. */
function maskReferences(
  text: string,
  dialect: Dialect,
): { readonly masked: string; readonly marks: readonly Mark[] } {
  const marks: Mark[] = [];
  const isQuoted = quotedPlaces(text, dialect);
  let masked = '';
  let done = 0;
  let start = text.indexOf('{');
  while (start >= 0) {
    REFERENCE.lastIndex = start;
    const names = REFERENCE.exec(text)?.[1];
    const end = names === undefined ? start + 1 : REFERENCE.lastIndex;
    if (names !== undefined && !isQuoted(start)) {
      const placeholder = String.fromCharCode(FIRST_MARK + marks.length).repeat(end - start);
      const parts = names.includes('.') ? names.split('.').map((part) => part.trim()) : [names];
      marks.push({ parts, placeholder, start, end });
      masked += text.slice(done, start) + placeholder;
      done = end;
    }
    start = text.indexOf('{', end);
  }
  return { masked: masked + text.slice(done), marks };
}

function singleReference(text: string, match: RegExpExecArray): MemberExpression {
  const start = text.indexOf('{');
  const end = text.indexOf('}') + 1;
  const placeholder = String.fromCharCode(FIRST_MARK);
  const span = { start, end };
  const parts = match[2] === undefined ? [match[1] as string] : [match[1] as string, match[2]];
  const tree: ColumnReference = {
    kind: 'column',
    name: { name: placeholder, quoted: false, span },
    qualifiers: [],
    span,
  };
  return {
    tree,
    references: [{ parts, placeholder, start, end, isAggregated: false }],
    columns: [],
    aggregates: [],
  };
}

/** Anything that makes it hard to see which quotes belong together: other quotes, escapes, comments, brackets, BigQuery's triple quotes. */
const INTRICATE = /["`$\\[#]|--|\/[*/]|'''/;

/** Says of a place whether it is inside a string or quoted name: braces there are text. */
function quotedPlaces(text: string, dialect: Dialect): (place: number) => boolean {
  if (!/['"`$]/.test(text)) return () => false;
  if (!INTRICATE.test(text)) {
    const quotes: number[] = [];
    for (let at = text.indexOf("'"); at >= 0; at = text.indexOf("'", at + 1)) quotes.push(at);
    // A quote that doubles inside a string counts twice and changes nothing.
    if (quotes.length % 2 === 0) return (place) => quotes.filter((quote) => quote < place).length % 2 === 1;
  }
  const ranges = tokenize(text, dialect).tokens.filter(({ kind }) => kind === 'string' || kind === 'name');
  return (place) => ranges.some(({ start, end }) => place >= start && place < end);
}

/** The parser's words with the user's references in place of the marks. */
function withReferences(error: SqlError, marks: readonly Mark[], text: string): SqlError {
  let { message } = error;
  for (const mark of marks) message = message.replaceAll(mark.placeholder, text.slice(mark.start, mark.end));
  return { ...error, message: message.replace(/[.]$/, '') };
}

/** What an expression is made of, by the names its references have in the tree. */
export function gatherReferences(tree: Expression, marks: ReadonlyMap<string, Mark>): MemberExpression {
  const references: MemberReference[] = [];
  const columns: BareColumn[] = [];
  const calls: Call[] = [];
  const visit = (root: Expression, isAggregated: boolean): void => {
    walk(root, (node) => {
      if (node.kind === 'column') {
        const mark = node.qualifiers.length === 0 ? marks.get(node.name.name) : undefined;
        if (mark === undefined) columns.push({ column: node, isAggregated });
        else {
          const { parts, placeholder, start, end } = mark;
          references.push({ parts, placeholder, start, end, isAggregated });
        }
        return false;
      }
      if (
        node.kind === 'call' &&
        !isAggregated &&
        node.over === undefined &&
        foldsRows(node.name.name.toLowerCase())
      ) {
        calls.push(node);
        for (const argument of node.arguments) visit(argument.value, true);
        for (const item of [...node.orderBy, ...node.withinGroup]) visit(item.expression, true);
        if (node.filter !== undefined) visit(node.filter, true);
        return false;
      }
      return undefined;
    });
  };
  visit(tree, false);
  return { tree, references, columns, aggregates: calls };
}
