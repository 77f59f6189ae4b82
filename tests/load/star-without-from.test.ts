import { afterEach, expect, test } from 'vitest';
import { marked } from '../support/marked-source.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

let project: TemporaryProject | undefined;
afterEach(() => project?.delete());

test.each([
  ['SELECT «*»', undefined],
  ['SELECT «*» FRM', 'did you mean FROM?'],
  ['SELECT 1 AS a WHERE EXISTS (SELECT «*»)', undefined],
  ['SELECT a, (SELECT COLUMNS(«*»)) AS b FROM (SELECT 1 AS a) AS t', undefined],
])('a star without FROM is an error at the star: %s', async (query, hint) => {
  const { text, range } = marked(`MODEL (name m.a, kind FULL);\n${query};\n`);
  project = temporaryProject({ 'models/a.sql': text });
  const { diagnostics } = await project.load();
  expect(diagnostics.map(({ code, at }) => ({ code, at }))).toEqual([
    { code: 'sql.star-without-from', at: { file: 'models/a.sql', ...range } },
  ]);
  if (hint !== undefined) expect(diagnostics[0]?.hint).toBe(hint);
});

test.each(['SELECT COUNT(*) AS n', 'SELECT * FROM (SELECT 1 AS a) AS t', 'FROM (SELECT 1 AS a) AS t'])(
  'stars that have a FROM or stand in COUNT are quiet: %s',
  async (query) => {
    project = temporaryProject({ 'models/a.sql': `MODEL (name m.a, kind FULL);\n${query};\n` });
    expect((await project.load()).diagnostics).toEqual([]);
  },
);
