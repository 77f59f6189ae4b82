/*
 * Requests that schemathesis (PyPI) makes up from both OpenAPI documents, all of its checks and phases. A few for each
 * operation at every run of the tests; more by command, which takes minutes:
 *
 *   PLINTH_SCHEMATHESIS=100 npx vitest run tests/hostile/http-schemathesis.test.ts      (100 examples per operation)
 *
 * PLINTH_SCHEMATHESIS_SEED chooses other ones.
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PYTHON_FOLDER } from '../e2e/python-venv.ts';
import { type ServedTwins, servedTwins } from '../e2e/served-twins.ts';

const EXAMPLES = process.env['PLINTH_SCHEMATHESIS'];
const SEED = process.env['PLINTH_SCHEMATHESIS_SEED'] ?? '1';
/** In a folder that git ignores. */
const VENV = join(PYTHON_FOLDER, '.venvs/schemathesis');
const HOUR_MS = 3_600_000;

/** A question may be wrong in ways that no schema says (SQL, names of members): then it is 422. Cursors and tags are opaque, and made-up ones 400. */
const SETTINGS = `
checks.negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "410", "412", "413", "414", "415", "422", "428", "431"]
checks.positive_data_acceptance.expected-statuses = ["2xx", "304", "401", "403", "404", "409", "410", "412", "422", "428"]

[[operations]]
include-operation-id-regex = "^(list|change|put|delete)"
checks.positive_data_acceptance.expected-statuses = ["2xx", "304", "400", "401", "403", "404", "409", "410", "412", "422", "428"]
`;

/** A stream has no end. */
const ENDLESS = ['streamEvents'];
/** Who does one of these to the tenant, the user or the token that asks is nobody from then on: they come last, by themselves. */
const DESTRUCTIVE = ['deleteTenant', 'deleteUser', 'changeUser', 'revokeToken'];

/** Bodies and names that mean something in the project that is served, so that more is reached than refusals. */
const BODIES: Readonly<Record<string, readonly unknown[]>> = {
  submitStatement: [
    { sql: 'SELECT order_id, amount FROM marts.orders ORDER BY 1', wait: 10 },
    { sql: 'SELECT * FROM range(10)', wait: 5, row_limit: 3, on_limit: 'truncate', tags: ['a'] },
    { statement: 'SELECT ? AS a', parameters: [1], wait: 5 },
  ],
  querySemantic: [{ query: { measures: ['orders.revenue'], dimensions: ['orders.status'] } }],
  querySemanticSql: [{ sql: 'SELECT status, MEASURE(revenue) AS revenue FROM orders GROUP BY status' }],
  queryMetric: [{ granularity: 'month' }],
  transpile: [{ query: { measures: ['orders.revenue'] } }, { sql: 'SELECT 1 AS a FROM marts.orders' }],
  queryGraphql: [{ query: '{ orders { status revenue } }' }],
  previewPlan: [{ environment: 'prod' }, { environment: 'dev' }],
};
const NAMES: Readonly<Record<string, string>> = {
  getModel: 'marts.orders',
  queryMetric: 'monthly_revenue',
  getMetric: 'monthly_revenue',
  getApp: 'sales',
};

/** The program, or why it cannot be had. */
function program(): { readonly path: string } | { readonly reason: string } {
  const path = join(VENV, 'bin/st');
  if (existsSync(path)) return { path };
  for (const [command, args] of [
    ['python3', ['-m', 'venv', VENV]],
    [join(VENV, 'bin/pip'), ['install', '-q', 'schemathesis']],
  ] as const) {
    const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
    if (status !== 0) return { reason: (stderr?.trim().split('\n').at(-1) || error?.message) ?? command };
  }
  return { path };
}

/** What a program says; how it ends is part of that. */
const output = (file: string, args: readonly string[], cwd: string): Promise<string> =>
  new Promise((resolve) => {
    execFile(file, args, { cwd, timeout: HOUR_MS, maxBuffer: 1e9 }, (error, stdout, stderr) =>
      resolve(`${stdout}${stderr}\nexit ${error === null ? 0 : (error.code ?? error.signal)}`),
    );
  });

