import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keepersWhere } from '../tests/support/keepers-of.ts';

const WAIT_MS = 30_000;

/** Processes that keep a database below a folder. */
export function keepersBelow(folder: string): readonly number[] {
  return keepersWhere((database) => database.startsWith(join(folder, '/')));
}

/** Ends them and waits: each would write its file back ten seconds after its command, beside what is measured then. */
export async function endKeepers(folder: string): Promise<void> {
  for (const pid of keepersBelow(folder)) process.kill(pid, 'SIGTERM');
  const until = Date.now() + WAIT_MS;
  while (keepersBelow(folder).length > 0) {
    if (Date.now() > until) throw new Error(`a keeper below ${folder} does not end`);
    await sleep(50);
  }
}
