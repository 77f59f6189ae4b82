/** The Python client on the oldest and on a new Python: its own tests, among them those against a live server. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PYTHON_FOLDER, type PythonVenv, pythonVenv, type ReadyPython } from '../e2e/python-venv.ts';
import { SEMANTIC_PROJECT } from '../e2e/semantic-project.ts';
import { newToken, type ServedProject, servedProject } from '../e2e/served-project.ts';

const VERSIONS = ['3.9', '3.13'];
const SUITES: Readonly<Record<string, number>> = {
  test_parameters: 15,
  test_answers: 25,
  test_frames: 15,
  test_live: 17,
};

// Before the tests are named, so that the names can say what is not tested.
const venvs: readonly PythonVenv[] = await Promise.all(VERSIONS.map(pythonVenv));

let project: ServedProject;
let variables: Readonly<Record<string, string>>;

beforeAll(async () => {
  const tokens: string[] = [];
  project = await servedProject(
    {
      ...SEMANTIC_PROJECT,
      'config.yaml': `${SEMANTIC_PROJECT['config.yaml']}tenant: acme\n`,
    },
    async (planned) => {
      await planned.json('user', 'create', 'ada', '--role', 'admin');
      await planned.json('user', 'create', 'nobody');
      tokens.push(await newToken(planned, '--user', 'ada'), await newToken(planned, '--user', 'nobody'));
    },
  );
  const [token = '', stranger = ''] = tokens;
  variables = {
    PLINTH_FQDN: project.url,
    PLINTH_TOKEN: token,
    PLINTH_TEST_URL: project.url,
    PLINTH_TEST_TENANT: 'acme',
    PLINTH_TEST_PRODUCT: 'asked',
    PLINTH_TEST_TOKEN: token,
    PLINTH_TEST_STRANGER: stranger,
    PYTHONPATH: join(PYTHON_FOLDER, 'src'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
});
afterAll(() => project?.stop());

interface Spoken {
  readonly code: number | null;
  readonly output: string;
}

function python({ program, libraries }: ReadyPython, args: readonly string[]): Promise<Spoken> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['-W', 'error::ResourceWarning', ...args], {
      cwd: join(PYTHON_FOLDER, 'tests'),
      env: { ...process.env, ...variables, PLINTH_TEST_LIBRARIES: JSON.stringify(libraries) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

for (const venv of venvs) {
  if (venv.kind === 'missing') {
    console.error(`NOT TESTED: ${venv.reason}`);
    test.skip(`the client is NOT tested on Python ${venv.version}: ${venv.reason}`, () => undefined);
    continue;
  }
  describe(`the client on Python ${venv.version}`, () => {
    test.each(Object.entries(SUITES))('%s', { timeout: 180_000 }, async (suite, least) => {
      const { code, output } = await python(venv, ['-m', 'unittest', '-v', suite]);
      expect(code, output).toBe(0);
      const ran = Number(/^Ran (\d+) tests/m.exec(output)?.[1] ?? 0);
      expect(ran, 'a suite that runs nothing passes, too').toBeGreaterThanOrEqual(least);
    });
    if (venv.libraries.length === 0)
      test.skip(`tables are NOT tested on Python ${venv.version}: no library could be installed`, () =>
        undefined);
  });
}

const [newest] = venvs.filter((venv) => venv.kind === 'ready' && venv.libraries.length === 3).slice(-1);
if (newest === undefined)
  console.error('NOT TESTED: the Python on the page about clients, for no Python has all libraries');
test.skipIf(newest === undefined)('the Python on the page about clients runs as it stands', async () => {
  const page = readFileSync(join(PYTHON_FOLDER, '../docs/guides/clients.md'), 'utf8');
  const blocks = [...page.matchAll(/```python\n([\s\S]*?)```/g)].map(([, block]) => block as string);
  expect(blocks.length).toBeGreaterThan(8);
  const program = blocks.join('\n').replaceAll('"shop"', '"asked"').replaceAll('"default"', '"acme"');
  const { code, output } = await python(newest as ReadyPython, ['-c', program]);
  expect(code, output).toBe(0);
  expect(output).toContain('409 ');
});

const some = venvs.find((venv) => venv.kind === 'ready');
describe.runIf(some !== undefined)('the package', () => {
  test('has asynchronous groups that are what the synchronous ones make', async () => {
    const { code, output } = await python(some as ReadyPython, ['../make_async.py', '--check']);
    expect(code, output).toBe(0);
  });
  test('depends on httpx alone and says that it is typed', () => {
    const text = readFileSync(join(PYTHON_FOLDER, 'pyproject.toml'), 'utf8');
    expect(/^dependencies = (.*)$/m.exec(text)?.[1]).toBe('["httpx>=0.25,<1"]');
    expect(text).toContain('requires-python = ">=3.9"');
    expect(readFileSync(join(PYTHON_FOLDER, 'src/plinth/py.typed'), 'utf8')).toBe('');
  });
  test('has the version of the program', () => {
    const { version } = JSON.parse(readFileSync(join(PYTHON_FOLDER, '../package.json'), 'utf8'));
    expect(readFileSync(join(PYTHON_FOLDER, 'pyproject.toml'), 'utf8')).toContain(`version = "${version}"`);
  });
});
