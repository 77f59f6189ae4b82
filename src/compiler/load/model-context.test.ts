import { describe, expect, test } from 'vitest';
import { plainDefaults } from '../../../tests/load-context.ts';
import type { Config, Connection } from '../../domain/config.ts';
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
});
