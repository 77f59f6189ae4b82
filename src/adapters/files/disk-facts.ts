import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DiskFacts } from '../../domain/disk-facts.ts';

export function diskFacts(path: string): DiskFacts {
  const place = existing(path);
  return {
    place,
    get freeBytes() {
      const { bavail, bsize } = statfsSync(place);
      return bavail * bsize;
    },
    isWritable: isWritable(place),
  };
}

const existing = (path: string): string =>
  existsSync(path) || path === dirname(path) ? path : existing(dirname(path));

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
