import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { jsonSchemas } from './json-schemas.ts';

const schemas = jsonSchemas();

test('there is one for each kind of file', () => {
  expect(Object.keys(schemas).sort()).toEqual([
    'config',
    'dq',
    'external_models',
    'metric',
    'semantic',
    'test',
    'usage',
  ]);
});

describe('each', () => {
  test.each(Object.entries(schemas))('%s is the published one (npm run generate)', (kind, schema) => {
    const path = new URL(`../../../../docs/reference/schemas/${kind}.json`, import.meta.url);
    expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(schema, null, 2)}\n`);
  });

  test.each(Object.entries(schemas))('%s has only references that lead somewhere', (_, schema) => {
    const text = JSON.stringify(schema);
    const definitions = Object.keys((schema['$defs'] ?? {}) as object);
    for (const [, name] of text.matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)) expect(definitions).toContain(name);
  });
});
