import { readFileSync, readlinkSync } from 'node:fs';

/*
 * Who holds a lease, as the kernel knows it: machine start, name space of process ids, id, and when that process began.
 * A holder that was killed need not be waited for: a process that finds it gone on the same machine may take over at once.
 * Where the kernel does not tell (macOS), and for holders elsewhere, only the heartbeat counts.
 */

let own: string | undefined;

/** The identity of this process; empty where it cannot be known. */
export function ownProcess(): string {
  own ??= identityOf(process.pid) ?? '';
  return own;
}

/** Whether the process has certainly ended. */
export function isGone(identity: string): boolean {
  if (identity === '' || identity === ownProcess()) return false;
  const [place, pid = ''] = identity.split('#');
  if (place !== ownProcess().split('#')[0]) return false;
  return identityOf(Number(pid)) !== identity;
}

function identityOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const space = readlinkSync('/proc/self/ns/pid');
    // The name may hold anything, brackets too: fields are counted behind its last one. State is the first, start the 20th.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return `${boot}@${space}#${pid}#${fields[19]}`;
  } catch {
    return undefined;
  }
}
