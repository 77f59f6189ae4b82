/*
 * The long form of http.test.ts: schemathesis (PyPI) makes requests from both OpenAPI documents and holds the answers
 * against them: no 5xx, no undocumented status, type or shape. By command only, since it needs PyPI and minutes:
 *
 *   PLINTH_SCHEMATHESIS=30 npx vitest run tests/hostile/http-schemathesis.test.ts      (30 examples per operation)
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PYTHON_FOLDER } from '../e2e/python-venv.ts';
import { servedTwins } from '../e2e/served-twins.ts';

const EXAMPLES = process.env['PLINTH_SCHEMATHESIS'];
/** In a folder that git ignores. */
const VENV = join(PYTHON_FOLDER, '.venvs/schemathesis');
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'response_headers_conformance',
  'negative_data_rejection',
  'unsupported_method',
];
const HOUR_MS = 3_600_000;

function program(): string {
  const found = join(VENV, 'bin/st');
  if (existsSync(found)) return found;
  const made = spawnSync('python3', ['-m', 'venv', VENV], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  const installed = spawnSync(join(VENV, 'bin/pip'), ['install', '-q', 'schemathesis'], { encoding: 'utf8' });
  if (installed.status !== 0) throw new Error(installed.stderr);
  return found;
}

/** What a program says; how it ends is part of that. */
const output = (file: string, args: readonly string[], cwd: string): Promise<string> =>
  new Promise((resolve) => {
    execFile(file, args, { cwd, timeout: HOUR_MS, maxBuffer: 1e9 }, (error, stdout, stderr) =>
      resolve(`${stdout}${stderr}\nexit ${error?.code ?? 0}`),
    );
  });

test.skipIf(EXAMPLES === undefined)(
  'schemathesis finds no 5xx and no answer that the documents do not have',
  async () => {
    const st = program();
    const twins = await servedTwins();
    try {
      const token = await twins.person('acme', 'ann', { role: 'admin', groups: ['admin'] });
      // 414 and 431 refuse what is too long as well as 422 does.
      writeFileSync(
        join(twins.served.folder, 'schemathesis.toml'),
        'checks.negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "413", "414", "415", "422", "431"]\n',
      );
      const run = async (name: string, base: string, header: string) => {
        const file = join(twins.served.folder, `${name}.json`);
        const credential = name === 'platform' ? { apikey: twins.root } : { bearer: token };
        const at = name === 'platform' ? base.replace('/v1', '') : base;
        writeFileSync(file, (await twins.ask('GET', `${at}/openapi.json`, credential)).text);
        // Not synchronous: the server waits for whoever reads its log.
        return output(
          st,
          [
            ...['run', file, '--url', base, '--header', header, '--no-color', '--no-shrink'],
            ...[
              '--checks',
              CHECKS.join(','),
              '--max-examples',
              String(EXAMPLES),
              '--phases',
              'coverage,fuzzing',
            ],
            // A stream has no end; a tenant that is removed is missing to all that follows.
            ...['--exclude-operation-id', 'streamEvents', '--exclude-operation-id', 'deleteTenant'],
            ...['--request-timeout', '60', '--continue-on-failure'],
          ],
          twins.served.folder,
        );
      };
      const product = await run('product', twins.acme, `Authorization: Bearer ${token}`);
      expect(product, product).toMatch(/exit 0$/);
      const platform = await run('platform', `${twins.served.url}/platform-api/v1`, `apikey: ${twins.root}`);
      expect(platform, platform).toMatch(/exit 0$/);
    } finally {
      await twins.stop();
    }
  },
  2 * HOUR_MS,
);
