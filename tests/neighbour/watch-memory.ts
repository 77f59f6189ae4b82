/** Resident memory of the server and of its keepers, which may come and go. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { keeperOf } from '../kill/processes.ts';

const LOOK_MS = 250;

export interface MemoryReport {
  readonly serverPeakMb: number;
  readonly keeperPeakMb: number;
  /** How many keepers there were. */
  readonly keepers: number;
}

/** The process that serves a folder. */
export function serverOf(folder: string): number {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const words = wordsOf(name);
    if (words.includes('serve') && words[0]?.endsWith('node') && folderOf(name) === folder)
      return Number(name);
  }
  throw new Error(`no process serves ${folder}`);
}

export async function watchMemory(folder: string, isOver: () => boolean): Promise<MemoryReport> {
  const server = serverOf(folder);
  const keepers = new Set<number>();
  let keeperPeakMb = 0;
  while (!isOver()) {
    try {
      const keeper = keeperOf(folder);
      keepers.add(keeper);
      keeperPeakMb = Math.max(keeperPeakMb, megabytes(keeper, 'VmHWM'));
    } catch {
      // Between two keepers there is none.
    }
    await sleep(LOOK_MS);
  }
  return { serverPeakMb: megabytes(server, 'VmHWM'), keeperPeakMb, keepers: keepers.size };
}

function wordsOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

function folderOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function megabytes(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024);
}
