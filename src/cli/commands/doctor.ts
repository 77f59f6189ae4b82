import { execFile } from 'node:child_process';
import { release } from 'node:os';
import { Failure } from '../../domain/failure.ts';
import { doctor } from '../../operations/project/doctor.ts';
import type { DoctorFinding } from '../../operations/project/doctor-finding.ts';
import type { Workspace } from '../../operations/workspace.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { withProgress } from '../progress.ts';
import type { Style, Terminal } from '../terminal.ts';

const PROGRAM_MS = 5_000;

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { terminal, folder } = context;
  const findings: DoctorFinding[] = [terminalFinding(terminal)];
  await withProgress(terminal, 'Looking', async (progress) => {
    const tools = {
      nodeVersion: process.versions.node,
      platform: process.platform,
      release: release(),
      output: outputOf,
      workspace: await workspaceOf(context),
      folder,
    };
    for await (const finding of doctor(tools)) {
      findings.push(finding);
      progress.update(finding.name);
    }
  });
  const hasFailed = findings.some(({ status }) => status === 'fail');
  return {
    data: {
      findings: findings.map(({ name, status, detail, fix }) => ({ name, status, detail, fix: fix ?? null })),
    },
    print: ({ out, style }) => {
      for (const finding of findings) out(lineOf(finding, style));
    },
    exitCode: hasFailed ? EXIT.workFailed : EXIT.ok,
  };
}

/** A folder that is not there is a finding, not the end. */
async function workspaceOf({ workspace }: CommandContext): Promise<Workspace | undefined> {
  try {
    return await workspace();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

function terminalFinding({ mode, width, hasUnicode }: Terminal): DoctorFinding {
  const detail = `${mode === 'rich' ? `${width} columns` : 'not a terminal'}, ${hasUnicode ? 'UTF-8' : 'no UTF-8: set LANG to a UTF-8 locale for better drawings'}`;
  return { name: 'terminal', status: 'ok', detail };
}

function lineOf({ name, status, detail, fix }: DoctorFinding, style: Terminal['style']): string {
  const colors = { ok: 'green', warn: 'yellow', fail: 'red' } as const satisfies Record<
    DoctorFinding['status'],
    Style
  >;
  const line = `  ${style(colors[status], status.padEnd(4))}  ${name.padEnd(12)}  ${detail}`;
  return fix === undefined ? line : `${line}\n${' '.repeat(22)}fix: ${fix}`;
}

function outputOf(command: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: PROGRAM_MS }, (error, stdout) =>
      resolve(error === null ? stdout : undefined),
    );
  });
}
