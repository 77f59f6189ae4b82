/** What the doctor finds of the disk and of what Plinth keeps in a project folder. */
import { join } from 'node:path';
import { counted } from '../../foundation/counted.ts';
import { diskFacts, type Workspace } from '../workspace.ts';
import type { DoctorFinding } from './doctor-finding.ts';

const FREE_BYTES_MIN = 1e9;
const LEFT_OVER_MAX = 10;

export function spaceFinding(folder: string): DoctorFinding {
  try {
    const { freeBytes } = diskFacts(folder);
    const detail = `${(freeBytes / 1e9).toFixed(1)} GB free`;
    return freeBytes >= FREE_BYTES_MIN
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

export function writableFinding({ folder }: Workspace): DoctorFinding {
  const { place, isWritable } = diskFacts(join(folder, '.plinth'));
  if (isWritable) return { name: '.plinth', status: 'ok', detail: 'can be written' };
  return {
    name: '.plinth',
    status: 'fail',
    detail: `${place} cannot be written`,
    fix: `chmod u+w ${place}`,
  };
}

export function cacheFinding({ cache, folder }: Workspace): DoctorFinding {
  const fix = `rm -r ${join(folder, '.plinth', 'cache')}`;
  const warning = (detail: string): DoctorFinding => ({ name: 'cache', status: 'warn', detail, fix });
  try {
    const found = cache.look();
    if (found === undefined) return { name: 'cache', status: 'ok', detail: 'empty' };
    const { rooms, damaged, leftOver } = found;
    if (damaged.length > 0) return warning(`${damaged.join(', ')} is damaged and will be ignored`);
    if (leftOver > LEFT_OVER_MAX) return warning(`${leftOver} files were left by commands that were killed`);
    return { name: 'cache', status: 'ok', detail: counted(rooms, 'room') };
  } catch (error) {
    return warning(error instanceof Error ? error.message : String(error));
  }
}
