import { describe, expect, test } from 'vitest';
import { loadContext, plainDefaults } from '../../../tests/support/load-context.ts';
import { marked } from '../../../tests/support/marked-source.ts';
import type { ModelDefinition } from '../../domain/model.ts';
import { loadModelFile } from './load-model-file.ts';
import type { ModelContext } from './model-context.ts';

const context = loadContext();

function load(text: string, options: { readonly path?: string; readonly context?: ModelContext } = {}) {
  return loadModelFile({ path: options.path ?? 'models/marts/orders.sql', text }, options.context ?? context);
}

/** Which keys have an effect is asked in tests/keys. */
const isAboutEffect = (code: string): boolean =>
  code === 'model.unused-property' || code === 'model.property-not-yet';

function only(text: string, options: Parameters<typeof load>[1] = {}): ModelDefinition {
  const { definitions, diagnostics } = load(text, options);
  expect(diagnostics.filter(({ code }) => !isAboutEffect(code))).toEqual([]);
  expect(definitions).toHaveLength(1);
  return definitions[0] as ModelDefinition;
}

function sqlOf(definition: ModelDefinition) {
  if (definition.source.kind !== 'sql') throw new Error(`${definition.name} has no SQL`);
  return definition.source;
}

describe('a whole model file', () => {
  const text = `-- Orders of all stores.
MODEL (
  name marts.Daily_Orders, -- the name
  kind INCREMENTAL_BY_TIME_RANGE (time_column (order_date, '%Y-%m-%d'), lookback 2, batch_size 30),
  cron '@hourly', cron_tz 'Europe/Berlin', start '2024-01-01', end '1 week ago', interval_unit hour,
  grain (order_date, store_id), references (store_id AS store), owner mara, tags (gold, 'pii'), terms [revenue],
  column_descriptions (order_date = 'UTC day', "Store_Id" = 'store'), column_tags (order_date = (a, b)),
  audits (not_null(columns := (order_date, store_id)), accepted_range(column := revenue, min_v := 0, blocking := false)),
  depends_on (raw.orders, 'raw.stores'), partitioned_by (order_date, DATE_TRUNC('month', order_date)), clustered_by store_id,
  table_format iceberg, storage_format parquet, physical_properties (a = 1, 'b.c' = 'x'), virtual_properties (v = true),
  stamp 'v2', enabled true, allow_partials true, ignored_rules ['NoSelectStar'], signals (ready(hours := 2), other),
  profiles (revenue), optimize_query false, freshness '26h', dialect duckdb,
);
CREATE TABLE IF NOT EXISTS t (a INT);
SELECT order_date, -- the day
  store_id FROM raw.orders WHERE note = 'a;b';
DROP TABLE t;
ON_VIRTUAL_UPDATE_BEGIN;
GRANT SELECT ON VIEW @this_model TO ROLE x;
ON_VIRTUAL_UPDATE_END;
`;

  test('gives every property', () => {
    const d = only(text);
    expect(d).toMatchObject({
      name: 'marts.daily_orders',
      description: 'Orders of all stores.',
      cron: '@hourly',
      cronTz: 'Europe/Berlin',
      start: '2024-01-01',
      end: '1 week ago',
      intervalUnit: 'hour',
      grains: [['order_date', 'store_id']],
      references: ['store_id AS store'],
      owner: 'mara',
      tags: ['gold', 'pii'],
      terms: ['revenue'],
      columnDescriptions: { order_date: 'UTC day', store_id: 'store' },
      columnTags: { order_date: ['a', 'b'] },
      declaredDependencies: ['raw.orders', 'raw.stores'],
      partitionedBy: ['order_date', "DATE_TRUNC('month', order_date)"],
      clusteredBy: ['store_id'],
      tableFormat: 'iceberg',
      storageFormat: 'parquet',
      physicalProperties: { a: '1', 'b.c': "'x'" },
      virtualProperties: { v: 'true' },
      stamp: 'v2',
      isEnabled: true,
      allowPartials: true,
      ignoredRules: ['noselectstar'],
      signals: [
        { name: 'ready', arguments: { hours: '2' } },
        { name: 'other', arguments: {} },
      ],
      profiles: ['revenue'],
      optimizeQuery: false,
      freshness: '26h',
    });
    expect(d.kind).toEqual({
      kind: 'incremental-by-time-range',
      timeColumn: { column: 'order_date', format: '%Y-%m-%d' },
      strictTime: 'warn',
      partitionByTimeColumn: true,
      lookback: 2,
      batchSize: 30,
      forwardOnly: false,
      disableRestatement: false,
      onDestructiveChange: 'error',
      onAdditiveChange: 'allow',
    });
    expect(d.audits).toMatchObject([
      { name: 'not_null', arguments: { columns: '(order_date, store_id)' } },
      { name: 'accepted_range', arguments: { column: 'revenue', min_v: '0' }, isBlocking: false },
    ]);
    const use = d.audits[1]?.at;
    expect(text.slice(use?.start, use?.end)).toBe(
      'accepted_range(column := revenue, min_v := 0, blocking := false)',
    );
    expect(text.slice(d.ranges['kind']?.start, d.ranges['kind']?.end)).toMatch(
      /^INCREMENTAL_BY_TIME_RANGE \(.*30\)$/,
    );
    expect(text.slice(d.ranges['kind.lookback']?.start, d.ranges['kind.lookback']?.end)).toBe('2');
  });

  test('cuts statements and keeps their places', () => {
    const source = sqlOf(only(text));
    const at = (sql: { readonly text: string; readonly start: number }) =>
      text.slice(sql.start, sql.start + sql.text.length);
    expect(source.query.text).toMatch(/^SELECT order_date[\s\S]*'a;b'$/);
    for (const sql of [
      source.query,
      ...source.preStatements,
      ...source.postStatements,
      ...source.onVirtualUpdate,
    ])
      expect(at(sql)).toBe(sql.text);
    expect(source.preStatements.map((s) => s.text)).toEqual(['CREATE TABLE IF NOT EXISTS t (a INT)']);
    expect(source.postStatements.map((s) => s.text)).toEqual(['DROP TABLE t']);
    expect(source.onVirtualUpdate.map((s) => s.text)).toEqual(['GRANT SELECT ON VIEW @this_model TO ROLE x']);
    expect(source.comments.map((c) => c.text)).toEqual(['-- the day']);
  });

  test('reads the same with Windows line ends', () => {
    const { definitions, diagnostics } = load(text.replaceAll('\n', '\r\n'));
    expect(diagnostics.filter(({ code }) => !isAboutEffect(code))).toEqual([]);
    expect(definitions[0]?.description).toBe('Orders of all stores.');
    expect(definitions[0]).toMatchObject({ name: 'marts.daily_orders', tags: ['gold', 'pii'] });
  });
});

