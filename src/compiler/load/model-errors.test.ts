import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../tests/support/cpu-time.ts';
import { loadContext } from '../../../tests/support/load-context.ts';
import { marked } from '../../../tests/support/marked-source.ts';
import { loadModelFile } from './load-model-file.ts';
import type { ModelContext } from './model-context.ts';

const context = loadContext();

/** Loads a marked source and expects exactly this diagnostic, at the mark. */
function expectAt(
  source: string,
  code: string,
  options: {
    readonly path?: string;
    readonly context?: ModelContext;
    readonly hint?: string;
    readonly message?: string;
  } = {},
) {
  const { text, ranges } = marked(source);
  const path = options.path ?? 'models/a/b.sql';
  const { diagnostics } = loadModelFile({ path, text }, options.context ?? context);
  // Which keys have an effect is asked in tests/keys.
  const places = diagnostics
    .filter((d) => d.code === code || d.code !== 'model.unused-property')
    .map((d) => ({
      code: d.code,
      marked: text.slice(d.at?.start, d.at?.end),
      start: d.at?.start,
      end: d.at?.end,
      file: d.at?.file,
    }));
  expect(places).toEqual(
    ranges.map((r) => ({ code, marked: text.slice(r.start, r.end), start: r.start, end: r.end, file: path })),
  );
  if (options.hint !== undefined) expect(diagnostics[0]?.hint).toBe(options.hint);
  if (options.message !== undefined) expect(diagnostics[0]?.message).toBe(options.message);
}

describe('the block', () => {
  test.each([
    ['model.unclosed-block', '«MODEL (» name a.b, kind FULL; SELECT 1'],
    ['model.unclosed-block', '«MODEL (» name a.b, tags (x); SELECT 1'],
    ['model.missing-semicolon', 'MODEL (name a.b) «SELECT» 1'],
    ['model.block-not-first', 'SELECT 1; «MODEL» (name a.b);'],
    ['model.several-blocks', 'MODEL (name a.b); SELECT 1; «MODEL» (name a.c); SELECT 2'],
    ['model.not-a-property', 'MODEL (name a.b, «= 3»); SELECT 1'],
    ['model.missing-comma', "MODEL (name a.b, kind FULL «cron» '@daily', tags (x) «owner» me); SELECT 1"],
    ['model.duplicate-property', 'MODEL (name a.b, owner x, «owner» y); SELECT 1'],
    ['model.missing-value', 'MODEL (name a.b, «owner», «cron»); SELECT 1'],
    [
      'model.conflicting-properties',
      'MODEL (name a.b, grain a, grains (a), «grain» b); SELECT 1'.replace('grain a, ', ''),
    ],
    ['model.conflicting-properties', 'MODEL (name a.b, audits (x), «assertions» (y)); SELECT 1'],
    [
      'model.conflicting-properties',
      'MODEL (name a.b, «table_properties» (a = 1), physical_properties (a = 1)); SELECT 1',
    ],
    ['model.conflicting-properties', "MODEL (name a.b, end «'2024-01-01'»); SELECT 1"],
    ['model.conflicting-properties', "MODEL (name a.b, start '2024-02-01', end «'2024-01-01'»); SELECT 1"],
    ['model.conflicting-properties', "MODEL (name a.b, cron '@hourly', interval_unit «day»); SELECT 1"],
    ['model.foreign-dialect', 'MODEL (name a.b, dialect «starrocks»); SELECT 1'],
    ['model.unused-property', 'MODEL (name a.b, «formatting» false); SELECT 1'],
  ])('%s: %s', (code, source) => expectAt(source, code));

  test('an unknown property suggests the one that was meant', () => {
    expectAt('MODEL (name a.b, «onwer» mara); SELECT 1', 'model.unknown-property', {
      hint: 'did you mean owner?',
    });
    expectAt('MODEL (name a.b, «wholly_unknown» 1); SELECT 1', 'model.unknown-property');
  });

  test('all errors of a file are reported at once', () => {
    const { text } = marked('MODEL (name a.b, knd FULL, cron 12, tags, start never); SELECT 1; SELECT 2');
    const { diagnostics, definitions } = loadModelFile({ path: 'models/a/b.sql', text }, context);
    expect(diagnostics.map((d) => d.code)).toEqual([
      'model.unknown-property',
      'model.wrong-value',
      'model.missing-value',
      'model.wrong-value',
      'model.several-queries',
    ]);
    expect(definitions.map((d) => d.name)).toEqual(['a.b']);
  });
});

