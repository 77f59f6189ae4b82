import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blockMacros } from './generate/emit-blocks.ts';
import { dbtMacros } from './generate/emit-dbt.ts';
import { type Manifest, touchModel } from './generate/write-project.ts';
import type { Command, Sample } from './measure.ts';
import { PEER_ENVIRONMENT, type Peer } from './peers.ts';

/** How the load bench drives one tool: its command, its caches, and its copies of the files that are touched. */
export interface LoadTool {
  readonly name: string;
  readonly folder: string;
  readonly cold: Command;
  readonly warm: Command;
  readonly clearCache: () => void;
  readonly touch: (what: Touch, version: number) => void;
  readonly check: (sample: Sample) => void;
}

type Touch = 'leaf' | 'root' | 'macro';

interface Site {
  readonly out: string;
  readonly manifest: Manifest;
}

/** Plinth through its own door: `plinth info --json` in a folder of its own. */
export function plinthTool({ out, manifest }: Site): LoadTool {
  const folder = copyOf(out, 'blocks', 'plinth');
  const program = join(import.meta.dirname, '..', 'bin', 'plinth');
  const command: Command = { program, args: ['info', '--json'], cwd: folder };
  return {
    name: 'plinth',
    folder,
    cold: command,
    warm: command,
    clearCache: () => rmSync(join(folder, '.plinth'), { recursive: true, force: true }),
    touch: toucher(folder, manifest, 'blocks'),
    check: (sample) => checkInfo(sample, manifest),
  };
}

/** SQLMesh loading a copy of the same folder in a bare script, which is less than its command line does. */
export function sqlmeshTool({ out, manifest }: Site, peer: Peer & { kind: 'available' }): LoadTool {
  const folder = copyOf(out, 'blocks', 'sqlmesh');
  const args = [join(import.meta.dirname, 'load-sqlmesh.py'), '.'];
  const command: Command = { program: join(peer.bin, 'python'), args, cwd: folder, env: PEER_ENVIRONMENT };
  return {
    name: 'sqlmesh',
    folder,
    cold: command,
    warm: command,
    clearCache: () => rmSync(join(folder, '.cache'), { recursive: true, force: true }),
    touch: toucher(folder, manifest, 'blocks'),
    check: ({ stdout }) => {
      const { models } = JSON.parse(stdout.trim().split('\n').at(-1)!);
      if (models !== manifest.total) throw new Error(`SQLMesh loaded ${models} of ${manifest.total} models`);
    },
  };
}

/** `dbt parse`: cold without its partial-parse file, warm with it. It renders Jinja but does not read the SQL. */
export function dbtTool({ out, manifest }: Site, peer: Peer & { kind: 'available' }): LoadTool {
  const folder = copyOf(out, 'dbt', 'dbt-run');
  const base = {
    program: join(peer.bin, 'dbt'),
    cwd: folder,
    env: { ...PEER_ENVIRONMENT, DBT_PROFILES_DIR: '.' },
  };
  return {
    name: 'dbt parse',
    folder,
    cold: { ...base, args: ['parse', '--no-partial-parse'] },
    warm: { ...base, args: ['parse'] },
    clearCache: () => rmSync(join(folder, 'target'), { recursive: true, force: true }),
    touch: toucher(folder, manifest, 'dbt'),
    check: () => {},
  };
}

function copyOf(out: string, from: string, to: string): string {
  const folder = join(out, to);
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(out, from), folder, { recursive: true });
  return folder;
}

// Each version starts from the original text, so every run differs from the one before by exactly one change.
function toucher(folder: string, manifest: Manifest, form: 'blocks' | 'dbt'): LoadTool['touch'] {
  const original = (what: 'leaf' | 'root'): string =>
    readFileSync(join(folder, manifest[what][form]), 'utf8');
  const texts = { leaf: original('leaf'), root: original('root') };
  return (what, version) => {
    if (what === 'macro') {
      const macros = form === 'dbt' ? dbtMacros(version) : blockMacros(version);
      for (const [path, text] of macros) writeFileSync(join(folder, path), text);
    } else {
      writeFileSync(join(folder, manifest[what][form]), touchModel(texts[what], version));
    }
  };
}

// The figure counts only when nothing was skipped: every SQL model must be there with its columns.
function checkInfo({ stdout }: Sample, manifest: Manifest): void {
  const line = stdout.trim().split('\n').at(-1) ?? '';
  const answer = JSON.parse(line) as { ok?: unknown; data?: { models?: unknown } };
  const models = answer.data?.models;
  if (answer.ok !== true || !Array.isArray(models))
    throw new Error(`plinth info --json says ${line.slice(0, 300)}`);
  const withColumns = models.filter(
    (model: { columns?: unknown }) => Array.isArray(model.columns) && model.columns.length > 0,
  );
  if (withColumns.length < manifest.sqlModels) {
    throw new Error(
      `plinth info lists ${withColumns.length} models with columns, expected ${manifest.sqlModels}`,
    );
  }
}
