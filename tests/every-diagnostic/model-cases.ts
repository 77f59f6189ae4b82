import { type DiagnosticCase, loading, modelFile } from './diagnostic-case.ts';

const property = (code: string, text: string): DiagnosticCase =>
  modelFile(code, `MODEL (name a.b, ${text}); SELECT 1 AS x`);
const query = (code: string, text: string): DiagnosticCase => modelFile(code, `MODEL (name a.b); ${text}`);
const RAW = {
  'external_models.yaml':
    '- {name: raw.t, columns: {id: int, day: date}}\n- {name: raw.u, columns: {id: int}}\n',
};

/** What is wrong in a file of a model: its block, its statements, its query. */
/** Every common table has twice the columns of the one before; the work allowed for a query ends at the marked star. */
const DOUBLING = `WITH c0 AS (SELECT 1 AS a)${Array.from({ length: 40 }, (_, i) => `, c${i + 1} AS (SELECT x.*, ${i === 15 ? '«y.*»' : 'y.*'} FROM c${i} AS x CROSS JOIN c${i} AS y)`).join('')} SELECT a FROM c40`;

export const modelCases: readonly DiagnosticCase[] = [
  modelFile('model.unclosed-block', '«MODEL (» name a.b, kind FULL; SELECT 1'),
  modelFile('model.missing-semicolon', 'MODEL (name a.b) «SELECT» 1 AS x'),
  modelFile('model.block-not-first', 'SELECT 1 AS x; «MODEL» (name a.b);'),
  modelFile('model.several-blocks', 'MODEL (name a.b); SELECT 1 AS x; «MODEL» (name a.c); SELECT 2 AS x'),
  property('model.not-a-property', '«= 3»'),
  property('model.missing-comma', "kind FULL «cron» '@daily'"),
  property('model.unknown-property', '«onwer» mara'),
  property('model.unused-property', '«formatting» false'),
  property('model.property-not-yet', '«profiles» (x)'),
  property('model.duplicate-property', 'owner x, «owner» y'),
  property('model.missing-value', '«owner»'),
  property('model.wrong-value', "cron «'every day'»"),
  property('model.conflicting-properties', 'audits (x), «assertions» (y)'),
  property('model.foreign-dialect', 'dialect «starrocks»'),
  property('model.unknown-kind', 'kind «FUL»'),
  property('model.kind-not-yet', 'kind «MANAGED»'),
  property('model.unknown-option', 'kind FULL («lookback» 1)'),
  property('model.missing-option', 'kind «INCREMENTAL_BY_TIME_RANGE»'),
  property('model.not-for-kind', 'kind VIEW, partitioned_by «x»'),
  modelFile('model.other-gateway', 'MODEL (name a.b, gateway «other»); SELECT 1 AS x', {
    'config.yaml':
      'gateways: {local: {connection: {type: duckdb, database: a.duckdb}}, other: {connection: {type: duckdb, database: b.duckdb}}}\ndefault_gateway: local\n',
  }),
  modelFile('model.invalid-name', 'MODEL (name «a.b.c.d»); SELECT 1 AS x'),
  modelFile('model.reserved-separator', 'MODEL (name «marts__dev.orders»); SELECT 1 AS x'),
  loading('model.duplicate-name', {
    'models/a.sql': 'MODEL (name a.b); SELECT 1 AS x',
    'models/b.sql': 'MODEL (name «a.b»); SELECT 1 AS x',
  }),
  modelFile('model.no-query', 'MODEL (name «a.b»);'),
  query('model.pivot-needs-in', 'PIVOT (SELECT 1 AS k, 2 AS x) ON «k» USING sum(x)'),
  query('model.several-queries', 'SELECT 1 AS x; «SELECT 2 AS x»'),
  modelFile('model.unused-query', "MODEL (name a.b, kind SEED (path '../seeds/x.csv')); «SELECT 1 AS x»", {
    'seeds/x.csv': 'id\n1\n',
  }),
  query('model.unclosed-section', '«JINJA_QUERY_BEGIN»; SELECT 1 AS x'),
  query('model.transaction-control', '«BEGIN»; SELECT 1 AS x; «COMMIT»'),
  loading('model.writes-other-table', {
    'models/a.sql':
      'MODEL (name a.b, kind FULL); SELECT 1 AS x; DELETE FROM «h.healthy»; INSERT INTO a.b SELECT 2',
    'config.yaml':
      "model_defaults: {dialect: duckdb}\nbefore_all:\n- INSERT INTO log SELECT 1\n- 'DROP TABLE «a.b»'\n",
  }),
  query('model.setting-locked', '«SET» x = 1; SELECT 1 AS x'),
  loading('model.python-not-yet', {
    'models/b.py': 'import x\n«@model»("a.b", kind="FULL")\ndef execute(context): ...\n',
  }),
  modelFile('model.unknown-variable', 'MODEL (name «@{schema}».b); SELECT 1 AS x'),
  modelFile('model.reads-itself', 'MODEL (name a.b, kind VIEW); «SELECT x FROM a.b»'),
  modelFile(
    'model.own-past-in-order',
    'MODEL (name a.b, kind INCREMENTAL_BY_TIME_RANGE (time_column d, batch_size «2», batch_concurrency «4»)); SELECT CURRENT_DATE AS d, (SELECT MAX(x) FROM a.b) AS x',
  ),
  property('model.header-macro', '«@more(1)»'),
  property('model.wrong-blueprint', 'blueprints ((x := 1), «y»)'),
  modelFile(
    'model.too-many-blueprints',
    `MODEL (name a.@n, blueprints «(${Array.from({ length: 10_001 }, (_, i) => `(n := b${i})`).join(', ')})»); SELECT 1 AS x`,
  ),
  property('model.duplicate-column', 'columns (x INT, «X» TEXT)'),
  property('model.undeclared-column', "columns (x INT), column_descriptions «(idd = 'x')»"),
  modelFile(
    'model.view-audit-cannot-block',
    'MODEL (name a.b, kind VIEW, audits («not_null(columns := (id))»)); SELECT id FROM raw.t',
    RAW,
  ),
  modelFile(
    'model.audits-never-run',
    'MODEL (name a.b, kind EMBEDDED, audits («not_null(columns := (x))»)); SELECT 1 AS x',
  ),
  loading('model.cycle', {
    'models/a.sql': 'MODEL (name a.a); SELECT x FROM «a.b»',
    'models/b.sql': 'MODEL (name a.b); SELECT x FROM a.a',
  }),
  query('model.undeclared-external', 'SELECT x FROM «ext.t»'),
  loading('model.no-such-table', {
    'models/a.sql': 'MODEL (name staging.trips); SELECT 1 AS x',
    'models/b.sql': 'MODEL (name marts.days); SELECT x FROM «staging.trps»',
  }),
  query('model.unknown-statement', '«CRAETE» TABLE y (a INT); SELECT 1 AS x'),
  property('model.unknown-column-in-block', 'kind FULL, grain «idd»'),

  modelFile('audit.unnamed-argument', 'MODEL (name a.b, audits (not_null(«x»))); SELECT 1 AS x'),
  property('audit.unknown', 'audits («not_nul(columns := (x))»)'),
  property('audit.unknown-argument', 'audits («not_null(columns := (x), colums := 1)»)'),
  property('audit.missing-argument', 'audits («accepted_values(column := x)»)'),
  property('audit.unknown-column', 'audits (not_null(columns := («y»)))'),
  property('audit.bad-argument', 'audits («forall(criteria := (x > ))»)'),
  modelFile('audit.unused-argument', 'MODEL (name a.b, audits («mine(max_hh := 1)»)); SELECT 1 AS x', {
    'audits/mine.sql': 'AUDIT (name mine); SELECT * FROM @this_model WHERE x > 1',
  }),
  loading('audit.missing-block', { 'audits/a.sql': '«SELECT» 1' }),
  loading('audit.missing-name', { 'audits/a.sql': '«AUDIT» (skip true); SELECT 1' }),
  loading('audit.no-query', { 'audits/a.sql': '«AUDIT» (name a);' }),
  loading('audit.several-queries', { 'audits/a.sql': 'AUDIT (name a); SELECT 1; «SELECT 2»' }),
  loading('audit.standalone-this-model', {
    'audits/a.sql': '«AUDIT» (name a, standalone true); SELECT * FROM @this_model WHERE x IS NULL',
  }),
  loading('audit.shadows-built-in', { 'audits/a.sql': '«AUDIT» (name not_null); SELECT 1' }),
  loading('audit.duplicate-name', {
    'audits/a.sql': 'AUDIT (name mine); SELECT 1',
    'audits/b.sql': '«AUDIT» (name mine); SELECT 1',
  }),

  query('sql.lexical', "SELECT «'»abc"),
  query('sql.syntax', 'SELECT a FROM raw.t WHERE «)»'),
  query('sql.too-deep', `SELECT ${'('.repeat(399)}«(»${'('.repeat(600)}1${')'.repeat(1_000)} AS x`),
  query('sql.too-long', DOUBLING),
  query('sql.unsupported', 'SELECT * RENAME (t«.»a AS b) FROM raw.t'),
  modelFile('sql.unknown-column', 'MODEL (name a.b); SELECT «nope» FROM raw.t', RAW),
  modelFile('sql.ambiguous-column', 'MODEL (name a.b); SELECT «id» FROM raw.t, raw.u', RAW),
  modelFile('sql.unknown-alias', 'MODEL (name a.b); SELECT «x».id FROM raw.t', RAW),
  query('sql.star-not-expanded', 'SELECT «*» FROM ext.t'),
  query('sql.star-without-from', 'SELECT «*» FRM'),
  query('model.unknown-statement', '«UPDAET» t SET a = 1; SELECT 1 AS x'),
  property('model.unknown-column-in-block', 'grain (x, «y»)'),
  query('sql.star-without-from', 'SELECT «*»'),
  modelFile('sql.column-count', 'MODEL (name a.b); SELECT id FROM raw.t UNION ALL «SELECT 1, 2»', RAW),
  query('sql.duplicate-column', 'SELECT 1 AS x, «2 AS x»'),

  query('macro.unknown', 'SELECT «@ech([a], x -> x)» AS x'),
  query('macro.unknown-variable', 'SELECT «@regoin» AS x'),
  modelFile('macro.python-not-yet', 'MODEL (name a.b); SELECT «@legacy(a, b)» AS x', {
    'macros/legacy.py': 'from sqlmesh import macro\n\n@macro()\ndef legacy(evaluator, a, b):\n    return a\n',
  }),
  query('macro.arguments', 'SELECT «@IF(TRUE)» AS x'),
  query('macro.unknown-argument', 'SELECT «@PIVOT(a, [1], agregate := 1)»'),
  query('macro.unclosed', 'SELECT «@EACH(»[a], x -> x'),
  query('macro.not-constant', 'SELECT «@IF(price > 1, 1, 2)» AS x'),
  query(
    'macro.too-deep',
    `SELECT ${'@IF(TRUE, '.repeat(200)}«${'@IF(TRUE, '.repeat(100)}1${', 2)'.repeat(100)}»${', 2)'.repeat(200)} AS x`,
  ),
  query(
    'macro.too-large',
    `SELECT @EACH([${Array.from({ length: 1000 }, (_, i) => i).join(', ')}], x -> @EACH([${Array.from({ length: 1000 }, (_, i) => i).join(', ')}], y -> «'some text that makes it long enough'»))`,
  ),
  modelFile('macro.user-code-failed', 'MODEL (name a.b); SELECT «@boom()» AS x', {
    'macros/boom.ts': "export function boom() {\n  throw new Error('no');\n}\n",
  }),
  modelFile('macro.bad-result', 'MODEL (name a.b); SELECT «@odd()» AS x', {
    'macros/odd.ts': 'export function odd() {\n  return { a: 1 };\n}\n',
  }),
  modelFile('macro.import-outside', 'MODEL (name a.b); SELECT 1 AS x', {
    'macros/a.ts':
      "«import { readFileSync } from 'node:fs';»\nexport const quiet = () => readFileSync('x');\n",
  }),
  query('macro.columns-unknown', "SELECT «@STAR(ext.t, prefix := 'p_')» FROM ext.t"),
  query('macro.jinja', 'JINJA_QUERY_BEGIN; SELECT {{ «nope()» }} AS x; JINJA_END;'),
  query(
    'macro.jinja-too-long',
    'JINJA_QUERY_BEGIN; SELECT {% for a in range(100000) %}{% for b in «range(100000)» %}1,{% endfor %}{% endfor %} 1 AS x; JINJA_END;',
  ),

  modelFile('seed.not-utf8', "MODEL (name a.b, kind SEED (path «'../seeds/x.csv'»));", {
    'seeds/x.csv': Buffer.from([0x61, 0x0a, 0xfc, 0x0a]),
  }),
  modelFile('seed.missing-file', "MODEL (name a.b, kind SEED (path «'../seeds/x.csv'»));"),
  modelFile('seed.escapes-project', "MODEL (name a.b, kind «SEED (path '../../../x.csv')»);"),
  ...(
    [
      ['seed.empty', ''],
      ['seed.duplicate-header', 'id,name,ID\n'],
      ['seed.unnamed-column', 'id,,name\n'],
      ['seed.unclosed-header', 'id,"name\n1,2\n'],
      ['seed.not-utf8', Buffer.from([0x69, 0x64, 0x0a, 0xff, 0xfe, 0x0a])],
      ['seed.long-header', `${Array.from({ length: 100_000 }, (_, i) => `c${i}`).join(',')}\n`],
    ] as const
  ).map(([code, csv]) =>
    modelFile(code, "MODEL (name a.b, kind SEED (path «'../seeds/x.csv'»));", { 'seeds/x.csv': csv }),
  ),
  modelFile(
    'seed.unknown-column',
    "MODEL (name a.b, kind SEED (path '../seeds/x.csv'), columns (id INT, «nmae» TEXT));",
    {
      'seeds/x.csv': 'id,name\n1,a\n',
    },
  ),
  modelFile(
    'seed.undeclared-column',
    "MODEL (name a.b, kind SEED (path '../seeds/x.csv'), columns «(id INT)»);",
    {
      'seeds/x.csv': 'id,name\n1,a\n',
    },
  ),
];