describe('values that do not fit say what was expected', () => {
  test.each([
    ["cron «'every day'»", /cron/],
    ["cron_tz «'Europe/Berlln'»", /IANA/],
    ['interval_unit «fortnight»', /one of year/],
    ["start «'soonish'»", /a date/],
    ['enabled «maybe»', /true or false/],
    ['tags (a, «b c»)', /list of names/],
    ['physical_properties «x»', /key = value/],
    ['physical_properties (a = 1, «b»)', /key = value/],
    ['columns «x»', /list of columns/],
    ['columns (a INT, «b»)', /a type for the column b/],
    ['columns (a INT, «3 INT»)', /a column name/],
    ['column_descriptions (a = «(b, c)»)', /text in quotes/],
    ['depends_on (a.b, «1 + 1»)', /model name/],
    ['audits («1 + 1»)', /list of audits/],
    ['audits («(a := 1)»)', /an audit with a name/],
    ["freshness «'soon'»", /a number and a unit/],
    ['gateway «nowhere»', /gateway of config.yaml/],
    ['dialect «duckbd»', /known dialect/],
    ['description «(a, b)»', /text in quotes/],
  ])('%s', (property, expected) => {
    const { text, range } = marked(`MODEL (name a.b, ${property}); SELECT 1`);
    const loaded = loadModelFile({ path: 'models/a/b.sql', text }, context);
    const diagnostics = loaded.diagnostics.filter(({ code }) => code !== 'model.unused-property');
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({
      code: 'model.wrong-value',
      at: { ...range, file: 'models/a/b.sql' },
    });
    expect(diagnostics[0]?.message).toMatch(expected);
  });
});

describe('kinds', () => {
  test.each([
    ['model.unknown-kind', 'kind «FUL»'],
    ['model.unknown-option', 'kind FULL («lookback» 1)'],
    ['model.unknown-option', 'kind INCREMENTAL_BY_TIME_RANGE (time_column ds, «lokback» 1)'],
    ['model.unknown-option', "kind SEED (path 'x.csv', csv_settings («delimeter» = ','))"],
    ['model.missing-option', 'kind «INCREMENTAL_BY_TIME_RANGE»'],
    ['model.missing-option', 'kind «INCREMENTAL_BY_UNIQUE_KEY» (lookback 1)'],
    ['model.missing-option', 'kind «SEED»'],
    ['model.missing-option', 'kind «INCREMENTAL_BY_PARTITION»'],
    ['model.wrong-value', 'kind INCREMENTAL_BY_TIME_RANGE (time_column ds, lookback «-1»)'],
    ['model.wrong-value', 'kind INCREMENTAL_BY_TIME_RANGE (time_column «ds + 1»)'],
    ['model.wrong-value', 'kind INCREMENTAL_BY_TIME_RANGE (time_column ds, on_destructive_change «explode»)'],
    ['model.wrong-value', 'kind INCREMENTAL_BY_UNIQUE_KEY (unique_key a, when_matched «x = 1»)'],
    ['model.wrong-value', 'kind FULL «x»'],
    ['model.duplicate-property', 'kind INCREMENTAL_BY_TIME_RANGE (time_column ds, lookback 1, «lookback» 2)'],
    [
      'model.conflicting-properties',
      'partitioned_by ds, kind INCREMENTAL_BY_PARTITION («forward_only» true)',
    ],
    ['model.not-for-kind', 'kind VIEW, partitioned_by «ds»'],
    ['model.kind-not-yet', "kind «CUSTOM» (materialization 'x', anything 1)"],
    ['model.kind-not-yet', 'kind «MANAGED»'],
  ])('%s: %s', (code, kind) =>
    expectAt(`MODEL (name a.b, ${kind}); ${kind.includes('SEED') ? '' : 'SELECT 1'}`, code),
  );

  test('an unknown kind or option suggests the one that was meant', () => {
    expectAt('MODEL (name a.b, kind «INCREMENTAL_BY_TIMERANGE»); SELECT 1', 'model.unknown-kind', {
      hint: 'did you mean INCREMENTAL_BY_TIME_RANGE?',
    });
    expectAt('MODEL (name a.b, kind VIEW («materialised» true)); SELECT 1', 'model.unknown-option', {
      hint: 'did you mean materialized?',
    });
  });
});

