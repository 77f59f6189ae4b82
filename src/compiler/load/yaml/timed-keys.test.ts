/** Every key that holds a time, a duration, a cron or a zone is read by the rule of the MODEL block, wherever it stands. */
import { describe, expect, test } from 'vitest';
import type { Schema } from '../../../foundation/yaml/schema.ts';
import { documentSchema } from '../../../foundation/yaml/schema.ts';
import { configSchema } from '../config/config-schema.ts';
import { loadConfig } from '../config/load-config.ts';
import { dqSchema } from './dq-schema.ts';
import { externalModelsSchema } from './external-models.ts';
import { loadModelTests } from './load-model-tests.ts';
import { metricSchema } from './metrics.ts';
import { readFile } from './read-file.ts';
import { semanticSchema } from './semantic-schema.ts';

type Json = Readonly<Record<string, unknown>>;

const TIMED =
  /^(start|end|execution_time|cron|cron_tz|interval_unit|schedule|freshness|max_age|window|interval|offset|trailing|leading|by)$|_?ttl$|_cron$|time_?zone$/;
const FILES: readonly (readonly [string, Schema<unknown>])[] = [
  ['config.yaml', configSchema],
  ['external_models.yaml', externalModelsSchema],
  ['models/semantics/s.yml', semanticSchema],
  ['models/metrics/m.yml', metricSchema],
  ['dq/d.yml', dqSchema],
];

/** Paths of all keys; `[]` is the first item of a list, `*` any key of a map. */
function paths(node: Json, definitions: Json, seen: readonly string[] = []): readonly (readonly string[])[] {
  const name = typeof node['$ref'] === 'string' ? node['$ref'].replace('#/$defs/', '') : undefined;
  if (name !== undefined)
    return seen.includes(name) ? [] : paths(definitions[name] as Json, definitions, [...seen, name]);
  const under = (key: string, inner: unknown): readonly (readonly string[])[] => [
    [key],
    ...paths(inner as Json, definitions, seen).map((path) => [key, ...path]),
  ];
  const found = Object.entries((node['properties'] ?? {}) as Json).flatMap(([key, inner]) =>
    under(key, inner),
  );
  for (const union of ['anyOf', 'oneOf', 'allOf'])
    for (const inner of (node[union] ?? []) as readonly Json[])
      found.push(...paths(inner, definitions, seen));
  if (typeof node['items'] === 'object') found.push(...under('[]', node['items']));
  const more = node['additionalProperties'];
  if (typeof more === 'object' && more !== null) found.push(...under('*', more));
  return found;
}

const documentOf = ([key = '', ...rest]: readonly string[], value: string): unknown => {
  const inner = rest.length === 0 ? value : documentOf(rest, value);
  return key === '[]' ? [inner] : { [key === '*' ? 'any' : key]: inner };
};

describe.each(FILES)('%s', (path, schema) => {
  const document = documentSchema(schema, { title: path }) as Json;
  const timed = [
    ...new Set(
      paths(document, (document['$defs'] ?? {}) as Json)
        .filter((each) => TIMED.test(each.at(-1) ?? '') && !each.some((key) => key.endsWith('connection')))
        .map((each) => each.join('\0')),
    ),
  ].map((each) => each.split('\0'));

  test('has such keys', () => expect(timed.length).toBeGreaterThan(0));

  test.each(timed.map((each) => [each.join('.'), each] as const))('%s', (_, each) => {
    const text = JSON.stringify(documentOf(each, 'no such thing'));
    const { diagnostics } = readFile({ path, text }, schema);
    const at = text.indexOf('"no such thing"');
    const found = diagnostics.filter(
      ({ code, at: place }) => /^yaml\.(bad-value|wrong-type|not-used)$/.test(code) && place?.start === at,
    );
    const isUnused = diagnostics.some(({ code }) => code === 'config.key-without-effect');
    expect(found.length > 0 || isUnused, JSON.stringify(diagnostics)).toBe(true);
  });
});

const config = (text: string, environment: Record<string, string> = {}) =>
  loadConfig({ files: [{ path: 'config.yaml', text }], folderName: 'x', environment });

test.each([
  ["start: '2026'", '2026'],
  ['start: 2026', '2026'],
  ['start: 1704067200', '1704067200'],
  ['start: 2024-13-01', '2024-13-01'],
  ['cron_tz: Mars/Olympus', 'Mars/Olympus'],
  ['interval_unit: fortnight', 'fortnight'],
])('%s is refused among the defaults of all models and of one gateway', (line, value) => {
  const gateway = 'connection: {type: duckdb}';
  for (const text of [`model_defaults: {${line}}`, `gateways: {a: {${gateway}, model_defaults: {${line}}}}`])
    expect(config(text).diagnostics).toContainEqual(
      expect.objectContaining({
        code: 'yaml.bad-value',
        severity: 'error',
        message: expect.stringContaining(value),
      }),
    );
});

test('what the MODEL block takes is taken', () => {
  const text =
    'model_defaults: {start: 2024-01-31, cron_tz: Europe/Berlin, interval_unit: HOUR}\ngateways: {a: {connection: {type: duckdb}, model_defaults: {start: 3 days ago}}, b: {connection: {type: duckdb}, model_defaults: {start: 1704067200000}}}';
  const { config: read, diagnostics } = config(text);
  expect(diagnostics).toEqual([]);
  expect(read.modelDefaults).toMatchObject({
    start: '2024-01-31',
    cronTz: 'Europe/Berlin',
    intervalUnit: 'hour',
  });
  expect(read.gateways['a']?.modelDefaults.start).toBe('3 days ago');
});

test('a value from the environment is checked as one of the file', () => {
  const { diagnostics } = config('model_defaults: {dialect: duckdb}', {
    PLINTH__MODEL_DEFAULTS__START: '2026',
  });
  expect(diagnostics).toMatchObject([{ code: 'config.bad-override', severity: 'error' }]);
});

test('the times at which a model test stands still are times', () => {
  const text = `t:
  model: s.m
  vars: {start: 2024, execution_time: soon, end: 2024-01-02, other: soon, execution_ts: "{{ var('x') }}"}
  outputs: {query: [{a: 1}]}
`;
  const { diagnostics } = loadModelTests(
    { path: 'tests/t.yaml', text },
    { dialect: 'duckdb', environment: {}, variables: { x: '2024-01-01' } },
  );
  expect(diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    "test.bad-time: 2024 cannot be used for start; expected a time such as '2024-01-31' or '1 week ago'.",
    "test.bad-time: soon cannot be used for execution_time; expected a time such as '2024-01-31' or '1 week ago'.",
  ]);
});