describe('kinds', () => {
  test.each([
    ['VIEW', { kind: 'view', materialized: false }],
    ['view (materialized true)', { kind: 'view', materialized: true }],
    ['full', { kind: 'full' }],
    ['EMBEDDED', { kind: 'embedded' }],
    [
      'INCREMENTAL_UNMANAGED (insert_overwrite true)',
      { kind: 'incremental-unmanaged', insertOverwrite: true, forwardOnly: true, disableRestatement: true },
    ],
    ['INCREMENTAL_BY_UNIQUE_KEY (unique_key id)', { uniqueKey: ['id'], batchConcurrency: 1 }],
    ["INCREMENTAL_BY_UNIQUE_KEY (unique_key (a, COALESCE(b, '')))", { uniqueKey: ['a', "COALESCE(b, '')"] }],
    ["INCREMENTAL_BY_UNIQUE_KEY (unique_key ['a', 'b'])", { uniqueKey: ['a', 'b'] }],
    [
      'INCREMENTAL_BY_UNIQUE_KEY (unique_key a, when_matched (WHEN MATCHED THEN UPDATE SET target.x = source.x, target.y = 1), lookback 3)',
      { whenMatched: 'WHEN MATCHED THEN UPDATE SET target.x = source.x, target.y = 1', lookback: 3 },
    ],
    [
      'INCREMENTAL_BY_UNIQUE_KEY (unique_key a, when_matched WHEN MATCHED THEN UPDATE SET x = 1, y = 2, merge_filter source.ds > @start_ds AND a, batch_size 2)',
      {
        whenMatched: 'WHEN MATCHED THEN UPDATE SET x = 1, y = 2',
        mergeFilter: 'source.ds > @start_ds AND a',
        batchSize: 2,
      },
    ],
    [
      'SCD_TYPE_2 (unique_key id)',
      {
        kind: 'scd-type-2-by-time',
        updatedAtName: 'updated_at',
        validFromName: 'valid_from',
        forwardOnly: true,
      },
    ],
    [
      'SCD_TYPE_2_BY_TIME (unique_key (a, b), updated_at_name ts, valid_from_name f, valid_to_name t, time_data_type TIMESTAMPTZ, invalidate_hard_deletes true)',
      {
        updatedAtName: 'ts',
        validFromName: 'f',
        validToName: 't',
        timeDataType: 'TIMESTAMP WITH TIME ZONE',
        invalidateHardDeletes: true,
      },
    ],
    [
      "INCREMENTAL_BY_UNIQUE_KEY (unique_key id, auto_restatement_cron '@weekly')",
      { kind: 'incremental-by-unique-key', autoRestatementCron: '@weekly' },
    ],
    ['SCD_TYPE_2_BY_COLUMN (unique_key id, columns *)', { kind: 'scd-type-2-by-column', columns: '*' }],
    [
      'SCD_TYPE_2_BY_COLUMN (unique_key id, columns [a, "B"], execution_time_as_valid_from true)',
      { columns: ['a', 'b'], executionTimeAsValidFrom: true },
    ],
    [
      'INCREMENTAL_BY_TIME_RANGE (time_column "Ds", strict_time error, on_destructive_change warn)',
      { timeColumn: { column: 'ds' }, strictTime: 'error', onDestructiveChange: 'warn' },
    ],
    [
      "INCREMENTAL_BY_TIME_RANGE (time_column ds, auto_restatement_cron '@weekly', auto_restatement_intervals 3, partition_by_time_column false)",
      { autoRestatementCron: '@weekly', autoRestatementIntervals: 3, partitionByTimeColumn: false },
    ],
  ])('%s', (text, expected) => {
    expect(only(`MODEL (name a.b, kind ${text}); SELECT 1 AS x`).kind).toMatchObject(expected);
  });

  test('a kind that replaces partitions takes them from partitioned_by', () => {
    expect(
      only('MODEL (name a.b, kind INCREMENTAL_BY_PARTITION, partitioned_by ds); SELECT 1 AS ds').kind,
    ).toMatchObject({ forwardOnly: true });
  });

  test('defaults of the project fill what the kind leaves open', () => {
    const withDefaults = loadContext({
      defaults: { onDestructiveChange: 'allow', batchConcurrency: 4, start: '2020-01-01', owner: 'team' },
    });
    const d = only('MODEL (name a.b, kind INCREMENTAL_BY_TIME_RANGE (time_column ds)); SELECT 1 AS ds', {
      context: withDefaults,
    });
    expect(d).toMatchObject({
      start: '2020-01-01',
      owner: 'team',
      kind: { onDestructiveChange: 'allow', batchConcurrency: 4 },
    });
  });

  test('CSV settings of a seed are read with their escapes', () => {
    const d = only(
      `MODEL (name a.b, kind SEED (path '../seeds/x.csv', batch_size 5, csv_settings (delimiter = '\\t', quotechar = '''', na_values = (a = ('-', '?')), keep_default_na = false)))`,
      { path: 'models/a/b.sql' },
    );
    expect(d.kind).toMatchObject({
      batchSize: 5,
      csv: {
        delimiter: '\t',
        quotechar: "'",
        naValues: { a: ['-', '?'] },
        keepDefaultNa: false,
        doublequote: true,
      },
    });
    expect(d.source).toMatchObject({ kind: 'seed', path: 'models/seeds/x.csv' });
  });
});