describe('names', () => {
  test.each([
    ['model.invalid-name', 'MODEL (name «a.b.c.d»); SELECT 1'],
    ['model.invalid-name', "MODEL (name «'a.b'»); SELECT 1"],
    ['model.invalid-name', 'MODEL (name «a b»); SELECT 1'],
    ['model.reserved-separator', 'MODEL (name «marts__dev.orders»); SELECT 1'],
  ])('%s: %s', (code, source) => expectAt(source, code));

  test('a path whose folder has the separator is refused too', () => {
    expectAt('«»SELECT 1', 'model.reserved-separator', { path: 'models/marts__x/b.sql' });
  });
});

describe('statements', () => {
  test.each([
    ['model.no-query', 'MODEL (name «a.b»);'],
    ['model.no-query', 'MODEL (name «a.b»); CREATE TABLE t (a INT);'],
    ['model.no-query', '«M»ODEL (kind FULL);'],
    ['model.several-queries', 'MODEL (name a.b); SELECT 1; «SELECT 2»'],
    ['model.unused-query', "MODEL (name a.b, kind SEED (path 'x.csv')); «SELECT 1»"],
    ['model.unclosed-section', 'MODEL (name a.b); «JINJA_QUERY_BEGIN»; SELECT 1'],
    ['model.unclosed-section', 'MODEL (name a.b); SELECT 1; «ON_VIRTUAL_UPDATE_BEGIN»; GRANT x'],
    [
      'model.transaction-control',
      'MODEL (name a.b); «BEGIN»; SELECT 1; «COMMIT»; «rollback»; «START TRANSACTION»',
    ],
    [
      'model.setting-locked',
      "MODEL (name a.b); «SET» x = 1; «INSTALL» httpfs; «LOAD» httpfs; «ATTACH» 'x.db' AS y; SET VARIABLE z = 1; SELECT 1",
    ],
    ['model.setting-locked', 'MODEL (name a.b, session_properties «(x = 1)»); SELECT 1'],
    ['sql.lexical', "MODEL (name a.b); SELECT «'»abc"],
    ['sql.lexical', "MODEL (name a.b, description «'»x); SELECT 1"],
    ['sql.lexical', 'MODEL (name a.b); «/*» SELECT 1'],
    ['seed.escapes-project', "MODEL (name a.b, kind «SEED (path '../../../x.csv')»);"],
    ['seed.escapes-project', "MODEL (name a.b, kind «SEED (path '/etc/passwd')»);"],
  ])('%s: %s', (code, source) => expectAt(source, code));

  test('settings are a matter of the engine', () => {
    const postgres = loadContext({ gateway: { engine: 'postgres' } });
    expectAt('MODEL (name a.b, session_properties (x = 1)); SET x = 1; SELECT 1', 'none', {
      context: postgres,
    });
  });
});

describe('variables', () => {
  test.each([
    ['model.unknown-variable', 'MODEL (name «@{schema}».b); SELECT 1'],
    ['model.unknown-variable', "MODEL (name a.b, owner «@who», start «@VAR('x')»); SELECT 1"],
    ['model.header-macro', 'MODEL (name a.b, enabled «@IF(TRUE, TRUE, FALSE)»); SELECT 1'],
    ['model.header-macro', 'MODEL (name a.b, «@more(1)»); SELECT 1'],
    ['model.wrong-blueprint', 'MODEL (name a.b, blueprints ((x := 1), «y»)); SELECT 1'],
    ['model.wrong-blueprint', 'MODEL (name a.b, blueprints «x»); SELECT 1'],
  ])('%s: %s', (code, source) => expectAt(source, code));

  test('a wrong field of a cron expression is marked and says what is allowed', () => {
    expectAt("MODEL (name a.b, cron '«61» * * * *'); SELECT 1", 'model.wrong-value', {
      message: "the minute of cron is '61', but 0-59, *, a range a-b, a step */n or a list is expected.",
    });
    expectAt("MODEL (name a.b, cron '0  6 * «FEBR» *'); SELECT 1", 'model.wrong-value', {
      message:
        "the month of cron is 'FEBR', but 1-12 or JAN-DEC, *, a range a-b, a step */n or a list is expected.",
    });
  });
  test('an unquoted cron alias is explained', () => {
    expectAt('MODEL (name a.b, cron «@daily»); SELECT 1', 'model.unknown-variable', {
      hint: "write '@daily' in quotes",
    });
  });

  test('a value made of a variable is marked where the variable stands', () => {
    expectAt('MODEL (name a.b, cron «@every»); SELECT 1', 'model.wrong-value', {
      context: loadContext({ variables: { every: "'nope'" } }),
    });
    expectAt(
      'MODEL (name a.b, kind INCREMENTAL_BY_TIME_RANGE (time_column ds, lookback «@n»)); SELECT 1',
      'model.wrong-value',
      {
        context: loadContext({ variables: { n: "'x'" } }),
      },
    );
  });

  test('what is wrong in every blueprint is reported once', () => {
    expectAt(
      'MODEL (name @x.b, «knd» FULL, cron «1», blueprints ((x := a), (x := c))); SELECT 1'.replace(
        '«knd» FULL, ',
        '',
      ),
      'model.wrong-value',
    );
  });

  test('an evaluator that fails gives its reason', () => {
    const evaluateMacro: ModelContext['evaluateMacro'] = () => ({ ok: false, reason: 'it has no arguments' });
    expectAt('MODEL (name a.b, owner «@who()»); SELECT 1', 'model.header-macro', {
      context: loadContext({ evaluateMacro }),
      message: 'The macro @who in the block cannot be evaluated: it has no arguments.',
    });
  });
});

