import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { plainDuckdb } from '../../../tests/support/plain-duckdb.ts';
import { literalEndings } from './literal-endings.ts';

test.each([
  ['[.](com|org|net)$', ['.com', '.org', '.net']],
  ['@example\\.com$', ['@example.com']],
  ['(?:a|b)-(1|2)$', ['a-1', 'a-2', 'b-1', 'b-2']],
  ['x$', ['x']],
])('%s asks for endings', (pattern, endings) => {
  expect(literalEndings(pattern)).toEqual(endings);
});

test.each([
  ...['', '$', 'com', '^a$', 'a|b$', 'a|(b)$', '.com$', 'a+$', 'a{2}$', '(a|b)?$', '(a|)$', '[a-z]$', '[ab]$', '[^]$', '\\d$'],
  ...['\\$', '(?i)a$', '(?i:a)$', 'é$', '(a|b|c)(a|b|c)$', 'a$$', '((a))$', '[\\.]$', '\\Qa$', 'a\\b$', '(a$', 'a)$', '[]$', 'a?$'],
])('%s asks for something else', (pattern) => {
  expect(literalEndings(pattern)).toBeUndefined();
}); // biome-ignore format: a table

test('what is found is what the engine finds', async () => {
  const database = await plainDuckdb(tmpdir());
  const signs = ['a', 'b', 'A', '.', '-', '[.]', '\\.', '(a|b)', '(?:ab|c)', '@', '$', '^', '|', '+', '\\w'];
  const texts = ['', 'a', 'b', 'A', '.', 'ab', 'a.', '.a', 'ca.b', 'a-b', 'a\n', 'b@a', 'a.ab', 'c', 'ac', '-c', '$', 'a$'];
  const values = texts.map((text) => `('${text}')`).join(', ');
  let found = 0;
  for (const first of signs)
    for (const second of ['', ...signs]) {
      const pattern = `${first}${second}$`;
      const endings = literalEndings(pattern);
      if (endings === undefined) continue;
      found++;
      const ends = endings.map((ending) => `ends_with(v, '${ending}')`).join(' OR ');
      const { rows } = await database.query(
        `SELECT v FROM (VALUES ${values}) AS texts(v) WHERE regexp_matches(v, '${pattern}') <> (${ends})`,
      );
      expect(rows, pattern).toEqual([]);
    }
  expect(found).toBeGreaterThan(80);
}); // biome-ignore format: a table
