import { globSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { hash128 } from '../../foundation/hash128.ts';

const ADDRESS = /^[a-z][a-z0-9+.-]+:/i;
const PATTERN = /[*?[]/;

/**
 * Names what is in files of this machine without reading them: paths, sizes and the times they were written. Undefined when a
 * path is an address, or nothing is there.
 */
export function fileStamp(folder: string, paths: readonly string[]): string | undefined {
  const parts: string[] = [];
  for (const path of paths) {
    if (ADDRESS.test(path)) return undefined;
    const files = PATTERN.test(path) ? globSync(path, { cwd: folder }).sort() : [path];
    if (files.length === 0) return undefined;
    for (const file of files) {
      const stats = statSync(resolve(folder, file), { bigint: true, throwIfNoEntry: false });
      if (stats?.isFile() === true) parts.push(file, String(stats.size), String(stats.mtimeNs));
      else if (!PATTERN.test(path)) return undefined;
    }
  }
  return hash128(...parts);
}
