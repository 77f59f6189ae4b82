import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { changeKillProject, writeKillProject } from './kill-project.ts';
import { plinth } from './processes.ts';

/** One piece of work that is disturbed, and what is done afterwards without being told that it was. */
export interface Scenario {
  readonly name: string;
  readonly base: 'empty' | 'planned';
  readonly prepare?: (folder: string) => void;
  readonly work: readonly string[];
  readonly after: readonly string[];
  /** Whether the ledger may have an interval twice. */
  readonly isRestating?: boolean;
}

const DAY_5 = ['--wait', '30s', '--execution-time', '2025-01-06T00:10:00Z'];
const DAY_8 = ['--wait', '30s', '--execution-time', '2025-01-09T00:10:00Z'];

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'first plan',
    base: 'empty',
    work: ['plan', '--yes', ...DAY_5],
    after: ['plan', '--yes', ...DAY_5],
  },
  { name: 'run', base: 'planned', work: ['run', ...DAY_8], after: ['run', ...DAY_8] },
  {
    name: 'worker',
    base: 'planned',
    work: ['worker', '--once', ...DAY_8.slice(2)],
    after: ['run', ...DAY_8],
  },
  {
    name: 'restatement',
    base: 'planned',
    work: [
      'plan',
      '--yes',
      '--restate-model',
      'k.events',
      '--start',
      '2025-01-02',
      '--end',
      '2025-01-03',
      ...DAY_5,
    ],
    after: ['plan', '--yes', ...DAY_5],
    isRestating: true,
  },
  {
    name: 'change',
    base: 'planned',
    prepare: changeKillProject,
    work: ['plan', '--yes', ...DAY_5],
    after: ['plan', '--yes', ...DAY_5],
  },
];

/** Makes the folders that scenarios begin with, once. */
export async function makeBases(home: string): Promise<void> {
  for (const base of ['empty', 'planned'] as const) {
    const folder = join(home, base);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeKillProject(folder);
    if (base === 'empty') await expectSuccess(folder, ['info']);
    else await expectSuccess(folder, ['plan', '--yes', ...DAY_5]);
  }
}

/** A fresh copy of a scenario's beginning. Its keeper is another one: it has another path. */
export function beginAt(home: string, scenario: Scenario, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(home, scenario.base), folder, { recursive: true });
  scenario.prepare?.(folder);
}

/** Runs a command that must succeed. */
export async function expectSuccess(folder: string, args: readonly string[]): Promise<void> {
  const { code, stderr, stdout } = await plinth(folder, args);
  if (code !== 0) throw new Error(`plinth ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
}
