import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIALECTS, type Dialect } from './dialect.ts';
import type { Token } from './token.ts';
import { identifierText, stringText, tokenize } from './tokenize.ts';

const cut = (text: string, dialect: Dialect = 'duckdb'): string[] =>
  tokenize(text, dialect)
    .tokens.slice(0, -1)
    .map((token) => `${token.kind} ${token.text}`);

describe('tokenize', () => {
  it.each<[string, Dialect, string[]]>([
    ['a.b, "c d"', 'duckdb', ['word a', 'symbol .', 'word b', 'symbol ,', 'name "c d"']],
    ["'it''s' E'a\\'b'", 'duckdb', ["string 'it''s'", "string E'a\\'b'"]],
    ["'a\\'b'", 'bigquery', ["string 'a\\'b'"]],
    ["'a\\'", 'duckdb', ["string 'a\\'"]],
    ['$$a$b$$ $x$ $y$ $x$', 'postgres', ['string $$a$b$$', 'string $x$ $y$ $x$']],
    ['$1 $name ?', 'duckdb', ['parameter $1', 'parameter $name', 'parameter ?']],
    [
      '1 1.5 .5 1. 1e-3 0xFF 1_000 1..2',
      'duckdb',
      [
        'number 1',
        'number 1.5',
        'number .5',
        'number 1.',
        'number 1e-3',
        'number 0xFF',
        'number 1_000',
        'number 1',
        'symbol ..',
        'number 2',
      ],
    ],
    [
      'a::b->>c->d//e**f<=>g',
      'duckdb',
      [
        'word a',
        'symbol ::',
        'word b',
        'symbol ->>',
        'word c',
        'symbol ->',
        'word d',
        'symbol //',
        'word e',
        'symbol **',
        'word f',
        'symbol <=>',
        'word g',
      ],
    ],
    [
      '@x @{y} a@b @ c',
      'duckdb',
      [
        'at @',
        'word x',
        'at @',
        'symbol {',
        'word y',
        'symbol }',
        'word a',
        'at @',
        'word b',
        'symbol @',
        'word c',
      ],
    ],
    ['"a" `b`', 'mysql', ['string "a"', 'name `b`']],
    ['[a b].[c] x[1]', 'tsql', ['name [a b]', 'symbol .', 'name [c]', 'word x', 'name [1]']],
    ['a // b', 'snowflake', ['word a']],
    ['a # b', 'bigquery', ['word a']],
    ['"""a"b""" r\'\\\' x', 'bigquery', ['string """a"b"""', "string r'\\'", 'word x']],
    ['äöü ñ\u00a0名前', 'duckdb', ['word äöü', 'word ñ', 'word 名前']],
  ])('cuts %s in %s', (text, dialect, expected) => {
    expect(cut(text, dialect)).toEqual(expected);
  });

  it('keeps comments beside the tokens, nested ones whole where the dialect nests them', () => {
    const { tokens, comments } = tokenize('a -- b\n/* c /* d */ e */ f');
    expect(tokens.map((token) => token.text)).toEqual(['a', 'f', '']);
    expect(comments.map((comment) => [comment.text, comment.isBlock])).toEqual([
      ['-- b', false],
      ['/* c /* d */ e */', true],
    ]);
    expect(tokenize('/* c /* d */ e', 'mysql').tokens[0]?.text).toBe('e');
  });

  it.each([
    ["SELECT ‸'a", 'a string that begins here is never closed'],
    ['SELECT ‸"a', 'a quoted name that begins here is never closed'],
    ['SELECT ‸$$a', 'a $-quoted string that begins here is never closed'],
    ['SELECT ‸/* a /* b */', 'a comment opened with /* is never closed'],
    ['SELECT ‸\u0001', 'the character "\\u0001" has no meaning here'],
  ])('stops at %j and says why', (marked, message) => {
    const { error, tokens } = tokenize(marked.replace('‸', ''));
    expect(error).toMatchObject({ message, start: marked.indexOf('‸') });
    expect(tokens.map((token) => token.text)).toEqual(['SELECT', '']);
  });

  it('gives back the text of names and strings', () => {
    const one = (text: string, dialect: Dialect = 'duckdb') => tokenize(text, dialect).tokens[0] as Token;
    expect(identifierText(one('"a""b"'))).toBe('a"b');
    expect(identifierText(one('[a b]', 'tsql'))).toBe('a b');
    expect(stringText(one("'it''s'"))).toBe("it's");
    expect(stringText(one("'a\\n'"))).toBe('a\\n');
    expect(stringText(one("E'a\\n'"))).toBe('a\n');
    expect(stringText(one("'a\\n'", 'bigquery'), 'bigquery')).toBe('a\n');
    expect(stringText(one("r'a\\n'", 'bigquery'), 'bigquery')).toBe('a\\n');
    expect(stringText(one("'''a'b'''", 'bigquery'), 'bigquery')).toBe("a'b");
    expect(stringText(one('$x$a$x$'))).toBe('a');
  });

  it('loses nothing: tokens, comments and blanks make up the text', () => {
    const character = fc.constantFrom(...'()[]{}<>,;.:*+-/%=!~^&|@#?$\'"`\\ \n\tabcEx019_é');
    fc.assert(
      fc.property(
        fc.array(character, { maxLength: 80 }),
        fc.constantFrom(...DIALECTS),
        (characters, dialect) => {
          const text = characters.join('');
          const { tokens, comments, error } = tokenize(text, dialect);
          const parts = [...tokens, ...comments].toSorted((a, b) => a.start - b.start || a.end - b.end);
          let at = 0;
          for (const part of parts) {
            expect(text.slice(part.start, part.end)).toBe(part.text);
            expect(text.slice(at, part.start).trim()).toBe('');
            at = part.end;
          }
          if (error === undefined) expect(text.slice(at).trim()).toBe('');
          else expect(error.start).toBe(tokens.at(-1)?.start);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
