import { expect, test } from 'vitest';
import { marked } from '../../../tests/marked-source.ts';
import { parseQuery } from '../../foundation/sql/parse/parse-query.ts';
import { sqlDiagnostic } from './sql-diagnostic.ts';

const { text, range } = marked('MODEL (name a.b);\nSELECT a «FORM» b c');
const sql = { text: text.slice(text.indexOf('SELECT')), start: text.indexOf('SELECT'), isJinja: false };

test.each([
  ['sql.lexical', 'lexical'],
  ['sql.syntax', 'syntax'],
  ['sql.too-deep', 'too-deep'],
  ['sql.too-long', 'too-long'],
  ['sql.timeout', 'timeout'],
  ['sql.unsupported', 'unsupported'],
] as const)('%s is placed in the file, not in the piece of SQL', (code, kind) => {
  const span = { start: range.start - sql.start, end: range.end - sql.start };
  expect(
    sqlDiagnostic({ kind, message: 'FORM is no word here', expected: 'FROM', span }, sql, 'models/a/b.sql'),
  ).toMatchObject({
    code,
    severity: 'error',
    hint: 'expected FROM',
    at: { file: 'models/a/b.sql', ...range },
  });
});

test('an error of the parser marks the offending word', () => {
  const source = marked('MODEL (name a.b);\nSELECT a FROM t WHERE «)»');
  const start = source.text.indexOf('SELECT');
  const piece = { text: source.text.slice(start), start, isJinja: false };
  const parsed = parseQuery(piece.text);
  if (parsed.ok) throw new Error('this must not parse');
  expect(sqlDiagnostic(parsed.error, piece, 'models/a/b.sql')).toMatchObject({
    code: 'sql.syntax',
    at: source.range,
  });
});
