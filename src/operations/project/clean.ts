import type { Workspace } from '../workspace.ts';

/** Removes the caches of a project folder, which are made again: no state, no rows, no results. */
export const clean = ({ cache }: Workspace): readonly string[] => (cache.clear() ? ['.plinth/cache'] : []);
