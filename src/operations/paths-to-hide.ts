import { isAbsolute, join, relative } from 'node:path';
import { homeFolder } from '../foundation/this-user.ts';
import type { World } from '../runtime/world.ts';
import { realPlace } from './workspace.ts';

/** Where the files of a product lie, and what callers over a network see in its place. */
export function pathsToHide(
  folder: string,
  { state, warehouse }: World['names'],
): readonly (readonly [string, string])[] {
  // A place on a server is outside, too; an engine without a database is called by its kind.
  const outside = (path: string): boolean =>
    isAbsolute(path) ? relative(folder, path).startsWith('..') : path.includes('/');
  const home = homeFolder();
  const named = [
    [state, isAbsolute(state) ? 'the state file' : 'the state'],
    [warehouse, 'the warehouse'],
  ] as const;
  const found = [
    [folder, ''],
    ...named.filter(([path]) => outside(path)),
    [join(import.meta.dirname, '../..'), 'plinth'],
    ...(home === undefined ? [] : [[home, '~'] as const]),
  ] as const;
  return found.flatMap(([path, shown]) => {
    const real = realPlace(path);
    return [[path, shown], ...(real === undefined ? [] : [[real, shown] as const])];
  });
}
