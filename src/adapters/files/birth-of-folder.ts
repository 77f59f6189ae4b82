import { statSync } from 'node:fs';

/** When a folder was made here; undefined when there is none. */
export function birthOfFolder(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true ? Math.floor(found.birthtimeMs) : undefined;
}