describe('names', () => {
  test.each([
    ['a.b', 'a.b'],
    ['A.B', 'a.b'],
    ['"A"."B c"', 'a.b c'],
    ['shop.a.b', 'a.b'],
    ['SHOP.a.b', 'a.b'],
    ['other.a.b', 'other.a.b'],
    ['b', 'b'],
  ])('%s is %s', (written, expected) => {
    expect(only(`MODEL (name ${written}); SELECT 1`).name).toBe(expected);
  });

  test('quotes keep the case where the dialect distinguishes it', () => {
    expect(only('MODEL (name a."B", dialect postgres); SELECT 1').name).toBe('a.B');
    expect(only('MODEL (name a."B", dialect snowflake); SELECT 1').name).toBe('a.b');
    expect(only('MODEL (name `proj-1.Data.T`, dialect bigquery); SELECT 1').name).toBe('proj-1.data.t');
    expect(only('MODEL (name proj-1.Data.T, dialect bigquery); SELECT 1').name).toBe('proj-1.data.t');
  });

  test('a model without a name takes it from its path, the last three steps at most', () => {
    expect(only('MODEL (kind FULL); SELECT 1', { path: 'models/marts/orders.sql' }).name).toBe(
      'marts.orders',
    );
    expect(only('SELECT 1', { path: 'models/x/cat/marts/Orders.sql' }).name).toBe('cat.marts.orders');
    expect(only('SELECT 1', { path: 'models/orders.sql' }).name).toBe('orders');
  });
});

