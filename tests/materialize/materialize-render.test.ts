/** Applied snapshots are rendered from what state keeps of them, never from the project's files. */
import { afterEach, describe, expect, test } from 'vitest';
import { workerUserCode } from '../../src/adapters/user-code/worker-user-code.ts';
import { contextOfApplied } from '../../src/compiler/render/applied-context.ts';
import { renderAudits } from '../../src/compiler/render/render-audits.ts';
import {
  type RenderedSnapshot,
  type RenderPhase,
  renderSnapshot,
  type TableSource,
} from '../../src/compiler/render/render-snapshot.ts';
import { snapshotContent } from '../../src/compiler/render/snapshot-content.ts';
import type { SnapshotContent } from '../../src/domain/snapshot.ts';
import type { Dialect } from '../../src/foundation/sql/dialect.ts';
import { days, NO_USER_CODE } from '../support/materialize-warehouse.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

let project: TemporaryProject | undefined;
afterEach(() => {
  project?.delete();
  project = undefined;
});

async function contentsOf(
  files: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, SnapshotContent>> {
  project = temporaryProject(files);
  const loaded = await project.load(variables);
  expect(loaded.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const macros = Object.fromEntries(
    Object.entries(files).filter(([path]) => /^macros\/.*\.(ts|js)$/.test(path)),
  );
  const contents = new Map<string, SnapshotContent>();
  for (const model of loaded.project.models)
    contents.set(model.name, JSON.parse(JSON.stringify(await snapshotContent(model, loaded, macros))));
  return contents;
}

interface Asked {
  readonly variables?: Readonly<Record<string, string>>;
  readonly stage?: RenderPhase;
  readonly dialect?: Dialect;
}

const contextWith = (content: SnapshotContent, variables: Readonly<Record<string, string>>) =>
  contextOfApplied(content.applied, {
    environment: 'dev',
    userCode: NO_USER_CODE,
    userFunctions: [],
    variables,
  });

function rendering(
  contents: ReadonlyMap<string, SnapshotContent>,
  name: string,
  { variables = {}, stage = 'evaluating', dialect = 'duckdb' }: Asked,
) {
  const tableOf = (model: string): TableSource | undefined => {
    const content = contents.get(model);
    if (content === undefined) return undefined;
    return content.model.kind.kind === 'embedded'
      ? { content, compileContext: contextWith(content, variables) }
      : { schema: 'plinth__s', name: `${model.split('.').at(-1)}__v` };
  };
  return {
    compileContext: contextWith(contents.get(name) as SnapshotContent, variables),
    range: days('2024-01-01', '2024-01-02'),
    executionTime: Date.parse('2024-01-02T06:00:00Z'),
    runtimeStage: stage,
    thisModel: { schema: 'plinth__s', name: 'this__v' },
    tableOf,
    dialect,
  };
}

const rendered = async (
  contents: ReadonlyMap<string, SnapshotContent>,
  name: string,
  asked: Asked = {},
): Promise<RenderedSnapshot> =>
  renderSnapshot(contents.get(name) as SnapshotContent, rendering(contents, name, asked));

const full = (name: string, query: string): string => `MODEL (name ${name}, kind FULL);\n${query}`;

describe('tables', () => {
  test.each([
    ['SELECT * FROM s.t', 'SELECT * FROM "plinth__s"."t__v" AS t'],
    ['SELECT x.a FROM s.t AS x', 'SELECT x.a FROM "plinth__s"."t__v" AS x'],
    ['SELECT t.a, s.t.b FROM s.t', 'SELECT t.a, t.b FROM "plinth__s"."t__v" AS t'],
    ['SELECT s.t.* FROM s."T"', 'SELECT "T".* FROM "plinth__s"."t__v" AS "T"'],
    [
      'SELECT s.t.a, (SELECT MAX(t.a) FROM s.t) AS m FROM s.t JOIN r.t ON s.t.a = r.t.a',
      'SELECT "s__t".a, (SELECT MAX(t.a) FROM "plinth__s"."t__v" AS t) AS m FROM "plinth__s"."t__v" AS "s__t" JOIN "plinth__s"."t__v" AS "r__t" ON "s__t".a = "r__t".a',
    ],
    [
      'WITH t AS (SELECT * FROM s.t) SELECT * FROM t',
      'WITH t AS (SELECT * FROM "plinth__s"."t__v" AS t) SELECT * FROM t',
    ],
    ['SELECT * FROM other.t', 'SELECT * FROM other.t'],
    ['SELECT "full".a FROM s.full', 'SELECT "full".a FROM "plinth__s"."full__v" AS "full"'],
    ['SELECT a FROM s.t TABLESAMPLE 10%', 'SELECT a FROM "plinth__s"."t__v" AS t TABLESAMPLE 10%'],
  ])('%s', async (query, expected) => {
    const contents = await contentsOf({
      'models/m.sql': full('s.m', query),
      'models/t.sql': full('s.t', 'SELECT 1 AS a, 2 AS b'),
      'models/full.sql': full('s.full', 'SELECT 1 AS a'),
      'models/r.sql': full('r.t', 'SELECT 1 AS a'),
    });
    expect((await rendered(contents, 's.m')).query).toBe(expected);
  });

  test('embedded models are inlined, also inside one another, with their own variables', async () => {
    const contents = await contentsOf({
      'models/m.sql': full('s.m', 'SELECT e.a FROM s.outer_one AS e JOIN s.outer_one USING (a)'),
      'models/o.sql':
        'MODEL (name s.outer_one, kind EMBEDDED);\nSELECT a + @n AS a FROM s.inner_one -- the end',
      'models/i.sql': 'MODEL (name s.inner_one, kind EMBEDDED);\nSELECT a FROM s.t WHERE d = @start_ds',
      'models/t.sql': full('s.t', "SELECT 1 AS a, '2024-01-01' AS d"),
      'config.yaml': 'variables: {n: 7, unused: 8}\ngateways: {local: {connection: {type: duckdb}}}\n',
    });
    const inner = `SELECT a FROM "plinth__s"."t__v" AS t WHERE d = '2024-01-01'`;
    const outer = `(SELECT a + 7 AS a FROM (${inner}) AS inner_one)`;
    expect((await rendered(contents, 's.m')).query).toBe(
      `SELECT e.a FROM ${outer} AS e JOIN ${outer} AS outer_one USING (a)`,
    );
    expect(contents.get('s.m')?.applied.variables).toEqual({});
    expect(contents.get('s.outer_one')?.applied.variables).toEqual({ n: 7 });
  });

  test('a model that reads itself reads its own table', async () => {
    const contents = await contentsOf({
      'models/m.sql': full('s.m', 'SELECT 1 AS a UNION ALL SELECT a FROM s.m WHERE FALSE'),
    });
    expect((await rendered(contents, 's.m')).query).toContain('FROM "plinth__s"."this__v" AS m WHERE');
  });

  test('statements beside the query name physical tables, too', async () => {
    const contents = await contentsOf({
      'models/m.sql': full(
        's.m',
        'DELETE FROM log.t WHERE a IN (SELECT a FROM s.t);\nSELECT a FROM s.t;\nINSERT INTO s.m (a) SELECT s.f(1) FROM s.t;\nON_VIRTUAL_UPDATE_BEGIN;\nGRANT SELECT ON VIEW @this_model TO @{who};\nON_VIRTUAL_UPDATE_END;',
      ),
      'models/t.sql': full('s.t', 'SELECT 1 AS a'),
      'config.yaml': 'variables: {who: reader}\ngateways: {local: {connection: {type: duckdb}}}\n',
    });
    const evaluated = await rendered(contents, 's.m');
    expect(evaluated.preStatements).toEqual([
      'DELETE FROM log.t WHERE a IN (SELECT a FROM "plinth__s"."t__v")',
    ]);
    expect(evaluated.postStatements).toEqual([
      'INSERT INTO "plinth__s"."this__v" (a) SELECT s.f(1) FROM "plinth__s"."t__v"',
    ]);
    const promoted = await rendered(contents, 's.m', { stage: 'promoting' });
    expect(promoted).toMatchObject({
      preStatements: [],
      query: '',
      postStatements: [],
      onVirtualUpdate: ['GRANT SELECT ON VIEW "plinth__s"."this__v" TO reader'],
    });
  });
});

describe('what is around a snapshot', () => {
  test('values of the environment are kept as templates and read again; variables that no text names are not kept', async () => {
    const files = {
      'models/m.sql': full(
        's.m',
        "SELECT @secret AS a, @amount AS b, @VAR('list')[1] AS c, '@{not_used}' AS d",
      ),
      'config.yaml':
        "variables: {secret: \"{{ env_var('S') }}\", amount: {{ env_var('N') }}, list: [1, \"{{ env_var('S') }}\"], other: 3}\ngateways: {local: {connection: {type: duckdb}, variables: {amount: {{ env_var('N') }}}}}\n",
    };
    const contents = await contentsOf(files, { S: 'geheim', N: '12' });
    const { applied, expandedQuery } = contents.get('s.m') as SnapshotContent;
    expect(JSON.stringify(contents.get('s.m'))).not.toContain('geheim');
    expect(expandedQuery).toContain("env_var(''S'')");
    expect(applied.variables).toEqual({
      secret: "{{ env_var('S') }}",
      amount: { $plain: "{{ env_var('N') }}" },
      list: [1, "{{ env_var('S') }}"],
    });
    expect((await rendered(contents, 's.m', { variables: { S: 'neu', N: '13' } })).query).toContain(
      "SELECT 'neu' AS a, 13 AS b",
    );
    await expect(rendered(contents, 's.m')).rejects.toThrow(/environment variable [SN] is not set/);
  });

  test('a default statement with a value of the environment is kept as it was written', async () => {
    const contents = await contentsOf(
      {
        'models/m.sql': full('s.m', 'SELECT 1 AS a'),
        'config.yaml':
          "model_defaults:\n  pre_statements: [\"CREATE TEMP MACRO token() AS '{{ env_var('S') }}'\"]\ngateways: {local: {connection: {type: duckdb}}}\n",
      },
      { S: 'geheim' },
    );
    expect(JSON.stringify(contents.get('s.m'))).not.toContain('geheim');
    expect((await rendered(contents, 's.m', { variables: { S: 'neu' } })).preStatements).toEqual([
      "CREATE TEMP MACRO token() AS 'neu'",
    ]);
  });

  test('what a condition hides at load is there when it is asked for', async () => {
    const contents = await contentsOf({
      'models/m.sql': full('s.m', "SELECT @IF(@runtime_stage = 'evaluating', @later, 0) AS a"),
      'config.yaml': 'variables: {later: 5}\ngateways: {local: {connection: {type: duckdb}}}\n',
    });
    expect((await rendered(contents, 's.m')).query).toBe('SELECT 5 AS a');
    expect((await rendered(contents, 's.m', { stage: 'creating' })).query).toBe('SELECT 0 AS a');
  });

  test('columns that macros asked for, and Jinja macros, are those of the snapshot', async () => {
    const contents = await contentsOf({
      'models/m.sql': full('s.m', 'SELECT @STAR(s.t) FROM s.t'),
      'models/j.sql':
        "MODEL (name s.j, kind FULL);\nJINJA_QUERY_BEGIN;\nSELECT {{ double(21) }} AS a, '{{ start_ds }}' AS d;\nJINJA_END;",
      'macros/double.sql': '{% macro double(x) %}{{ x }} * 2{% endmacro %}',
      'models/t.sql': full('s.t', 'SELECT 1 AS a, 2 AS b'),
    });
    expect((await rendered(contents, 's.m')).query.replace(/\s+/g, ' ')).toMatch(
      /SELECT .*a.*, .*b.* FROM "plinth__s"."t__v" AS t/,
    );
    expect((await rendered(contents, 's.j')).query).toContain("21 * 2 AS a, '2024-01-01' AS d");
    expect(contents.get('s.t')?.applied).toMatchObject({ variables: {}, jinjaMacros: [], macroFiles: {} });
  });

  test('files of functions are kept with what they import, and are enough to run them', async () => {
    const files = {
      'models/m.sql': full('s.m', 'SELECT @twice(21) AS a'),
      'macros/twice.ts':
        "import { times } from './lib/times.ts';\nexport function twice(x: string) { return times(x, 2); }\n",
      'macros/lib/times.ts': 'export const times = (x: string, n: number): string => `${x} * ${n}`;\n',
      'macros/other.ts': 'export function other() { return "1"; }\n',
    };
    const contents = await contentsOf(files);
    const content = contents.get('s.m') as SnapshotContent;
    expect(Object.keys(content.applied.macroFiles).sort()).toEqual([
      'macros/lib/times.ts',
      'macros/twice.ts',
    ]);
    const elsewhere = temporaryProject(content.applied.macroFiles);
    const userCode = workerUserCode(elsewhere.folder);
    try {
      const { functions } = await userCode.functions('macros');
      const compileContext = contextOfApplied(content.applied, {
        environment: 'dev',
        userCode,
        userFunctions: functions,
        variables: {},
      });
      expect(
        (await renderSnapshot(content, { ...rendering(contents, 's.m', {}), compileContext })).query,
      ).toBe('SELECT 21 * 2 AS a');
    } finally {
      await userCode.close();
      elsewhere.delete();
    }
  });
});

describe('dialects', () => {
  test('a model of another dialect is translated, its audits and embedded parents too', async () => {
    const contents = await contentsOf({
      'models/m.sql':
        'MODEL (name s.m, kind FULL, dialect bigquery, audits (not_null(columns := (`a`)), mine));\nSELECT `a`, SAFE_CAST(b AS INT64) AS b, CAST(1 AS FLOAT64) AS f FROM s.e',
      'models/e.sql':
        "MODEL (name s.e, kind EMBEDDED, dialect snowflake);\nSELECT a, IFF(a > 1, '1', '2') AS b FROM s.t",
      'models/t.sql': full('s.t', 'SELECT 1 AS a'),
      'audits/a.sql': 'AUDIT (name mine, dialect bigquery);\nSELECT * FROM @this_model WHERE `a` IS NULL',
    });
    const { query } = await rendered(contents, 's.m');
    expect(query).toContain('TRY_CAST(b AS BIGINT) AS b, CAST(1 AS DOUBLE) AS f');
    expect(query).toContain("IF(a > 1, '1', '2')");
    expect(query).toContain('"plinth__s"."t__v"');
    const audits = await renderAudits(contents.get('s.m') as SnapshotContent, {
      ...rendering(contents, 's.m', {}),
      candidate: { relation: { schema: 'plinth__s', name: 'm__v' }, filter: 'a > 0' },
    });
    for (const audit of audits)
      expect(audit.query).toContain('(SELECT * FROM "plinth__s"."m__v" WHERE a > 0) AS plinth__this_model');
  });
});
