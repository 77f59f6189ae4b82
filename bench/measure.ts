import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';

/** One run of a process: wall time from spawn to exit, and its highest resident memory. */
export interface Sample {
  readonly wallMs: number;
  readonly peakRssMb: number | null;
  readonly stdout: string;
}

/** The figures of a series; `loadAverage` is the machine's at its start, so that noisy series can be told. */
export interface Summary {
  readonly runs: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly minMs: number;
  readonly peakRssMb: number | null;
  readonly loadAverage: number;
}

/** A command to measure. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

const POLL_MS = 20;

/** Runs a command once; throws with the end of its output when it fails or takes longer than its time-out. */
export function measureOnce(command: Command): Promise<Sample> {
  return new Promise((resolve, reject) => {
    const started = process.hrtime.bigint();
    const child = spawn(command.program, command.args, {
      cwd: command.cwd,
      env: { ...process.env, ...command.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: command.timeoutMs ?? 900_000,
    });
    let stdout = '';
    let stderr = '';
    let peakKb: number | null = null;
    // The kernel's high-water mark only grows, so polling misses at most the last 20 ms.
    const poll = setInterval(() => {
      peakKb = Math.max(peakKb ?? 0, highWaterKb(child.pid) ?? 0) || null;
    }, POLL_MS);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', (error) => {
      clearInterval(poll);
      reject(error);
    });
    child.on('close', (code, signal) => {
      clearInterval(poll);
      const wallMs = Number(process.hrtime.bigint() - started) / 1e6;
      if (code === 0)
        resolve({ wallMs, peakRssMb: peakKb === null ? null : Math.round(peakKb / 1024), stdout });
      else reject(new Error(`exit ${code ?? signal}: ${(stderr || stdout).trim().slice(-400)}`));
    });
  });
}

/** Runs a series; `before` prepares each run (clears a cache, touches a file) outside the measured time. */
export async function measureSeries(
  runs: number,
  command: Command,
  before: (run: number) => void = () => {},
  check: (sample: Sample) => void = () => {},
): Promise<Summary> {
  const loadAverage = loadavg()[0]!;
  const samples: Sample[] = [];
  for (let i = 0; i < runs; i++) {
    before(i);
    const sample = await measureOnce(command);
    check(sample);
    samples.push(sample);
  }
  return summarise(samples, loadAverage);
}

/** Median, nearest-rank p95 and minimum of the samples. */
export function summarise(
  samples: readonly Pick<Sample, 'wallMs' | 'peakRssMb'>[],
  loadAverage: number,
): Summary {
  const sorted = samples.map((sample) => sample.wallMs).sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const peaks = samples.map((sample) => sample.peakRssMb).filter((peak) => peak !== null);
  return {
    runs: sorted.length,
    medianMs: round((sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2),
    p95Ms: round(sorted[Math.ceil(sorted.length * 0.95) - 1]!),
    minMs: round(sorted[0]!),
    peakRssMb: peaks.length === 0 ? null : Math.max(...peaks),
    loadAverage: round(loadAverage),
  };
}

/** What the machine is, for the results file; no names or paths. */
export function describeMachine(): Readonly<Record<string, string | number>> {
  const processors = cpus();
  return {
    processor: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
  };
}

/** The commit that is measured, with `-changed` when files differ from it; results themselves do not count. */
export function commitOfHere(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', '..', ':!results');
  return `${git('rev-parse', '--short', 'HEAD')}${changed === '' ? '' : '-changed'}`;
}

/** What is measured: benches build first, so it is the bundle that a package holds, named after its sources. */
export function builtPlinth(): string {
  return `built ${readFileSync(join(import.meta.dirname, '..', 'dist', 'build-id'), 'utf8').slice(0, 12)}`;
}

function highWaterKb(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return match === null ? undefined : Number(match[1]);
  } catch {
    // The process has just ended, or this system has no /proc: then memory is reported as not measured.
    return undefined;
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
