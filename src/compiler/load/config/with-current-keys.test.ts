import { expect, test } from 'vitest';
import { loadConfig } from './load-config.ts';

function load(text: string) {
  return loadConfig({ files: [{ path: 'config.yaml', text }], folderName: 'shop', environment: {} });
}

test.each([
  'gateway:\n  connection: {type: duckdb, database: a.db}\n',
  'gateways:\n  connection: {type: duckdb, database: a.db}\n  variables: {region: eu}\n',
  'gateway:\n  local:\n    connection: {type: duckdb, database: a.db}\n',
])('one gateway without a name, or under the older key, is read: %j', (text) => {
  const { config, diagnostics } = load(text);
  expect(diagnostics).toEqual([]);
  expect(config.defaultGateway).toBe('local');
  expect(config.gateways['local']?.connection.options).toMatchObject({ database: 'a.db' });
});

test('a gateway that is called connection stays one', () => {
  const { config, diagnostics } = load('gateways:\n  connection:\n    connection: {type: duckdb}\n');
  expect(diagnostics).toEqual([]);
  expect(Object.keys(config.gateways)).toEqual(['connection']);
});

test('physical_schema_override is noted as without effect', () => {
  const { diagnostics } = load('physical_schema_override:\n  raw: store\n');
  expect(diagnostics.map(({ code }) => code)).toEqual(['config.key-without-effect']);
});

test('both keys at once: the older one is unknown', () => {
  const { diagnostics } = load('gateway: {}\ngateways: {a: {connection: {type: duckdb}}}\n');
  expect(diagnostics.map(({ code, at }) => [code, at?.start])).toEqual([['yaml.unknown-key', 0]]);
});
