import { existsSync, realpathSync } from 'node:fs';

/** A path without links; undefined when nothing is there. */
export const realPlace = (path: string): string | undefined =>
  existsSync(path) ? realpathSync(path) : undefined;
