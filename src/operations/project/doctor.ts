import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { release } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure } from '../../domain/failure.ts';
import { hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import { prepareJinja, renderJinja } from '../../foundation/jinja/render-jinja.ts';
import { transpile } from '../../foundation/sql/library/transpile.ts';
import type { Workspace } from '../workspace.ts';
import type { Finding } from './finding.ts';
import { loadProject } from './load-project.ts';
import { stateFinding } from './state-finding.ts';

/** What the doctor cannot find out by itself: the version of Node, and how to run another program. */
export interface DoctorTools {
  readonly nodeVersion: string;
  readonly platform: string;
  /** Runs a program and returns what it printed; undefined when it is not there or fails. */
  readonly output: (command: string, args: readonly string[]) => Promise<string | undefined>;
  /** Undefined where there is no project folder. */
  readonly workspace: Workspace | undefined;
  readonly folder: string;
}

const FREE_BYTES_MIN = 1e9;

/** Looks at the program, the machine and the project, and yields each finding when it is known. */
export async function* doctor(tools: DoctorTools): AsyncGenerator<Finding> {
  yield nodeFinding(tools.nodeVersion);
  yield systemFinding(tools.platform);
  yield await libraryFinding();
  yield await jinjaFinding();
  yield await engineFinding(tools.workspace);
  yield await pythonFinding(tools);
  yield spaceFinding(tools.folder);
  if (tools.workspace === undefined) {
    yield {
      name: 'project',
      status: 'warn',
      detail: 'no project folder here',
      fix: 'run plinth init, or pass --project FOLDER',
    };
    return;
  }
  yield writableFinding(tools.workspace.folder);
  yield cacheFinding(tools.workspace.folder);
  yield await stateFinding(tools.workspace);
  yield await projectFinding(tools.workspace);
}

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major >= 24 || (major === 22 && minor >= 18)) return { name: 'node', status: 'ok', detail: version };
  return {
    name: 'node',
    status: 'fail',
    detail: `${version}; 22.18, or 24 or newer, is needed`,
    fix: 'npm install node@24 beside plinth',
  };
}

function systemFinding(platform: string): Finding {
  const system = `${platform} ${release()} ${process.arch}`;
  if (platform === 'win32')
    return {
      name: 'system',
      status: 'warn',
      detail: `${system}: building models needs Linux or macOS`,
      fix: 'use Plinth inside WSL (wsl --install), with the project on the Linux disk',
    };
  if (/microsoft/i.test(release()) && process.cwd().startsWith('/mnt/'))
    return {
      name: 'system',
      status: 'warn',
      detail: `${system}: WSL, with the project on the Windows disk, where files are slow and not locked`,
      fix: 'move the project below your Linux home folder',
    };
  if (platform === 'darwin')
    return { name: 'system', status: 'ok', detail: `${system} (memory of DuckDB is watched, not limited)` };
  return { name: 'system', status: 'ok', detail: /microsoft/i.test(release()) ? `${system} (WSL)` : system };
}

async function libraryFinding(): Promise<Finding> {
  // Only the library writes this one: our own printer does not know the dialect.
  const result = await transpile('SELECT 1 AS one', 'duckdb', 'oracle');
  if (result.ok) return { name: 'sql library', status: 'ok', detail: 'reads and writes SQL' };
  return {
    name: 'sql library',
    status: 'fail',
    detail: result.error.message,
    fix: 'npm install, then plinth doctor again',
  };
}

async function jinjaFinding(): Promise<Finding> {
  const fix = 'npm install, then plinth doctor again';
  try {
    await prepareJinja();
    const result = renderJinja({ text: '{{ 1 + 1 }}', globals: {}, lookups: {}, macros: [] });
    if (result.ok && result.text === '2') return { name: 'jinja', status: 'ok', detail: 'renders templates' };
    return {
      name: 'jinja',
      status: 'fail',
      detail: result.ok ? `1 + 1 became ${result.text}` : result.error.message,
      fix,
    };
  } catch (error) {
    return {
      name: 'jinja',
      status: 'fail',
      detail: error instanceof Error ? error.message : String(error),
      fix,
    };
  }
}

