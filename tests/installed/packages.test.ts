/* What others install: the npm package from outside of this repository, and the Python package as wheel and sdist. */
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PYTHON_FOLDER, type PythonVenv, pythonVenv } from '../e2e/python-venv.ts';
import { type InstalledNode, installedNode } from './node-versions.ts';

const ROOT = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'plinth-packages-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

const run = (
  command: string,
  args: readonly string[],
  cwd = folder,
  programs = join(ROOT, 'node_modules/.bin'),
): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, PATH: `${programs}:${process.env['PATH']}` },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 300_000,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', (error) => resolve({ code: null, output: String(error) }));
    child.on('close', (code) => resolve({ code, output }));
  });

const must = async (command: string, args: readonly string[], cwd?: string): Promise<string> => {
  const { code, output } = await run(command, args, cwd);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${code}\n${output}`);
  return output;
};

const NODE_HERE: string = JSON.parse(
  readFileSync(join(ROOT, 'node_modules/node/package.json'), 'utf8'),
).version;
const REFUSED: readonly string[] = ['20', '23'];
/** The oldest that works, the one of this repository, the newest, and those that are refused. */
const nodes: readonly InstalledNode[] = [
  ...['22.18.0', '26', ...REFUSED].map(installedNode),
  { kind: 'ready', version: NODE_HERE, folder: join(ROOT, 'node_modules/node') },
];
const ready = nodes.filter((node) => node.kind === 'ready');

describe('the npm package', () => {
  const outside = join(folder, 'outside');
  let archive = '';

  beforeAll(async () => {
    // Packed from a copy: making it rebuilds what other tests are running.
    const copy = join(folder, 'copy');
    mkdirSync(copy);
    for (const name of [
      ...[
        'package.json',
        'tsconfig.json',
        'tsconfig.build.json',
        'src',
        'scripts',
        'bin',
        'docs',
        'examples',
      ],
      ...['README.md', 'LICENSE', 'CHANGELOG.md'],
    ])
      cpSync(join(ROOT, name), join(copy, name), {
        recursive: true,
        filter: (path) => !/\/\.plinth(?:\/|$)|\.duckdb$/.test(path),
      });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    await must('npm', ['pack', '--pack-destination', folder], copy);
    archive = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
    mkdirSync(join(outside, 'node_modules/plinth'), { recursive: true });
    await must('tar', ['xzf', archive, '--strip-components=1', '-C', join(outside, 'node_modules/plinth')]);
    writeFileSync(join(outside, 'package.json'), '{"name": "outside", "type": "module", "private": true}');
  }, 300_000);

  test('gives its client with types to a project that knows nothing of this one', async () => {
    writeFileSync(
      join(outside, 'example.ts'),
      `import { DataProductClient, DataProductError } from 'plinth/client';
const client = new DataProductClient({ fqdn: 'http://127.0.0.1:1', dpName: 'shop', accessToken: 'plt_x', tenant: 'default', retries: 0 });
async function names(): Promise<readonly string[]> {
  const { cols } = await client.query.run('SELECT 1 AS one');
  return cols.map(({ name }) => name);
}
try {
  await names();
} catch (error) {
  if (!(error instanceof DataProductError)) throw error;
  const status: number = error.statusCode;
  console.log('refused', status);
}
`,
    );
    writeFileSync(
      join(outside, 'wrong.ts'),
      `import { DataProductClient } from 'plinth/client';
export const client = new DataProductClient({ fqdn: 'x', dpName: 'shop', tenant: 'default' });
`,
    );
    const compiler = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      // Our types are checked, TypeScript's own of the browser need not be.
      '--skipDefaultLibCheck',
    ];
    await must(
      'tsc',
      [...compiler, '--types', '', '--lib', 'es2023,dom,dom.iterable', 'example.ts'],
      outside,
    );
    const wrong = await run(
      'tsc',
      [...compiler, '--types', '', '--lib', 'es2023,dom,dom.iterable', 'wrong.ts'],
      outside,
    );
    expect(wrong.output).toContain('accessToken');
    expect(await must('node', ['example.ts'], outside)).toContain('refused 0');
  });

  test('needs nothing for its client: no module of others, none of Node', () => {
    const client = join(outside, 'node_modules/plinth/dist/client/index.js');
    const texts = [client, ...importsOf(client)].map((path) => readFileSync(path, 'utf8'));
    for (const text of texts) expect(text).not.toMatch(/from\s*["'](?!\.)/);
  });

  test('holds no tests, no state and no sources', async () => {
    const files = readdirSync(join(outside, 'node_modules/plinth'), { recursive: true, encoding: 'utf8' });
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((name) => /\.test\.|\.duckdb$|\/\.plinth\/|^src\/|^tests\//.test(name))).toEqual([]);
    expect(existsSync(join(outside, 'node_modules/plinth/bin/plinth'))).toBe(true);
  });

  describe('as npm installs it', () => {
    const installed = join(folder, 'installed');
    const beside = join(installed, 'node_modules/node');
    const plinth = (cwd: string, programs: string | undefined, ...args: readonly string[]): Promise<Ended> =>
      run(join(installed, 'node_modules/.bin/plinth'), args, cwd, programs);

    beforeAll(async () => {
      mkdirSync(installed);
      writeFileSync(join(installed, 'package.json'), '{"name": "installed", "private": true}');
      await must('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', archive], installed);
    }, 300_000);

    for (const node of nodes.filter(({ kind }) => kind === 'missing'))
      test.skip(`is NOT tested on Node ${node.version}: ${'reason' in node ? node.reason : ''}`, () =>
        undefined);

    test.each(
      ready.flatMap(({ version, folder: home }) => [
        { version, home, place: 'in PATH' },
        { version, home, place: 'beside it' },
      ]),
    )('on Node $version $place: it works, or says which Node it needs', async ({ version, home, place }) => {
      rmSync(beside, { force: true });
      if (place === 'beside it') symlinkSync(home, beside);
      const programs = place === 'in PATH' ? join(home, 'bin') : undefined;
      const own = mkdtempSync(join(folder, 'own-'));
      if (REFUSED.includes(version)) {
        const { code, output } = await plinth(own, programs, 'init', '.', '--empty');
        expect(output).toMatch(
          /^plinth: Node 22\.18, or 24 or newer, is needed, this is 2\d\.[\d.]+\. Next step: npm install node@24 beside plinth\.\n$/,
        );
        expect(code).toBe(2);
        return expect((await plinth(own, programs, '--version')).code).toBe(0);
      }
      for (const args of [
        ['init', '.', '--empty'],
        ['plan', '--yes'],
        ['query', '--format', 'csv', '--sql', 'SELECT id, greeting FROM marts.first_model'],
      ]) {
        const { code, output } = await plinth(own, programs, ...args);
        expect(code, output).toBe(0);
        expect(output).not.toMatch(/warning/i);
        if (args[0] === 'query') expect(output).toBe('id,greeting\n1,hello\n');
      }
      const answer = await plinth(own, programs, '--version', '--json');
      const used: string = JSON.parse(answer.output).data.node;
      expect(`${used}.`).toMatch(new RegExp(`^${version}\\.`));
    });

    test('takes the Node beside it where the one in PATH is too old, as the refusal says', async () => {
      const [old, current] = ['20', NODE_HERE].map((wanted) =>
        ready.find(({ version }) => version === wanted),
      );
      if (old === undefined || current === undefined) return;
      rmSync(beside, { force: true });
      symlinkSync(current.folder, beside);
      const { code, output } = await plinth(folder, join(old.folder, 'bin'), 'doctor');
      expect(code, output).toBe(0);
    });

    test('is said to run on the same Nodes by README and package.json', () => {
      const text = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
      expect(JSON.parse(text('package.json')).engines).toEqual({ node: '^22.18 || >=24' });
      expect(text('README.md')).toContain('runs on Node 22.18, or 24 or newer');
    });
  });
});

const importsOf = (path: string): readonly string[] =>
  [...readFileSync(path, 'utf8').matchAll(/from\s*["'](\.[^"']+)["']/g)].map(([, name]) =>
    join(path, '..', name as string),
  );

const VENV = join(PYTHON_FOLDER, '.venvs/packaging');
const venvs: readonly PythonVenv[] = [await pythonVenv('3.9'), await pythonVenv('3.13')];

describe('the Python package', () => {
  let reason: string | undefined;
  let wheel = '';
  let sdist = '';

  beforeAll(async () => {
    const ready = join(VENV, 'ready');
    if (!existsSync(ready)) {
      rmSync(VENV, { recursive: true, force: true });
      const made = await run('python3', ['-m', 'venv', VENV]);
      const filled = await run(join(VENV, 'bin/pip'), [
        'install',
        '-q',
        'build',
        'mypy',
        'httpx',
        'setuptools>=77',
      ]);
      if (made.code !== 0 || filled.code !== 0) reason = `${made.output}${filled.output}`.slice(-300);
      else writeFileSync(ready, '');
    }
    if (reason !== undefined) return;
    const copy = join(folder, 'python');
    cpSync(PYTHON_FOLDER, copy, {
      recursive: true,
      filter: (path) => !/\.venvs|egg-info|__pycache__/.test(path),
    });
    await must(join(VENV, 'bin/python'), ['-m', 'build', '--no-isolation', copy]);
    const built = readdirSync(join(copy, 'dist'));
    wheel = join(copy, 'dist', built.find((name) => name.endsWith('.whl')) ?? '');
    sdist = join(copy, 'dist', built.find((name) => name.endsWith('.tar.gz')) ?? '');
  }, 300_000);

  test('is made as wheel and sdist, typed and without its tests', async ({ skip }) => {
    if (reason !== undefined) skip(`it cannot be built here: ${reason}`);
    const inside = await must(join(VENV, 'bin/python'), ['-m', 'zipfile', '-l', wheel]);
    for (const name of ['plinth/__init__.py', 'plinth/py.typed', 'METADATA']) expect(inside).toContain(name);
    expect(inside).not.toMatch(/test_/);
    expect(await must('tar', ['tzf', sdist])).not.toMatch(/tests\//);
  });

  test.each(venvs)('installs into an empty folder for Python $version and is imported', async (venv) => {
    if (venv.kind === 'missing') return expect(venv.reason).toBeTruthy();
    if (reason !== undefined) return;
    const target = join(folder, `target-${venv.version}`);
    await must(venv.program, ['-m', 'pip', 'install', '-q', '--no-deps', '--target', target, wheel]);
    const said = await must(venv.program, [
      '-c',
      `import sys; sys.path.insert(0, ${JSON.stringify(target)}); import plinth; print(plinth.__file__, plinth.DataProductClient.__name__)`,
    ]);
    expect(said).toContain(target);
  });

  test('has no errors for mypy --strict, and neither has the program of a user', async ({ skip }) => {
    if (reason !== undefined) skip(`mypy is not here: ${reason}`);
    const target = join(folder, 'target-3.13');
    writeFileSync(
      join(folder, 'example.py'),
      `from plinth import AsyncDataProductClient, DataProductClient, DataProductError


def revenue(client: DataProductClient) -> dict[str, str]:
    statement = client.query.submit_statement("SELECT status, revenue FROM orders")
    result = client.query.get_statement_result(statement.id)
    names: list[str] = [col.name for col in result.cols]
    assert names
    return {str(row[0]): str(row[1]) for row in result.rows}


def health(client: DataProductClient) -> str:
    try:
        return str(client.metadata.get_product().health.status)
    except DataProductError as error:
        code: int = error.status_code
        return f"{code}: {error.detail}"


async def later(client: AsyncDataProductClient) -> int:
    return len((await client.query.run("SELECT 1 AS one")).rows)
`,
    );
    const mypy = (...args: readonly string[]): Promise<string> =>
      must(join(VENV, 'bin/mypy'), ['--strict', '--cache-dir', join(VENV, 'mypy'), ...args], folder);
    await mypy('--config-file', join(PYTHON_FOLDER, 'pyproject.toml'), join(target, 'plinth'));
    // Installed, as at a user's: what mypy looks for in other people's packages is their types.
    await must(join(VENV, 'bin/pip'), ['install', '-q', '--no-deps', '--force-reinstall', wheel]);
    await mypy('example.py');
  });
});