describe('which statement is the query', () => {
  test.each([
    'WITH x AS (SELECT 1) SELECT * FROM x',
    '(SELECT 1) UNION ALL (SELECT 2)',
    'FROM raw.orders',
    'VALUES (1)',
    'PIVOT t ON x USING sum(y)',
    "@UNION('all', a.b, a.c)",
    '@my_query(1)',
    '@WITH(TRUE) x AS (SELECT 1) SELECT * FROM x',
    'WITH update AS (SELECT 1) SELECT * FROM update',
  ])('%s', (query) => {
    expect(sqlOf(only(`MODEL (name a.b); @DEF(x, 1); ${query}`)).query.text).toBe(query);
  });

  test('an INSERT behind WITH is a statement', () => {
    const source = sqlOf(
      only(
        'MODEL (name a.b); WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x; SELECT 2; @IF(@a, DROP TABLE t)',
      ),
    );
    expect(source.query.text).toBe('SELECT 2');
    expect(source.preStatements).toHaveLength(1);
    expect(source.postStatements[0]?.text).toBe('@IF(@a, DROP TABLE t)');
  });

  test('Jinja sections are not read as SQL', () => {
    const text = `MODEL (name a.b);
JINJA_STATEMENT_BEGIN;
{# it's a comment; really #} {% if x %} DROP TABLE t; {% endif %}
JINJA_END;
JINJA_QUERY_BEGIN;
SELECT {{ "it's" }} AS x;
JINJA_END;
ON_VIRTUAL_UPDATE_BEGIN;
JINJA_STATEMENT_BEGIN; {{ grant("'") }} JINJA_END;
ON_VIRTUAL_UPDATE_END;`;
    const source = sqlOf(only(text));
    expect(source.query).toMatchObject({
      isJinja: true,
      text: `SELECT {{ "it's" }} AS x;`,
      start: text.indexOf('SELECT'),
    });
    expect(source.preStatements).toMatchObject([
      { isJinja: true, text: "{# it's a comment; really #} {% if x %} DROP TABLE t; {% endif %}" },
    ]);
    expect(source.onVirtualUpdate).toMatchObject([{ isJinja: true, text: `{{ grant("'") }}` }]);
  });

  test('a commented Jinja marker begins nothing', () => {
    expect(sqlOf(only('MODEL (name a.b);\n-- JINJA_QUERY_BEGIN;\nSELECT 1')).query.text).toBe('SELECT 1');
  });

  test('statements around the loading of a seed are split at its mark', () => {
    const d = only(
      "MODEL (name a.b, kind SEED (path 'x.csv')); CREATE TABLE a (x INT); @INSERT_SEED(); DROP TABLE a;",
    );
    expect(d.source).toMatchObject({
      preStatements: [{ text: 'CREATE TABLE a (x INT)' }],
      postStatements: [{ text: 'DROP TABLE a' }],
    });
  });
});

