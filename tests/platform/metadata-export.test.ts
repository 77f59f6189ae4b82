import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportGaps } from '../../src/compiler/catalog/export/export-gaps.ts';
import type { ExportSource } from '../../src/compiler/catalog/export/export-source.ts';
import { logicalType } from '../../src/compiler/catalog/export/odcs.ts';
import type { Identity } from '../../src/domain/principal.ts';
import { exportDocument } from '../../src/operations/catalog/export/export-document.ts';
import { readExportSource } from '../../src/operations/catalog/export/read-export-source.ts';
import { pythonWith } from '../e2e/python-venv.ts';
import { ADMIN, identityOf, type ServedProduct, servedProduct } from '../support/served-product.ts';

/** What the publishers of ODCS and OpenLineage have in a registry; of ODPS 1.0.0 no registry has a schema. */
const venv = await pythonWith('exports', [
  'open-data-contract-standard==3.0.5',
  'openlineage-python==1.54.0',
  'jsonschema',
]);

let served: ServedProduct;
let all: ExportSource;
let few: ExportSource;

beforeAll(async () => {
  served = await servedProduct({
    'config.yaml': `name: shown
version: 2.1.0
description: Orders of the shop.
tags: [sales]
access: [{principal: olga, role: owner}, {principal: carl, role: consumer}]
slo: {freshness: {max_age: 26h}, availability: 99.5}
model_defaults: {dialect: duckdb, start: 2025-01-01}
`,
    'usage.yaml': 'good_for:\n  - Counting orders\nnot_for:\n  - "Billing\\n# not a heading"\n',
    'models/raw.sql':
      'MODEL (name s.raw, kind FULL, owner ann);\nSELECT 1 AS id, 2.5::DECIMAL(10, 2) AS amount, 3 AS hidden, TRUE AS ok\n',
    'models/orders.sql': `MODEL (name s.orders, kind VIEW, grain id, description 'Each order once.', column_descriptions (id = 'The key.'),
  audits (not_null(columns := (amount)), unique_values(columns := (id))));
SELECT id, amount * 2 AS amount, [1, 2] AS many, DATE '2025-01-01' AS day FROM s.raw WHERE ok
`,
    'models/semantics/orders.yml': `kind: semantic
name: orders
depends_on: s.orders
primary_key: [id]
dimensions: [id, day]
measures:
  - {name: revenue, type: sum, expression: amount, description: All of it}
policies: [{group: insiders}]
`,
    'models/semantics/raw.yml':
      'kind: semantic\nname: raws\ndepends_on: s.raw\nprimary_key: [id]\ndimensions: [id]\nmeasures: [{name: n, type: count}]\n',
    'models/metrics/revenue.yml':
      'kind: metric\nname: income\nmeasure: orders.revenue\nts: orders.day\ngranularity: day\n',
  });
  const sourceFor = (asker: Identity): Promise<ExportSource> =>
    readExportSource(served.product, asker, {
      environment: undefined,
      ports: { rest: 'https://h/api/v1', graphql: 'https://h/graphql' },
    });
  all = await sourceFor(ADMIN);
  few = await sourceFor(
    identityOf({ productRoles: { [served.product.slug]: 'consumer' }, scopes: ['metadata:read'] }),
  );
});
afterAll(() => served?.close());

/** Anything of these formats, looked into. */
// biome-ignore lint/suspicious/noExplicitAny: documents of others have shapes of their own
type Any = any;

