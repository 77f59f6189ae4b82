/** What the doctor finds of the program and the machine. */
import { prepareJinja, renderJinja } from '../../foundation/jinja/render-jinja.ts';
import { transpile } from '../../foundation/sql/library/transpile.ts';
import type { Workspace } from '../workspace.ts';
import type { DoctorFinding } from './doctor-finding.ts';
import type { DoctorTools } from './doctor-tools.ts';

export function nodeFinding(version: string): DoctorFinding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major >= 24 || (major === 22 && minor >= 18)) return { name: 'node', status: 'ok', detail: version };
  return {
    name: 'node',
    status: 'fail',
    detail: `${version}; 22.18, or 24 or newer, is needed`,
    fix: 'npm install node@24 beside plinth',
  };
}

export function systemFinding({
  platform,
  release,
}: Pick<DoctorTools, 'platform' | 'release'>): DoctorFinding {
  const system = `${platform} ${release} ${process.arch}`;
  if (platform === 'win32')
    return {
      name: 'system',
      status: 'warn',
      detail: `${system}: building models needs Linux or macOS`,
      fix: 'use Plinth inside WSL (wsl --install), with the project on the Linux disk',
    };
  if (/microsoft/i.test(release) && process.cwd().startsWith('/mnt/'))
    return {
      name: 'system',
      status: 'warn',
      detail: `${system}: WSL, with the project on the Windows disk, where files are slow and not locked`,
      fix: 'move the project below your Linux home folder',
    };
  if (platform === 'darwin')
    return { name: 'system', status: 'ok', detail: `${system} (memory of DuckDB is watched, not limited)` };
  return { name: 'system', status: 'ok', detail: /microsoft/i.test(release) ? `${system} (WSL)` : system };
}

export async function libraryFinding(): Promise<DoctorFinding> {
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

export async function jinjaFinding(): Promise<DoctorFinding> {
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

export async function engineFinding(workspace: Workspace | undefined): Promise<DoctorFinding> {
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

export async function pythonFinding({ output }: DoctorTools): Promise<DoctorFinding> {
  const version = (await output('python3', ['--version']))?.trim();
  if (version !== undefined)
    return { name: 'python', status: 'ok', detail: `${version} (only Python models would need it)` };
  return {
    name: 'python',
    status: 'ok',
    detail: 'not found, and not needed: only Python models would need it',
  };
}
