/**
 * The formatter of `plinth format`: it moves tokens and comments to new lines and never makes any.
 *
 *   text ─▶ Jinja blocks (kept) and SQL between them ─▶ tokens + comments ─▶ statements ─▶ groups ─▶ lines
 *                                                                              └─ checked: same tokens, same comments, else refused
 *
 * Queries, MODEL and AUDIT blocks and macro calls are laid out; other statements (CREATE, INSERT, SET …) keep their own lines.
 */
import type { Dialect } from '../dialect.ts';
import type { SqlError, SqlResult } from '../sql-error.ts';
import type { Token, Tokens } from '../token.ts';
import { tokenize } from '../tokenize.ts';
import { isQuery } from './format-clauses.ts';
import { writeExpression, writeHeader, writeQuery } from './format-layout.ts';
import { type FormatLeaf, type FormatNode, leavesOf, nodesOf } from './format-nodes.ts';
import { FORMAT_DEFAULTS, type FormatOptions } from './format-options.ts';
import { createWriter, type FormatWriter, newLine, writeLeaf } from './format-writer.ts';
import { rewriteCasts } from './rewrite-casts.ts';
import { withCases } from './with-cases.ts';

const JINJA = /\bJINJA_(?:QUERY|STATEMENT)_BEGIN\s*;[\s\S]*?\bJINJA_END\s*;/gi;

/** The text with keywords in capitals and lines laid out; an error, and nothing changed, when it cannot be cut or would not stay the same. */
export function formatSql(
  text: string,
  dialect: Dialect,
  options: FormatOptions = FORMAT_DEFAULTS,
): SqlResult<string> {
  const parts: string[] = [];
  const how = { dialect, options };
  let at = 0;
  for (const block of text.matchAll(JINJA)) {
    const before = formatPart(text.slice(at, block.index), how, at);
    if (!before.ok) return before;
    parts.push(before.value, block[0]);
    at = block.index + block[0].length;
  }
  const rest = formatPart(text.slice(at), how, at);
  if (!rest.ok) return rest;
  parts.push(rest.value);
  const out = parts.filter((part) => part !== '').join('\n\n');
  return { ok: true, value: out === '' || !options.endsWithLine ? out : `${out}\n` };
}

interface How {
  readonly dialect: Dialect;
  readonly options: FormatOptions;
}

function formatPart(written: string, { dialect, options }: How, offset: number): SqlResult<string> {
  const text = options.rewritesCasts ? rewriteCasts(written, dialect) : written;
  const cut = tokenize(text, dialect);
  if (cut.error !== undefined) {
    const { message, start, end } = cut.error;
    return {
      ok: false,
      error: { kind: 'lexical', message, span: { start: start + offset, end: end + offset } },
    };
  }
  const leaves = withCases(leavesOf(text, cut.tokens, cut.comments), { dialect, options });
  const out = statementsOf(leaves)
    .map((statement) => formatStatement(text, statement, options))
    .filter((it) => it !== '')
    .join('\n\n');
  const problem = difference(cut, tokenize(out, dialect), { text, offset });
  return problem === undefined ? { ok: true, value: out } : { ok: false, error: problem };
}

/** Leaves up to and with each semicolon outside parentheses; the end with its comments is the last one. */
function statementsOf(leaves: readonly FormatLeaf[]): readonly (readonly FormatLeaf[])[] {
  const statements: FormatLeaf[][] = [[]];
  for (const leaf of leaves) {
    (statements.at(-1) as FormatLeaf[]).push(leaf);
    if (leaf.key === ';' && leaf.token.kind === 'symbol') statements.push([]);
  }
  return statements;
}

const HEADERS = new Set(['MODEL', 'AUDIT', 'METRIC', 'TEST']);

