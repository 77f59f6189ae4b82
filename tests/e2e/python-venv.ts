import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The folder of the Python package. */
export const PYTHON_FOLDER = join(import.meta.dirname, '../../python');
const VENVS = join(PYTHON_FOLDER, '.venvs');
const LIBRARIES = ['pandas', 'polars', 'pyarrow'];
/** The oldest Python has the oldest libraries that the package allows, the others the newest. */
const OLDEST = '3.9';
const WANTED_BY_OLDEST = ['pandas==2.0.0', 'numpy<2', 'polars==0.20.31', 'pyarrow==12.0.0'];
/** Whoever has been at it for longer has died. */
const LOCK_MS_MAX = 240_000;

/** A Python with what the client needs; made once and kept in a folder that git ignores. */
export type PythonVenv =
  | {
      readonly kind: 'ready';
      readonly version: string;
      readonly program: string;
      /** Which of pandas, polars and pyarrow it has. */
      readonly libraries: readonly string[];
    }
  /** Tests say the reason in their names: nothing is left out silently. */
  | { readonly kind: 'missing'; readonly version: string; readonly reason: string };

export type ReadyPython = Extract<PythonVenv, { readonly kind: 'ready' }>;

/** `version` is `3.9` and the like. Libraries that cannot be had are left out, all of them. */
export async function pythonVenv(version: string): Promise<PythonVenv> {
  const python = interpreterOf(version);
  if (python === undefined)
    return { kind: 'missing', version, reason: `Python ${version} is not on this machine` };
  const folder = join(VENVS, version);
  return locked(`${folder}.lock`, async () => {
    const marker = join(folder, 'ready');
    const program = join(folder, 'bin/python');
    const wanted = version === OLDEST ? WANTED_BY_OLDEST : LIBRARIES;
    const ready = (libraries: readonly string[]): PythonVenv => ({
      kind: 'ready',
      version,
      program,
      libraries,
    });
    if (existsSync(marker)) {
      const kept = JSON.parse(readFileSync(marker, 'utf8')) as {
        wanted?: unknown;
        libraries?: readonly string[];
      };
      if (String(kept.wanted) === String(wanted)) return ready(kept.libraries ?? []);
    }
    rmSync(folder, { recursive: true, force: true });
    const made = await run(python, ['-m', 'venv', folder]);
    if (made !== undefined)
      return { kind: 'missing', version, reason: `no venv for Python ${version}: ${made}` };
    const client = await install(program, ['httpx']);
    if (client !== undefined)
      return { kind: 'missing', version, reason: `httpx cannot be installed for ${version}: ${client}` };
    const libraries = (await install(program, wanted)) === undefined ? LIBRARIES : [];
    writeFileSync(marker, JSON.stringify({ wanted, libraries }));
    return ready(libraries);
  });
}

/** A Python with other packages than the client's, in a folder of this name; they have to be there as wheels. */
export async function pythonWith(name: string, packages: readonly string[]): Promise<PythonVenv> {
  const version = ['3.13', '3.12', '3.11'].find((each) => interpreterOf(each) !== undefined);
  if (version === undefined)
    return { kind: 'missing', version: '3.13', reason: 'Python 3.11 to 3.13 are not on this machine' };
  const folder = join(VENVS, `${name}-${version}`);
  return locked(`${folder}.lock`, async () => {
    const marker = join(folder, 'ready');
    const program = join(folder, 'bin/python');
    const ready = { kind: 'ready', version, program, libraries: packages } as const;
    if (existsSync(marker) && readFileSync(marker, 'utf8') === String(packages)) return ready;
    rmSync(folder, { recursive: true, force: true });
    const problem =
      (await run(interpreterOf(version) as string, ['-m', 'venv', folder])) ??
      (await install(program, packages));
    if (problem !== undefined)
      return { kind: 'missing', version, reason: `no ${name} for Python ${version}: ${problem}` };
    writeFileSync(marker, String(packages));
    return ready;
  });
}

function interpreterOf(version: string): string | undefined {
  const pyenv = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
  const built = existsSync(pyenv) ? readdirSync(pyenv).filter((name) => name.startsWith(`${version}.`)) : [];
  return [...built.map((name) => join(pyenv, name, 'bin/python')), `python${version}`].find((program) => {
    const { status, stdout } = spawnSync(program, [
      '-c',
      'import sys; print("%d.%d" % sys.version_info[:2])',
    ]);
    return status === 0 && stdout.toString().trim() === version;
  });
}

const install = (program: string, names: readonly string[]): Promise<string | undefined> =>
  run(program, ['-m', 'pip', 'install', '-q', '--no-compile', '--only-binary', ':all:', ...names]);

/** The last line of what a program said when it failed; undefined when it did not. */
function run(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: LOCK_MS_MAX });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.on('error', ({ message }) => resolve(message));
    child.on('close', (code) => resolve(code === 0 ? undefined : (said.trim().split('\n').at(-1) ?? '')));
  });
}

/** Two test files may want the same venv at once; the second waits for the first. */
async function locked<Answer>(lock: string, work: () => Promise<Answer>): Promise<Answer> {
  mkdirSync(VENVS, { recursive: true });
  for (let left = LOCK_MS_MAX / 200; ; left--) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || left <= 0) throw error;
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - since > LOCK_MS_MAX) rmSync(lock, { recursive: true, force: true });
      else await sleep(200);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}