/** Answers may get more fields in later versions; those of this one have exactly what the document says. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const record = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closed(value)]));
  const isObject = typeof record['properties'] === 'object' && [record['type']].flat().includes('object');
  return isObject && record['additionalProperties'] === undefined
    ? { ...record, additionalProperties: false }
    : record;
}

interface Operation {
  readonly operationId: string;
  readonly responses: unknown;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: unknown } };
  };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: unknown };
}

/** With the one kind of credential that is sent, and examples of the project that is served. */
function prepared(operation: Operation, scheme: string): Operation {
  const { operationId, requestBody, parameters } = operation;
  const name = NAMES[operationId];
  return {
    ...operation,
    security: operation.security.filter((each) => Object.hasOwn(each, scheme)),
    responses: closed(operation.responses),
    ...(parameters === undefined
      ? {}
      : {
          parameters: parameters.map((parameter) =>
            parameter.name === 'tenant' && parameter.in === 'path'
              ? { ...parameter, example: 'acme' }
              : parameter.name === 'name' && name !== undefined
                ? { ...parameter, example: name }
                : parameter.name === 'ref'
                  ? { ...parameter, example: 'marts.orders' }
                  : parameter.name === 'environment'
                    ? { ...parameter, example: 'prod' }
                    : parameter,
          ),
        }),
    ...(requestBody === undefined || BODIES[operationId] === undefined
      ? {}
      : {
          requestBody: {
            ...requestBody,
            content: {
              'application/json': {
                schema: {
                  ...(requestBody.content['application/json'].schema as object),
                  examples: BODIES[operationId],
                },
              },
            },
          },
        }),
  };
}

const strict = (document: Document, scheme: string): Document => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [method, prepared(operation, scheme)]),
      ),
    ]),
  ),
  components: { ...document.components, schemas: closed(document.components.schemas) },
});

const found = program();

describe.skipIf('reason' in found)(
  `schemathesis${'reason' in found ? ` (left out: ${found.reason})` : ''}`,
  () => {
    let twins: ServedTwins;
    let token = '';
    beforeAll(async () => {
      twins = await servedTwins();
      token = await twins.person('acme', 'ann', { role: 'admin', groups: ['admin'] });
      writeFileSync(join(twins.served.folder, 'schemathesis.toml'), SETTINGS);
    });
    afterAll(() => twins?.stop());

    test.each([
      ['product', 'all but the stream', ENDLESS],
      ['platform', 'all that destroys nobody', DESTRUCTIVE],
      ['platform', 'what destroys', undefined],
    ] as const)(
      'finds no 5xx and no answer that the document of the %s API does not have (%s)',
      async (name, _, left) => {
        const base = name === 'product' ? twins.acme : `${twins.served.url}/platform-api/v1`;
        const credential = name === 'platform' ? { apikey: twins.root } : { bearer: token };
        const header = name === 'platform' ? `apikey: ${twins.root}` : `Authorization: Bearer ${token}`;
        const at = name === 'platform' ? base.replace('/v1', '') : base;
        const document = (await twins.ask('GET', `${at}/openapi.json`, credential)).body as Document;
        const file = join(twins.served.folder, `${name}.json`);
        writeFileSync(file, JSON.stringify(strict(document, name === 'product' ? 'bearer' : 'apikey')));
        // Not synchronous: the server waits for whoever reads its log.
        const said = await output(
          (found as { readonly path: string }).path,
          [
            ...['run', file, '--url', base, '--header', header, '--no-color', '--no-shrink'],
            ...['--checks', 'all', '--max-examples', EXAMPLES ?? '2', '--seed', SEED],
            ...[
              '--phases',
              EXAMPLES === undefined ? 'examples,fuzzing' : 'examples,coverage,fuzzing,stateful',
            ],
            ...(left === undefined
              ? DESTRUCTIVE.flatMap((id) => ['--include-operation-id', id])
              : left.flatMap((id) => ['--exclude-operation-id', id])),
            ...['--suppress-health-check', 'all', '--request-timeout', '120', '--continue-on-failure'],
            ...['--max-response-time', '120'],
          ],
          twins.served.folder,
        );
        if (EXAMPLES !== undefined)
          writeFileSync(join(tmpdir(), `schemathesis-${name}-${left?.length ?? 0}.txt`), said);
        expect(said, said).toMatch(/exit 0$/);
      },
      2 * HOUR_MS,
    );
  },
);