describe('columns', () => {
  test('types are canonical, comments describe, constraints are ignored', () => {
    const d = only(
      `MODEL (name a.b, columns (id int PRIMARY KEY, "Name" varchar(10) NOT NULL COMMENT 'who', s STRUCT(a INT, b DECIMAL(10, 2)[]), m MAP(VARCHAR, INT), t timestamptz)); SELECT 1`,
    );
    expect(d.declaredColumns).toEqual([
      { name: 'id', type: 'INTEGER' },
      { name: 'name', type: 'VARCHAR' },
      { name: 's', type: 'STRUCT(a INTEGER, b DECIMAL(10,2)[])' },
      { name: 'm', type: 'MAP(VARCHAR, INTEGER)' },
      { name: 't', type: 'TIMESTAMP WITH TIME ZONE' },
    ]);
    expect(d.columnDescriptions).toEqual({ name: 'who' });
  });

  test('nested types of other dialects are read', () => {
    const d = only(
      'MODEL (name a.b, dialect bigquery, columns (a STRUCT<x INT64, y ARRAY<STRUCT<z STRING>>>, b STRING)); SELECT 1',
    );
    expect(d.declaredColumns).toEqual([
      { name: 'a', type: 'STRUCT(x BIGINT, y STRUCT(z VARCHAR)[])' },
      { name: 'b', type: 'VARCHAR' },
    ]);
  });
});

describe('variables and blueprints', () => {
  const variables = loadContext({
    variables: {
      schema: "'eu'",
      kind: 'FULL',
      every: "'@hourly'",
      n: '3',
      long: "'INCREMENTAL_BY_TIME_RANGE (time_column ds)'",
    },
  });

  test('variables are put into every property', () => {
    const d = only(
      "MODEL (name @{schema}.orders_@n, kind @kind, cron @every, owner @VAR('who', mara), tags (@n, 'x'), description @'made for @{schema}', start @VAR('missing', '2020-01-01')); SELECT 1",
      { context: variables },
    );
    expect(d).toMatchObject({
      name: 'eu.orders_3',
      kind: { kind: 'full' },
      cron: '@hourly',
      owner: 'mara',
      tags: ['3', 'x'],
      description: 'made for eu',
      start: '2020-01-01',
    });
  });

  test('a variable can hold a kind with its options', () => {
    expect(only('MODEL (name a.b, kind @long); SELECT 1 AS ds', { context: variables }).kind).toMatchObject({
      timeColumn: { column: 'ds' },
    });
  });

  test('each blueprint is a model with its own variables', () => {
    const { definitions, diagnostics } = load(
      `MODEL (name @{region}.orders, kind @k, blueprints ((region := north, k := FULL, label := 'N'), (region := 'south', k := VIEW, label := 'S'),),);
       SELECT @label AS label`,
    );
    expect(diagnostics).toEqual([]);
    expect(definitions.map((d) => [d.name, d.kind.kind, d.blueprint])).toEqual([
      ['north.orders', 'full', { region: 'north', k: 'FULL', label: "'N'" }],
      ['south.orders', 'view', { region: "'south'", k: 'VIEW', label: "'S'" }],
    ]);
  });

  test('macro functions are asked of the evaluator', () => {
    const asked: string[] = [];
    const evaluateMacro: ModelContext['evaluateMacro'] = (call) => {
      asked.push(call);
      return { ok: true, text: call.includes('more') ? 'owner x, tags (a)' : 'TRUE' };
    };
    const d = only('MODEL (name a.b, enabled @IF(1 = 1, TRUE, FALSE), @more()); SELECT 1', {
      context: loadContext({ evaluateMacro }),
    });
    expect(d).toMatchObject({ isEnabled: true, owner: 'x', tags: ['a'] });
    expect(asked).toEqual(['@more()', '@IF(1 = 1, TRUE, FALSE)']);
  });

  test('audits and properties keep their macros for later', () => {
    const d = only('MODEL (name a.b, audits (x(v := @start_ds)), physical_properties (p = @q)); SELECT 1');
    expect(d.audits[0]?.arguments).toEqual({ v: '@start_ds' });
    expect(d.physicalProperties).toEqual({ p: '@q' });
  });

  test('another gateway brings its own defaults, variables and catalog', () => {
    const two = loadContext({
      variables: { schema: "'local_schema'" },
      others: {
        warehouse: {
          engine: 'postgres',
          defaultCatalog: 'dw',
          variables: new Map([['schema', "'dw_schema'"]]),
        },
      },
    });
    const d = only(
      'MODEL (name dw.@{schema}.t, gateway warehouse, session_properties (x = 1)); SET x = 1; SELECT 1',
      { context: two },
    );
    expect(d).toMatchObject({ name: 'dw_schema.t', gateway: 'warehouse', sessionProperties: { x: '1' } });
  });
});

