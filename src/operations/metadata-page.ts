import { loadUsage } from '../compiler/load/yaml/usage.ts';
import type { Run } from '../domain/run.ts';
import type { Usage } from '../domain/usage.ts';
import { environmentOf } from './open-world.ts';
import type { Product } from './platform.ts';
import { type ModelStatus, status } from './status.ts';

/** How an environment of a product is doing, and what its owners say about it. */
export interface ProductPage {
  readonly environment: string;
  readonly health: 'empty' | 'healthy' | 'degraded';
  readonly promotedAt?: number;
  readonly lastRun?: Run;
  /** How many models are in each condition. */
  readonly conditions: Readonly<Partial<Record<ModelStatus['status'], number>>>;
  /** Where the filled time of the model ends that is furthest behind; absent without such models. */
  readonly filledUntil?: number;
  readonly readme?: string;
  readonly usage?: Usage;
}

const FOLDER_TEXTS = ['README.md', 'usage.yaml', 'usage.yml'];

/** Everything about the product that is neither in its configuration nor in its models. */
export async function productPage(product: Product, written: string | undefined): Promise<ProductPage> {
  const { world, workspace } = product;
  const environment = environmentOf(world.config, written);
  const { files } = await workspace.files.read(FOLDER_TEXTS);
  const readme = files.get('README.md');
  const usage = [...files].find(([path]) => path.startsWith('usage.'));
  const words = {
    ...(readme === undefined ? {} : { readme }),
    ...(usage === undefined ? {} : usageOf(usage)),
  };
  if ((await world.state.snapshots.environment(environment)) === undefined)
    return { environment, health: 'empty', conditions: {}, ...words };
  const found = await status(world, { environment, executionTime: world.clock.now() });
  const conditions: Partial<Record<ModelStatus['status'], number>> = {};
  for (const model of found.models) conditions[model.status] = (conditions[model.status] ?? 0) + 1;
  const ends = found.models.flatMap(({ filledUntil }) => filledUntil ?? []);
  const isDegraded = (conditions.broken ?? 0) > 0 || found.lastRun?.status === 'failed';
  return {
    environment,
    health: isDegraded ? 'degraded' : 'healthy',
    promotedAt: found.environment.promotedAt,
    ...(found.lastRun === undefined ? {} : { lastRun: found.lastRun }),
    conditions,
    ...(ends.length === 0 ? {} : { filledUntil: Math.min(...ends) }),
    ...words,
  };
}

/** A file that cannot be read says nothing here; loading the project reports it. */
function usageOf([path, text]: readonly [string, string]): { readonly usage?: Usage } {
  const { usage } = loadUsage({ path, text });
  return usage === undefined ? {} : { usage };
}
