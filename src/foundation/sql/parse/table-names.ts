import { stringText } from '../tokenize.ts';
import type { Identifier, Span } from '../tree.ts';
import {
  accept,
  advance,
  type Cursor,
  expect,
  fail,
  identifierOf,
  lastEnd,
  peek,
  skip,
  spanFrom,
  startOf,
  takeAnyName,
  takeName,
  takeToken,
} from './cursor.ts';
import { isAnyWord } from './keywords.ts';

interface TableName {
  readonly parts: readonly Identifier[];
  readonly isFile: boolean;
  readonly nameSpan: Span;
}

/** `catalog.schema.table`, `'file.parquet'`, or BigQuery's `` `project.dataset.table` `` in one pair of backticks. */
export function parseTableName(c: Cursor): TableName {
  const start = startOf(c);
  if (c.key === 'string') {
    const token = takeToken(c);
    const span = spanFrom(c, start);
    return {
      parts: [{ name: stringText(token, c.dialect), quoted: true, span }],
      isFile: true,
      nameSpan: span,
    };
  }
  const parts: Identifier[] = [];
  let part = takePart(c, true);
  pushPart(c, parts, part);
  // In my-project-1.data the tokenizer sees the number “1.”, dot included.
  while (c.key === '.' || c.key === '..' || lastEnd(c) > part.span.end) {
    if (lastEnd(c) === part.span.end) advance(c);
    part = takePart(c, false);
    pushPart(c, parts, part);
  }
  return { parts, isFile: false, nameSpan: spanFrom(c, start) };
}

function takePart(c: Cursor, isFirst: boolean): Identifier {
  const start = startOf(c);
  if (isFirst && (c.key === 'at' || c.key === '#') && (c.dialect === 'tsql' || c.dialect === 'redshift')) {
    while (c.key === 'at' || c.key === '#') advance(c);
    takeAnyName(c, 'a table name');
    const span = spanFrom(c, start);
    return { name: c.text.slice(span.start, span.end), quoted: false, span };
  }
  if (c.dialect !== 'bigquery') return isFirst ? takeTableWord(c) : takeAnyName(c, 'a table name');
  const first = isFirst
    ? takeName(c, 'a table name')
    : c.key === 'number'
      ? identifierOf(takeToken(c))
      : takeAnyName(c, 'a table name');
  // Unquoted project names may have dashes: my-project.data.t
  let isDashed = false;
  while (
    c.key === '-' &&
    c.tokens[c.at]?.start === lastEnd(c) &&
    (isAnyWord(peek(c, 1)) || peek(c, 1) === 'number')
  ) {
    skip(c, 2);
    isDashed = true;
  }
  if (!isDashed) return first;
  const end = lastEnd(c) - (c.text[lastEnd(c) - 1] === '.' ? 1 : 0);
  return { name: c.text.slice(start, end), quoted: false, span: { start, end } };
}

/** A few reserved words can only be a table's name here. */
function takeTableWord(c: Cursor): Identifier {
  const isOdd = c.key === 'CASE' || c.key === 'END' || c.key === 'ALL' || c.key === 'ANY' || c.key === 'SOME';
  return isOdd ? takeAnyName(c, 'a table name') : takeName(c, 'a table name');
}

function pushPart(c: Cursor, parts: Identifier[], part: Identifier): void {
  if (c.dialect !== 'bigquery' || !part.quoted || !part.name.includes('.')) {
    parts.push(part);
    return;
  }
  let start = part.span.start + 1;
  for (const name of part.name.split('.')) {
    parts.push({ name, quoted: true, span: { start, end: start + name.length } });
    start += name.length + 1;
  }
}

/** Steps over `( … )`, whatever is in it. */
export function skipParenthesis(c: Cursor): void {
  expect(c, '(');
  let depth = 1;
  while (depth > 0) {
    if (c.key === 'end') fail(c, '“)”');
    if (c.key === '(') depth++;
    else if (c.key === ')') depth--;
    advance(c);
  }
}

/** `10%`, `50 ROWS`, `reservoir(50 ROWS)`, `(10 PERCENT)`, with a method and a seed: returned as written. */
export function skipSample(c: Cursor): string {
  const start = startOf(c);
  if (c.key === 'number') advance(c);
  else if (isAnyWord(c.key)) {
    advance(c);
    if (c.key === '(') skipParenthesis(c);
  } else if (c.key === '(') skipParenthesis(c);
  else fail(c, 'a sample size');
  if (!accept(c, '%') && !accept(c, 'PERCENT')) accept(c, 'ROWS');
  if (c.key === '(') skipParenthesis(c);
  const word = c.tokens[c.at]?.text.toUpperCase();
  if ((word === 'REPEATABLE' || word === 'SEED') && peek(c, 1) === '(') {
    advance(c);
    skipParenthesis(c);
  }
  return c.text.slice(start, lastEnd(c));
}