describe('columns', () => {
  test.each([
    ['model.duplicate-column', 'MODEL (name a.b, columns (id INT, «ID» TEXT)); SELECT 1'],
    [
      'model.undeclared-column',
      "MODEL (name a.b, columns (id INT), column_descriptions «(idd = 'x')»); SELECT 1",
    ],
    ['audit.unnamed-argument', 'MODEL (name a.b, audits (not_null(«id»))); SELECT 1'],
    ['model.duplicate-property', 'MODEL (name a.b, audits (x(a := 1, «a» := 2))); SELECT 1'],
  ])('%s: %s', (code, source) => expectAt(source, code));
});

describe('files', () => {
  test.each(['', '  \n\t', '-- nothing here\n/* at all */'])('an empty file is a warning: %j', (text) => {
    const { diagnostics } = loadModelFile({ path: 'models/a/b.sql', text }, context);
    expect(diagnostics).toMatchObject([
      { code: 'file.empty', severity: 'warning', at: { file: 'models/a/b.sql', start: 0, end: 0 } },
    ]);
  });

  test('a Python model is not loaded yet', () => {
    expectAt('import x\n«@model»("a.b", kind="FULL")\ndef execute(context): ...', 'model.python-not-yet', {
      path: 'models/a/b.py',
    });
  });
});

describe('hostile files', () => {
  // The bound is far above what is measured (about a second on a busy machine) and far below what quadratic work would take.
  const timed = (text: string) => {
    const started = cpuMs();
    const loaded = loadModelFile({ path: 'models/a/b.sql', text }, context);
    expect(cpuMs() - started).toBeLessThan(10_000);
    return loaded;
  };

  test.each([
    [
      'ten thousand nested parentheses in a value',
      `MODEL (name a.b, tags ${'('.repeat(10_000)}x${')'.repeat(10_000)}); SELECT 1`,
    ],
    ['an unclosed block of a megabyte', `MODEL (name a.b, tags (${'x, '.repeat(350_000)}`],
    ['a hundred thousand statements', `MODEL (name a.b); ${'DROP TABLE t;'.repeat(100_000)} SELECT 1`],
    ['a hundred thousand queries', `MODEL (name a.b); ${'SELECT 1;'.repeat(100_000)}`],
    [
      'fifty thousand properties',
      `MODEL (name a.b, ${Array.from({ length: 50_000 }, (_, i) => `p${i} 1`).join(', ')}); SELECT 1`,
    ],
    [
      'a thousand Jinja markers',
      `MODEL (name a.b); ${'JINJA_STATEMENT_BEGIN; x JINJA_END; '.repeat(1_000)} SELECT 1`,
    ],
    [
      'keys of the prototype',
      "MODEL (name a.b, physical_properties (__proto__ = 1, constructor = 2), column_descriptions (__proto__ = 'x'), kind FULL); SELECT 1",
    ],
    ['ten thousand variables', `MODEL (name a.b, tags (${'@x, '.repeat(10_000)})); SELECT 1`],
  ])('%s is read in bounded time', (_, text) => {
    timed(text);
  });

  test('a property called __proto__ is a property', () => {
    const { definitions } = timed(
      'MODEL (name a.b, physical_properties (__proto__ = 1), kind FULL); SELECT 1',
    );
    expect(Object.keys(definitions[0]?.physicalProperties ?? {})).toEqual(['__proto__']);
  });
});
