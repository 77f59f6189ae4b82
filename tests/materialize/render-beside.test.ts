/** What stands beside a query: statements of virtual updates, and the settings of a seed's file, proven by running them. */
import { afterEach, expect, test } from 'vitest';
import { loadProject } from '../../src/operations/project/load-project.ts';
import { type RenderedModel, render } from '../../src/operations/project/render.ts';
import { openWorkspace } from '../../src/operations/workspace.ts';
import { plainDuckdb } from '../support/plain-duckdb.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

const times = { start: 0, end: 86_400_000, execution: 86_400_000 };
let project: TemporaryProject | undefined;
afterEach(() => project?.delete());

/** Renders the first model and, when asked, runs its query. */
async function rendered(
  files: Readonly<Record<string, string>>,
  isRun = false,
): Promise<RenderedModel & { readonly rows: readonly unknown[] }> {
  project = temporaryProject(files);
  const workspace = openWorkspace({ folder: project.folder, variables: {}, executionTime: times.execution });
  try {
    const loaded = await loadProject(workspace);
    const [model] = loaded.project.models;
    if (model === undefined) throw new Error(loaded.diagnostics.map(({ message }) => message).join('\n'));
    const result = await render(loaded, { model, times });
    const rows = isRun ? (await (await plainDuckdb(project.folder)).query(result.query)).rows : [];
    return { ...result, rows };
  } finally {
    await workspace.close();
  }
}

const seed = (settings: string, columns: string, csv: string): Readonly<Record<string, string>> => ({
  'models/s.sql': `MODEL (name m.s, kind SEED (path '$root/seeds/s.csv', csv_settings (${settings})), columns (${columns}))`,
  'seeds/s.csv': csv,
});

test('statements of virtual updates are rendered apart from those after the query', async () => {
  const { preStatements, postStatements, onVirtualUpdate } = await rendered({
    'models/a.sql':
      'MODEL (name m.a, kind FULL);\nSET VARIABLE x = 1;\nSELECT 1 AS a;\nANALYZE m.a;\nON_VIRTUAL_UPDATE_BEGIN;\nGRANT SELECT ON @this_model TO reader;\nON_VIRTUAL_UPDATE_END;',
  });
  expect(preStatements).toEqual(['SET VARIABLE x = 1']);
  expect(postStatements).toEqual(['ANALYZE m.a']);
  expect(onVirtualUpdate).toHaveLength(1);
  expect(onVirtualUpdate[0]).toMatch(/^GRANT SELECT ON .*a.* TO reader$/);
});

test.each([
  [
    "delimiter = ','",
    'a INT, b TEXT',
    'a,b\n1,NA\nNULL,x\n',
    [
      [1, null],
      [null, 'x'],
    ],
  ],
  [
    "keep_default_na = false, na_values = ('-')",
    'a INT, b TEXT',
    'a,b\n-,NA\n2,-\n',
    [
      [null, 'NA'],
      [2, null],
    ],
  ],
  [
    "na_values = (a = ('-'))",
    'a INT, b TEXT',
    'a,b\n-,-\n2,NA\n',
    [
      [null, '-'],
      [2, null],
    ],
  ],
  [
    'skipinitialspace = true',
    'a INT, b TEXT',
    'a,b\n1, x\n2, NA\n3, "y, z"\n',
    [
      [1, 'x'],
      [2, null],
      [3, 'y, z'],
    ],
  ],
  ["escapechar = '\\\\', doublequote = false", 'a INT, b TEXT', 'a,b\n1,"x \\"y\\""\n', [[1, 'x "y"']]],
  ['doublequote = false', 'a INT, b TEXT', 'a,b\n1,"x, y"\n', [[1, 'x, y']]],
  ["lineterminator = '\\r\\n'", 'a INT, b TEXT', 'a,b\r\n1,x\r\n', [[1, 'x']]],
  ["encoding = 'latin-1'", 'a INT, b TEXT', 'a,b\n1,x\n', [[1, 'x']]],
  ["delimiter = ';', quotechar = '|'", 'b TEXT', 'a;b\n1;|x;y|\n', [['x;y']]],
])('a seed with %s is read by DuckDB as its settings say', async (settings, columns, csv, rows) => {
  expect((await rendered(seed(settings, columns, csv), true)).rows).toEqual(rows);
});

test('settings that the engine cannot obey are errors', async () => {
  project = temporaryProject(seed("lineterminator = '|', encoding = 'cp1252'", 'a INT', 'a\n1\n'));
  const { diagnostics } = await project.load();
  expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
    ['model.wrong-value', "csv_settings.lineterminator is '|', but '\\n', '\\r' or '\\r\\n' is expected."],
    [
      'model.wrong-value',
      "csv_settings.encoding is 'cp1252', but utf-8, ascii, latin-1 or utf-16 is expected.",
    ],
  ]);
});
