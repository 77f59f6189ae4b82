import { Failure } from '../../domain/failure.ts';
import { openWorld, readConfig } from '../open-world.ts';
import { productOf, slugOf } from '../own-platform.ts';
import type { LostProduct, Product } from '../platform.ts';
import { openWorkspace } from '../workspace.ts';

/** With what every folder of a server is opened. */
export interface OpenOptions {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly gateway?: string | undefined;
  readonly executionTime: number;
}

/** Warehouse and state of one folder; a folder after the first whose state cannot be used is lost. */
export async function openProduct(
  folder: string,
  { variables, gateway, executionTime }: OpenOptions,
  first: Product | undefined,
): Promise<Product | LostProduct> {
  const isTimeGiven = (variables['PLINTH_NOW'] ?? '') !== '';
  const workspace = openWorkspace({ folder, variables, executionTime, isTimeGiven, gateway });
  try {
    const world = await openWorld(workspace);
    return productOf(workspace, world, first?.limits);
  } catch (error) {
    const named = first !== undefined && isOfState(error) ? await readConfig(workspace) : undefined;
    await workspace.close();
    if (named === undefined || !isOfState(error)) throw error;
    const { tenant, name } = named;
    return { tenant, name, slug: slugOf(named), error };
  }
}

export const isOfState = (error: unknown): error is Failure =>
  error instanceof Failure && error.code.startsWith('state.');
