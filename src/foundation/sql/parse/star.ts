import type { Identifier, Projection, QualifiedIdentifier, Star } from '../tree.ts';
import {
  accept,
  type Cursor,
  expect,
  fail,
  peek,
  spanFrom,
  startOf,
  takeAnyName,
  unsupported,
} from './cursor.ts';
import { isAnyWord, isName } from './keywords.ts';

/** `*` with what DuckDB, BigQuery and Snowflake let follow it; `qualifiers` were read before the star. */
export function parseStar(c: Cursor, qualifiers: readonly Identifier[], start: number): Star {
  expect(c, '*');
  const exclude: QualifiedIdentifier[] = [];
  const replace: Projection[] = [];
  const rename: { from: Identifier; to: Identifier }[] = [];
  for (;;) {
    if (
      c.key === 'EXCLUDE' ||
      (c.key === 'EXCEPT' && peek(c, 1) === '(' && isAnyWord(peek(c, 2)) && !isSetOperand(c))
    ) {
      if (c.key === 'EXCLUDE' && peek(c, 1) !== '(' && !isName(peek(c, 1))) break;
      accept(c, c.key);
      takeSome(c, () => exclude.push(takeQualified(c)));
    } else if (c.key === 'REPLACE' && !isEnd(peek(c, 1))) {
      accept(c, 'REPLACE');
      takeSome(c, () => replace.push(takeReplacement(c)));
    } else if (c.key === 'RENAME' && !isEnd(peek(c, 1))) {
      accept(c, 'RENAME');
      takeSome(c, () => {
        const from = takeColumn(c);
        expect(c, 'AS');
        rename.push({ from, to: takeAnyName(c, 'the new name of the column') });
      });
    } else break;
  }
  return { kind: 'star', qualifiers, exclude, replace, rename, span: spanFrom(c, start) };
}

/** `SELECT * EXCEPT (SELECT …)` is a set operation, `SELECT * EXCEPT (a)` a star without a column. */
function isSetOperand(c: Cursor): boolean {
  const key = peek(c, 2);
  return (
    key === 'SELECT' ||
    key === 'WITH' ||
    key === 'FROM' ||
    key === 'VALUES' ||
    (key === 'TABLE' && isAnyWord(peek(c, 3)))
  );
}

function isEnd(key: string): boolean {
  return key === ',' || key === 'FROM' || key === 'end' || key === ')' || key === ';';
}

/** One thing, or several in parentheses. */
function takeSome(c: Cursor, take: () => void): void {
  if (!accept(c, '(')) {
    take();
    return;
  }
  do {
    if (c.key === ')') break;
    take();
  } while (accept(c, ','));
  expect(c, ')');
}

function takeQualified(c: Cursor): QualifiedIdentifier {
  let name = takeAnyName(c, 'a column name');
  if (c.key !== '.') return name;
  const start = name.span.start;
  const qualifiers: Identifier[] = [];
  while (accept(c, '.')) {
    qualifiers.push(name);
    name = takeAnyName(c, 'a column name');
  }
  return { ...name, qualifiers, span: spanFrom(c, start) };
}

function takeColumn(c: Cursor): Identifier {
  const name = takeAnyName(c, 'a column name');
  if (c.key === '.') unsupported(c, 'a qualified column after * RENAME');
  return name;
}

function takeReplacement(c: Cursor): Projection {
  const start = startOf(c);
  const expression = c.grammar.expression(c);
  if (!accept(c, 'AS') && !isAnyWord(c.key)) fail(c, 'AS and the name of the column to replace');
  const alias = takeAnyName(c, 'the name of the column to replace');
  return { expression, alias, span: spanFrom(c, start) };
}
