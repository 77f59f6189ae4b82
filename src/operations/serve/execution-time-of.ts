import type { Product } from '../platform.ts';

/** Now, unless the program was started at a fixed time. */
export const executionTimeOf = ({ workspace, world }: Product): number =>
  workspace.variables['PLINTH_NOW'] === undefined ? world.clock.now() : workspace.executionTime;
