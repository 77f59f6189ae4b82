import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';
import { type LoadReport, reportOf } from './report.ts';

type Files = Readonly<Record<string, string | Buffer>>;

/** What stands beside every attack and must load whatever happens. */
const HEALTHY: Files = {
  'config.yaml': 'name: hostile\n',
  'models/healthy/base.sql': "MODEL (name healthy.base, kind FULL);\nSELECT 1 AS id, 'x' AS word",
  'models/healthy/reader.sql':
    'MODEL (name healthy.reader, kind FULL);\nSELECT id + 1 AS next FROM healthy.base',
};
const HEALTHY_MODELS = ['healthy.base: id INTEGER, word VARCHAR', 'healthy.reader: next INTEGER'];
const MESSAGE_MAX = 1_000;

/** A project with two healthy models beside the given files. */
export function hostileProject(files: Files): TemporaryProject {
  return temporaryProject({ ...HEALTHY, ...files });
}

/** Loads in this process; asserts that the healthy models are whole and that no message is a wall of text. */
export async function loadHostile(
  files: Files,
  prepare: (project: TemporaryProject) => void = () => {},
): Promise<LoadReport> {
  const project = hostileProject(files);
  try {
    prepare(project);
    return checked(reportOf(await project.load({}, 5_000)));
  } finally {
    project.delete();
  }
}

function checked<Report extends LoadReport>(report: Report): Report {
  expect(report.models).toEqual(expect.arrayContaining(HEALTHY_MODELS));
  for (const { message } of report.diagnostics) expect(message.length).toBeLessThan(MESSAGE_MAX);
  return report;
}

/** As the test of a process sees it. */
export interface ProcessReport extends LoadReport {
  readonly ms: number;
  readonly peakMb: number;
}

export interface ProcessLimits {
  readonly seconds: number;
  readonly heapMb: number;
  /** For one call of a user's function; five seconds unless said. */
  readonly userCodeMs?: number;
}

const GENEROUS: ProcessLimits = { seconds: 60, heapMb: 1024 };

/** Loads in a process of its own with a bounded heap; a crash, a hang or an unhandled error fails the test. */
export async function loadInProcess(
  files: Files,
  limits: Partial<ProcessLimits> = {},
  prepare: (project: TemporaryProject) => void = () => {},
): Promise<ProcessReport> {
  const project = hostileProject(files);
  try {
    prepare(project);
    return checked(await loadFolder(project.folder, { ...GENEROUS, ...limits }));
  } finally {
    project.delete();
  }
}

function loadFolder(folder: string, { seconds, heapMb, userCodeMs }: ProcessLimits): Promise<ProcessReport> {
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${heapMb}`,
      join(import.meta.dirname, 'load-child.ts'),
      folder,
      ...(userCodeMs === undefined ? [] : [String(userCodeMs)]),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  return new Promise((resolve, reject) => {
    let answer = '';
    let errors = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the load did not end within ${seconds} s`));
    }, seconds * 1000);
    child.stdout.on('data', (chunk) => {
      answer += String(chunk);
    });
    child.stderr.on('data', (chunk) => {
      errors += String(chunk);
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve(JSON.parse(answer) as ProcessReport);
      else reject(new Error(`the load ended with ${code ?? signal}: ${errors.slice(-2_000)}`));
    });
  });
}

/** The diagnostics of one file, as `severity code`. */
export function codesOf(report: LoadReport, file?: string): readonly string[] {
  return report.diagnostics
    .filter((diagnostic) => file === undefined || diagnostic.file === file)
    .map(({ code }) => code);
}