test('the dialect of a file is that of its gateway when it names none', () => {
  const two = loadContext({
    others: { spark: { engine: 'spark', defaults: { ...plainDefaults, dialect: 'spark' } } },
  });
  const d = only('MODEL (name a.`B`, gateway spark); SELECT "it\'s" AS x', { context: two });
  expect(d).toMatchObject({ name: 'a.b', dialect: 'spark', gateway: 'spark' });
});

describe('files around the model', () => {
  test('AUDIT blocks of a model file belong to the model', () => {
    const d = only(
      'MODEL (name a.b, audits (mine)); SELECT 1 AS x; AUDIT (name mine); SELECT * FROM @this_model WHERE x = 2; DROP TABLE t',
    );
    expect(d.inlineAudits).toMatchObject([
      { name: 'mine', query: { text: 'SELECT * FROM @this_model WHERE x = 2' } },
    ]);
    expect(sqlOf(d).postStatements.map((s) => s.text)).toEqual(['DROP TABLE t']);
  });

  test('what another model file of SQLMesh has and we do not is a note', () => {
    const { definitions, diagnostics } = load(
      marked(
        "MODEL (name a.b, «physical_version» 'x', «formatting» false, «grants» (select = ['u'])); SELECT 1",
      ).text,
    );
    expect(definitions).toHaveLength(1);
    expect(diagnostics.map((d) => [d.code, d.severity])).toEqual([
      ['model.unused-property', 'note'],
      ['model.unused-property', 'note'],
      ['model.unused-property', 'note'],
    ]);
  });

  test('a Python file without a model is nothing, with one it is reported and its name remembered', () => {
    expect(load('import x\n', { path: 'models/__init__.py' })).toEqual({
      definitions: [],
      diagnostics: [],
      brokenNames: [],
    });
    const { brokenNames } = load(
      'from sqlmesh import model\n\n@model("Raw.Orders", kind="full")\ndef f(): ...',
      { path: 'models/o.py' },
    );
    expect(brokenNames).toEqual(['raw.orders']);
  });

  test('a broken file tells which models it would have had', () => {
    expect(load("MODEL (name a.b); SELECT 'x").brokenNames).toEqual(['a.b']);
    expect(load('MODEL (name a.b, kind FUL); SELECT 1').brokenNames).toEqual(['a.b']);
    expect(load('MODEL (name a.b);').brokenNames).toEqual(['a.b']);
  });
});

describe('Jinja comments in plain SQL', () => {
  test('are comments: the engine never gets them, and places stay what they were', () => {
    const text =
      "{# about it #}\nMODEL (name a.b, kind FULL); {# a; it's #}\nSELECT id, {# inside #} '{# no #}' AS s FROM c.d {# end #}";
    const { query } = sqlOf(only(text));
    expect(query.text).toBe(`SELECT id, ${' '.repeat(12)} '{# no #}' AS s FROM c.d`);
    expect(query.start).toBe(text.indexOf('SELECT'));
  });

  test('one that is never closed is told with its place', () => {
    const { diagnostics } = load('MODEL (name a.b, kind FULL);\nSELECT 1 AS a {# for ever');
    expect(diagnostics.map(({ message }) => message).join()).toContain(
      'a comment opened with {# is never closed',
    );
  });
});