describe('ODCS', () => {
  test('has what v3.0.2 requires, and only keys that it knows', async () => {
    const contract: Any = await exportDocument(all, 'odcs');
    expect(contract).toMatchObject({
      apiVersion: 'v3.0.2',
      kind: 'DataContract',
      id: 'urn:plinth:contract:default-shown',
      version: '2.1.0',
      status: 'active',
      tenant: 'default',
      description: { purpose: 'Orders of the shop.', usage: 'Counting orders' },
      servers: [{ server: 'default-shown', type: 'api', location: 'https://h/api/v1', environment: 'prod' }],
      team: [{ username: 'olga', role: 'owner' }],
      slaProperties: [
        { property: 'latency', value: 26, unit: 'hour' },
        { property: 'availability', value: 99.5, unit: '%' },
      ],
    });
    const known = new Set(
      'version kind apiVersion id name tenant tags status servers dataProduct description domain schema support price team roles slaDefaultElement slaProperties authoritativeDefinitions customProperties contractCreatedTs'.split(
        ' ',
      ),
    );
    expect(Object.keys(contract).filter((key) => !known.has(key))).toEqual([]);
  });
  test('tells columns with types, keys and audits', async () => {
    const { schema }: Any = await exportDocument(all, 'odcs');
    const orders = schema.find(({ name }: Any) => name === 's.orders');
    expect(orders).toMatchObject({
      physicalName: 's.orders',
      physicalType: 'view',
      logicalType: 'object',
      description: 'Each order once.',
    });
    const [id, amount, many] = orders.properties;
    expect(id).toMatchObject({
      name: 'id',
      logicalType: 'integer',
      description: 'The key.',
      primaryKey: true,
      primaryKeyPosition: 1,
      unique: true,
      required: true,
    });
    expect(amount).toMatchObject({
      logicalType: 'number',
      required: true,
      transformSourceObjects: ['s.raw.amount'],
      quality: [
        { name: 'not_null', type: 'custom', engine: 'plinth', implementation: { audit: 'not_null' } },
      ],
    });
    expect(amount.unique).toBeUndefined();
    expect(many.logicalType).toBe('array');
  });
  test.each([
    ['BIGINT', 'integer'],
    ['UTINYINT', 'integer'],
    ['HUGEINT', 'integer'],
    ['INTERVAL', 'string'],
    ['DECIMAL(18,2)', 'number'],
    ['DOUBLE', 'number'],
    ['BOOLEAN', 'boolean'],
    ['TIMESTAMP WITH TIME ZONE', 'date'],
    ['DATE', 'date'],
    ['TIME', 'string'],
    ['VARCHAR', 'string'],
    ['STRUCT(a INTEGER)', 'object'],
    ['STRUCT(a INTEGER)[]', 'array'],
    ['MAP(VARCHAR, INTEGER)', 'object'],
    ['UNKNOWN', undefined],
  ])('calls %s %s', (type, logical) => expect(logicalType(type)).toBe(logical));
});

describe('ODPS', () => {
  test('has what v1.0.0 requires: ports that name the contract', async () => {
    const product: Any = await exportDocument(all, 'odps');
    expect(product).toMatchObject({
      apiVersion: 'v1.0.0',
      kind: 'DataProduct',
      id: 'urn:plinth:product:default-shown',
      status: 'active',
    });
    for (const port of product.outputPorts)
      expect(port).toMatchObject({
        version: '2.1.0',
        contractId: ((await exportDocument(all, 'odcs')) as Any)['id'],
      });
    for (const port of product.managementPorts)
      expect([typeof port.name, typeof port.content, port.url.startsWith('https://h/')]).toEqual([
        'string',
        'string',
        true,
      ]);
  });
});

describe('OpenLineage', () => {
  test('is an event of 2-0-2 for each model, whose inputs are outputs of others', async () => {
    const events = (await exportDocument(all, 'openlineage')) as Any;
    const outputs = new Set(events.flatMap((event: Any) => event.outputs.map(({ name }: Any) => name)));
    expect([...outputs].sort()).toEqual(['s.orders', 's.raw']);
    for (const event of events) {
      expect(event.schemaURL).toBe('https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent');
      expect(new Date(event.eventTime).toISOString()).toBe(event.eventTime);
      expect(URL.canParse(event.producer)).toBe(true);
      for (const { name } of event.inputs) expect(outputs.has(name)).toBe(true);
      const [{ facets }] = event.outputs;
      for (const facet of [...Object.values<Any>(facets), ...Object.values<Any>(event.job.facets)])
        expect([URL.canParse(facet._producer), facet._schemaURL]).toEqual([
          true,
          expect.stringMatching(
            /^https:\/\/openlineage\.io\/spec\/facets\/\d-\d-\d\/\w+\.json#\/\$defs\/\w+$/,
          ),
        ]);
    }
  });
  test('has schema, lineage by columns and documentation', async () => {
    const orders = ((await exportDocument(all, 'openlineage')) as Any).find(
      ({ job }: Any) => job.name === 's.orders',
    );
    const [{ namespace, facets }] = orders.outputs;
    expect(namespace).toBe('plinth://default/default-shown/prod');
    expect(facets.schema.fields[0]).toEqual({ name: 'id', type: 'INTEGER', description: 'The key.' });
    expect(facets.columnLineage.fields.amount.inputFields).toEqual([
      {
        namespace,
        name: 's.raw',
        field: 'amount',
        transformations: [{ type: 'DIRECT', subtype: 'TRANSFORMATION', description: '', masking: false }],
      },
    ]);
    expect(facets.columnLineage.dataset).toMatchObject([
      { name: 's.raw', field: 'ok', transformations: [{ type: 'INDIRECT' }] },
    ]);
    expect(facets.documentation.description).toBe('Each order once.');
    expect(orders.job.facets.sql.query).toContain('FROM s.raw');
  });
});

