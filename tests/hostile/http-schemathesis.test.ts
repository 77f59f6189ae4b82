/*
 * Requests that schemathesis (PyPI) makes up from both OpenAPI documents, all of its checks and phases. A few for each
 * operation at every run of the tests; more by command, which takes minutes:
 *
 *   PLINTH_SCHEMATHESIS=100 npx vitest run tests/hostile/http-schemathesis.test.ts      (100 examples per operation)
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PYTHON_FOLDER } from '../e2e/python-venv.ts';
import { type ServedTwins, servedTwins } from '../e2e/served-twins.ts';

const EXAMPLES = process.env['PLINTH_SCHEMATHESIS'];
/** In a folder that git ignores. */
const VENV = join(PYTHON_FOLDER, '.venvs/schemathesis');
const HOUR_MS = 3_600_000;

/** A question may be wrong in ways that no schema says (SQL, names of members): then it is 422. */
const SETTINGS = `
checks.negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "410", "413", "414", "415", "422", "431"]
checks.positive_data_acceptance.expected-statuses = ["2xx", "304", "401", "403", "404", "409", "410", "422"]
`;

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

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly operationId: string; readonly responses: unknown }>>>
  >;
  readonly components: { readonly schemas: unknown };
}

const strict = (document: Document): Document => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [
          method,
          { ...operation, responses: closed(operation.responses) },
        ]),
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
    }, 120_000);
    afterAll(() => twins?.stop(), 60_000);

    test.each(['product', 'platform'] as const)(
      'finds no 5xx and no answer that the document of the %s API does not have',
      async (name) => {
        const base = name === 'product' ? twins.acme : `${twins.served.url}/platform-api/v1`;
        const credential = name === 'platform' ? { apikey: twins.root } : { bearer: token };
        const header = name === 'platform' ? `apikey: ${twins.root}` : `Authorization: Bearer ${token}`;
        const at = name === 'platform' ? base.replace('/v1', '') : base;
        const document = (await twins.ask('GET', `${at}/openapi.json`, credential)).body as Document;
        const file = join(twins.served.folder, `${name}.json`);
        writeFileSync(file, JSON.stringify(strict(document)));
        // Not synchronous: the server waits for whoever reads its log.
        const said = await output(
          (found as { readonly path: string }).path,
          [
            ...['run', file, '--url', base, '--header', header, '--no-color', '--no-shrink'],
            ...['--checks', 'all', '--max-examples', EXAMPLES ?? '2', '--seed', '1'],
            ...['--phases', EXAMPLES === undefined ? 'fuzzing' : 'examples,coverage,fuzzing,stateful'],
            // A stream has no end; a tenant that is removed is missing to all that follows.
            ...['--exclude-operation-id', 'streamEvents', '--exclude-operation-id', 'deleteTenant'],
            ...['--suppress-health-check', 'all', '--request-timeout', '60', '--continue-on-failure'],
          ],
          twins.served.folder,
        );
        if (EXAMPLES !== undefined) writeFileSync(join('/tmp', `schemathesis-${name}.txt`), said);
        expect(said, said).toMatch(/exit 0$/);
      },
      2 * HOUR_MS,
    );
  },
);
