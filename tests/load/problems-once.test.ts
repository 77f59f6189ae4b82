/** A mistake in a file is told once for each place where it stands, however often the compiler meets it. */
import { afterEach, expect, test } from 'vitest';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

let project: TemporaryProject;
afterEach(() => project.delete());

/** The code and the text pointed at, for every diagnostic of a model that reads `m.a (x)`. */
async function found(sql: string): Promise<readonly string[]> {
  const text = `MODEL (name m.b);\n${sql}\n`;
  project = temporaryProject({
    'config.yaml': 'model_defaults: {dialect: duckdb}\n',
    'models/a.sql': 'MODEL (name m.a);\nSELECT 1 AS x\n',
    'models/b.sql': text,
    'models/c.sql': 'MODEL (name m.c);\nSELECT * FROM m.b UNION ALL SELECT * FROM m.b\n',
  });
  const { diagnostics } = await project.load();
  return diagnostics.map(({ code, at }) => `${code} ${at?.start}: ${text.slice(at?.start, at?.end)}`);
}

test.each([
  ['an unknown column', 'SELECT nothing FROM m.a', ['sql.unknown-column 25: nothing']],
  [
    'an unknown column in two places',
    'SELECT nothing AS n FROM m.a WHERE nothing > 1',
    ['sql.unknown-column 25: nothing', 'sql.unknown-column 53: nothing'],
  ],
  [
    'an unknown column in a text that a macro repeats',
    'SELECT @EACH([1, 2], i -> nothing + @i AS c_@i) FROM m.a',
    ['sql.unknown-column 44: nothing'],
  ],
  ['an unknown alias', 'SELECT o.x FROM m.a', ['sql.unknown-alias 25: o']],
])('%s', async (_, sql, expected) => {
  expect((await found(sql)).toSorted()).toEqual(expected);
});