describe('llms.txt', () => {
  test('is a title, a summary and sections of links; texts of owners make no headings', async () => {
    const text = (await exportDocument(all, 'llms.txt')) as string;
    expect(text.startsWith('# shown\n\n> Orders of the shop.\n')).toBe(true);
    expect(text.match(/^## .*$/gm)).toEqual([
      '## How to ask',
      '## Metrics',
      '## Semantic models',
      '## Models',
    ]);
    expect(text).toContain('- [income](https://h/api/v1/query/metric/income)');
    expect(text).toContain('- Billing # not a heading');
    expect(text.match(/^# /gm)).toHaveLength(1);
  });
});

if (venv.kind === 'missing') console.error(`NOT VALIDATED: ${venv.reason}`);
test.skipIf(venv.kind === 'missing')(
  `the schema of ODCS and the classes of OpenLineage accept them${venv.kind === 'missing' ? `: NOT VALIDATED, ${venv.reason}` : ''}`,
  async () => {
    const odcs: Any = await exportDocument(all, 'odcs');
    const openlineage: Any = await exportDocument(all, 'openlineage');
    const problemsOf = (documents: unknown): readonly string[] => {
      const { stdout, stderr } = spawnSync(
        (venv as { readonly program: string }).program,
        [join(import.meta.dirname, 'validate_exports.py')],
        { input: JSON.stringify(documents), encoding: 'utf8' },
      );
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout);
    };
    expect(problemsOf({ odcs, openlineage })).toEqual([]);
    const [event] = openlineage;
    const wrong = problemsOf({
      odcs: { ...odcs, status: undefined, schema: [{ name: 1 }] },
      openlineage: [{ ...event, job: { ...event.job, named: 'x' } }],
    });
    expect(wrong.filter((each) => each.startsWith('odcs')).length).toBeGreaterThan(1);
    expect(wrong.filter((each) => each.startsWith('openlineage'))).toHaveLength(1);
  },
);

test('the report names what a format cannot say, and nothing that the product does not have', () => {
  const named = (source: ExportSource, format: 'odcs' | 'odps' | 'openlineage') =>
    Object.fromEntries(exportGaps(source, format).map(({ what, how, names }) => [`${what}: ${how}`, names]));
  expect(named(all, 'odcs')).toEqual({
    'audits: custom': ['s.orders: not_null', 's.orders: unique_values'],
    'columns with fields of their own: left-out': ['s.orders.many'],
    'dimensions of semantic models: left-out': ['orders.day', 'orders.id', 'raws.id'],
    'lineage by columns: left-out': ['s.orders'],
    'measures and segments: left-out': ['orders.count', 'orders.revenue', 'raws.count', 'raws.n'],
    'metrics: custom': ['income'],
    'owners of models: custom': ['s.raw'],
  });
  expect(named(all, 'odps')).toMatchObject({
    'models and their columns: left-out': ['s.orders', 's.raw'],
    'promises about the product: left-out': ['availability', 'freshness'],
    'metrics: left-out': ['income'],
  });
  expect(named(all, 'openlineage')).toMatchObject({
    'what the product is good for, and what not: left-out': ['Billing\n# not a heading', 'Counting orders'],
  });
  expect(named(all, 'openlineage')).not.toHaveProperty('lineage by columns: left-out');
  // Policies and scopes hold here, too.
  expect(JSON.stringify(named(few, 'odcs'))).not.toMatch(/income|revenue/);
});

test('what policies and scopes hide is in none of them', async () => {
  const hidden = await Promise.all(
    (['odcs', 'odps', 'openlineage', 'llms.txt'] as const).map(async (format) =>
      JSON.stringify(await exportDocument(few, format)),
    ),
  );
  for (const text of hidden) expect(text).not.toMatch(/income|revenue|FROM s\.raw/);
  const shown = JSON.stringify([await exportDocument(all, 'odcs'), await exportDocument(all, 'llms.txt')]);
  expect(shown).toMatch(/income/);
  expect(JSON.stringify(await exportDocument(all, 'openlineage'))).toMatch(/FROM s\.raw/);
});