function formatStatement(text: string, leaves: readonly FormatLeaf[], options: FormatOptions): string {
  const w = createWriter(options);
  const sign = leaves.at(-1);
  const hasSign = sign !== undefined && sign.key === ';';
  const isEnd = sign !== undefined && sign.token.kind === 'end';
  const body = hasSign || isEnd ? leaves.slice(0, -1) : leaves;
  const nodes = body.some((leaf) => leaf.key === '{{' || leaf.key === '{%') ? undefined : nodesOf(body);
  if (nodes === undefined) return keptStatement(text, leaves);
  if (nodes.length > 0 && !writeStatement(w, nodes)) return keptStatement(text, leaves);
  if (hasSign) writeLeaf(w, sign);
  if (isEnd) writeFinalComments(w, sign);
  return w.out.trim();
}

/** False when this kind of statement is left as its author laid it out. */
function writeStatement(w: FormatWriter, nodes: readonly FormatNode[]): boolean {
  const first = nodes[0] as FormatNode;
  if (first.kind === 'leaf' && HEADERS.has(first.key) && nodes[1]?.kind === 'group') writeHeader(w, nodes);
  else if (isQuery(nodes)) writeQuery(w, nodes);
  else if (first.kind === 'leaf' && first.token.kind === 'at') writeExpression(w, nodes);
  else if (nodes.length === 1 && first.kind === 'leaf') writeLeaf(w, first);
  else return false;
  return true;
}

function writeFinalComments(w: FormatWriter, end: FormatLeaf): void {
  for (const comment of end.leading) {
    newLine(w);
    w.out += comment.isBlock ? comment.text : comment.text.trimEnd();
    w.isFresh = false;
    w.mustBreak = false;
  }
}

/** The statement as written, its comments included, without blanks around it. */
function keptStatement(text: string, leaves: readonly FormatLeaf[]): string {
  const first = leaves[0] as FormatLeaf;
  const last = leaves.at(-1) as FormatLeaf;
  const start = first.leading[0]?.start ?? first.token.start;
  const end =
    last.token.kind === 'end'
      ? (last.leading.at(-1)?.end ?? last.token.end)
      : (last.trailing.at(-1)?.end ?? last.token.end);
  const isSwapped =
    leaves.at(-2)?.trailing.length === 0 &&
    last.trailing.length > 0 &&
    (last.trailing[0]?.start ?? 0) < last.token.start;
  return text
    .slice(start, isSwapped ? Math.max(end, last.token.end) : end)
    .trim()
    .replace(/[ \t]+$/gm, '')
    .replaceAll('\r\n', '\n');
}

/** The first token or comment that is not the same before and after. */
function difference(
  before: Tokens,
  after: Tokens,
  where: { readonly text: string; readonly offset: number },
): SqlError | undefined {
  const at = (token: { readonly start: number; readonly end: number }): SqlError => ({
    kind: 'unsupported',
    message: `formatting would have changed ${JSON.stringify(where.text.slice(token.start, token.end).slice(0, 40))}, so the text is left as it is`,
    span: { start: token.start + where.offset, end: token.end + where.offset },
  });
  for (let i = 0; i < before.tokens.length; i++) {
    const left = before.tokens[i] as Token;
    const right = after.tokens[i];
    if (right === undefined || left.kind !== right.kind || !isSameText(left, right)) return at(left);
    // A macro's sign and braces hold together with what they touch.
    const isHeld = left.kind === 'at' || (left.text === '}' && before.tokens[i + 1]?.kind === 'word');
    if (isHeld && (before.tokens[i + 1]?.start === left.end) !== (after.tokens[i + 1]?.start === right.end))
      return at(left);
  }
  if (after.tokens.length !== before.tokens.length) return at(before.tokens.at(-1) as Token);
  const lines = (comment: string): string =>
    comment
      .replaceAll('\r\n', '\n')
      .replace(/[ \t]+$/gm, '')
      .trimEnd();
  const changed = before.comments.find(
    (comment, i) => lines(comment.text) !== lines(after.comments[i]?.text ?? ''),
  );
  if (changed !== undefined) return at(changed);
  return after.comments.length === before.comments.length ? undefined : at(before.tokens.at(-1) as Token);
}

function isSameText(left: Token, right: Token): boolean {
  if (left.text === right.text) return true;
  return left.kind === 'word' && left.text.toLowerCase() === right.text.toLowerCase();
}