async function engineFinding(workspace: Workspace | undefined): Promise<Finding> {
  if (workspace === undefined)
    return {
      name: 'duckdb',
      status: 'warn',
      detail: 'not tried, there is no project',
      fix: 'run plinth doctor in a project',
    };
  try {
    const engine = await workspace.engine({ type: 'duckdb', options: { database: ':memory:' } });
    const { rows } = await engine.query('SELECT version() AS version');
    return { name: 'duckdb', status: 'ok', detail: `opens, version ${String(rows[0]?.[0])}` };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return {
      name: 'duckdb',
      status: 'fail',
      detail,
      fix: 'npm install: the package for this machine may be missing',
    };
  }
}

async function pythonFinding({ output }: DoctorTools): Promise<Finding> {
  const version = (await output('python3', ['--version']))?.trim();
  if (version !== undefined)
    return { name: 'python', status: 'ok', detail: `${version} (only Python models would need it)` };
  return {
    name: 'python',
    status: 'ok',
    detail: 'not found, and not needed: only Python models would need it',
  };
}

function spaceFinding(folder: string): Finding {
  try {
    const { bavail, bsize } = statfsSync(existing(folder));
    const free = bavail * bsize;
    const detail = `${(free / 1e9).toFixed(1)} GB free`;
    return free >= FREE_BYTES_MIN
      ? { name: 'disk', status: 'ok', detail }
      : {
          name: 'disk',
          status: 'warn',
          detail,
          fix: 'make room: DuckDB files and results need some gigabytes',
        };
  } catch (error) {
    return { name: 'disk', status: 'warn', detail: `free space is not known: ${String(error)}` };
  }
}

function writableFinding(folder: string): Finding {
  const target = existing(join(folder, '.plinth'));
  try {
    accessSync(target, constants.W_OK);
    return { name: '.plinth', status: 'ok', detail: 'can be written' };
  } catch {
    return {
      name: '.plinth',
      status: 'fail',
      detail: `${target} cannot be written`,
      fix: `chmod u+w ${target}`,
    };
  }
}

/** The nearest folder that exists. */
function existing(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : existing(dirname(path));
}

function cacheFinding(folder: string): Finding {
  const cache = join(folder, '.plinth', 'cache');
  if (!existsSync(cache)) return { name: 'cache', status: 'ok', detail: 'empty' };
  const fix = `rm -r ${cache}`;
  try {
    const rooms = readdirSync(cache).filter((name) => name.endsWith('.facts'));
    const damaged = rooms.filter((name) => !hasHeader(join(cache, name)));
    if (damaged.length > 0)
      return {
        name: 'cache',
        status: 'warn',
        detail: `${damaged.join(', ')} is damaged and will be ignored`,
        fix,
      };
    const leftOver = readdirSync(cache).filter((name) => name.endsWith('.tmp'));
    if (leftOver.length > 10)
      return {
        name: 'cache',
        status: 'warn',
        detail: `${leftOver.length} files were left by commands that were killed`,
        fix,
      };
    return { name: 'cache', status: 'ok', detail: counted(rooms.length, 'room') };
  } catch (error) {
    return {
      name: 'cache',
      status: 'warn',
      detail: error instanceof Error ? error.message : String(error),
      fix,
    };
  }
}

function hasHeader(file: string): boolean {
  try {
    const bytes = readFileSync(file);
    const header: unknown = JSON.parse(bytes.toString('utf8', 0, bytes.indexOf(10)));
    const length = (header as { readonly bytes?: unknown }).bytes;
    return length === bytes.length - bytes.indexOf(10) - 1;
  } catch {
    return false;
  }
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

async function projectFinding(workspace: Workspace): Promise<Finding> {
  try {
    const { project, diagnostics } = await loadProject(workspace);
    const detail = `${project.config.name}: ${counted(project.models.length, 'model')}`;
    if (!hasErrors(diagnostics)) return { name: 'project', status: 'ok', detail };
    const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
    return {
      name: 'project',
      status: 'fail',
      detail: `${detail}, ${counted(errors, 'error')}`,
      fix: 'plinth info shows them',
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // A folder without a project is only a warning: new users often run doctor first.
    const status = error.code === 'project.nothing-found' ? 'warn' : 'fail';
    return {
      name: 'project',
      status,
      detail: error.message,
      ...(error.diagnostic.hint === undefined ? {} : { fix: error.diagnostic.hint }),
    };
  }
}
