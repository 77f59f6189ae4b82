import { describe, expect, test } from 'vitest';
import { plainDefaults } from '../../../tests/support/load-context.ts';
import { marked } from '../../../tests/support/marked-source.ts';
import type { Config, Connection } from '../../domain/config.ts';
import { loadModelFile } from './load-model-file.ts';
import { modelContext, sqlText } from './model-context.ts';

function config(changed: {
  readonly connection?: Partial<Connection>;
  readonly kind?: Config['modelDefaults']['kind'];
}): Config {
  const connection: Connection = { type: 'duckdb', options: {}, ...changed.connection };
  const gateway = {
    name: 'Local',
    connection,
    stateConnection: connection,
    testConnection: connection,
    stateSchema: 's',
    variables: { b: 2 },
    modelDefaults: {},
  };
  return {
    file: 'config.yaml',
    gateways: { Local: gateway },
    defaultGateway: 'Local',
    modelDefaults: { ...plainDefaults, ...(changed.kind === undefined ? {} : { kind: changed.kind }) },
    variables: { a: "it's", b: 1, list: ['x', true, null] },
  } as unknown as Config;
}

describe('the context of a configuration', () => {
  test.each<[Partial<Connection>, string | undefined]>([
    [{}, 'memory'],
    [{ options: { database: ':memory:' } }, 'memory'],
    [{ options: { database: 'data/shop.duckdb' } }, 'shop'],
    [{ options: { catalogs: { main_db: 'x.db', other: 'y.db' } } }, 'main_db'],
    [{ type: 'postgres', options: { database: 'dw' } }, 'dw'],
    [{ type: 'trino', options: { catalog: 'hive' } }, 'hive'],
    [{ type: 'mysql', options: { database: 'x' } }, undefined],
  ])('%j has the catalog %s', (connection, expected) => {
    expect(modelContext(config({ connection })).context.gateways.get('local')?.defaultCatalog).toBe(expected);
  });

  test('variables are SQL texts, the gateway last', () => {
    const { context } = modelContext(config({}));
    expect(Object.fromEntries(context.gateways.get('local')?.variables ?? [])).toEqual({
      a: "'it''s'",
      b: '2',
      list: "('x', TRUE, NULL)",
      gateway: "'Local'",
    });
    expect(sqlText({ x: 1 })).toBe('(x = 1)');
  });

  test('a default kind is read once, and what is wrong with it is said once', () => {
    const good = modelContext(
      config({ kind: { name: 'INCREMENTAL_BY_TIME_RANGE', options: { time_column: 'ds', lookback: 2 } } }),
    );
    expect(good.diagnostics).toEqual([]);
    expect(good.context.gateways.get('local')?.defaultKind).toMatchObject({
      kind: 'incremental-by-time-range',
      timeColumn: { column: 'ds' },
      lookback: 2,
    });
    const bad = modelContext(config({ kind: { name: 'FUL', options: {} } }));
    expect(bad.diagnostics).toMatchObject([{ code: 'model.unknown-kind', hint: 'did you mean FULL?' }]);
    expect(bad.context.gateways.get('local')?.defaultKind).toEqual({ kind: 'view', materialized: false });
  });

  test('built-in macro functions work in blocks, with the variables of the project', () => {
    const { context } = modelContext(config({}));
    const load = (text: string) => loadModelFile({ path: 'models/x/y.sql', text }, context);
    const { definitions, diagnostics } = load(
      "MODEL (name a.b, enabled @IF(@b = 2, TRUE, FALSE), owner @IF(@gateway = 'Local', here, there), tags (@EACH(['p', 'q'], x -> x)), start @EVAL('2020' || '-01-01')); SELECT 1",
    );
    expect(diagnostics).toEqual([]);
    expect(definitions).toMatchObject([
      { isEnabled: true, owner: 'here', tags: ['p', 'q'], start: '2020-01-01' },
    ]);
    const blueprints = load('MODEL (name s.@n, blueprints @EACH([u, v], x -> (n := x))); SELECT 1');
    expect(blueprints.diagnostics).toEqual([]);
    expect(blueprints.definitions.map((d) => d.name)).toEqual(['s.u', 's.v']);
  });

  test('a macro that does not exist is placed and explained', () => {
    const { text, range } = marked('MODEL (name a.b, owner «@no_such_macro(1)»); SELECT 1');
    const { diagnostics } = loadModelFile({ path: 'models/x/y.sql', text }, modelContext(config({})).context);
    expect(diagnostics).toMatchObject([
      { code: 'model.header-macro', at: { file: 'models/x/y.sql', ...range } },
    ]);
    expect(diagnostics[0]?.message).toContain('no_such_macro');
  });
});
