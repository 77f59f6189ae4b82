import { loadUsage } from '../../compiler/load/yaml/usage.ts';
import { isActive } from '../../domain/principal.ts';
import type { ProductPage } from '../../domain/product-page.ts';
import type { Run } from '../../domain/run.ts';
import type { Usage } from '../../domain/usage.ts';
import { environmentStatus } from '../change/environment-status.ts';
import { runs } from '../change/runs.ts';
import { environmentOf } from '../open-world.ts';
import type { ProductReader } from '../product-reader.ts';
import { environmentHealth } from './environment-health.ts';

/** How far back usage is counted; statements are kept for less, unless the configuration says otherwise. */
const USAGE_MS = 30 * 86_400_000;
const RUNS_MAX = 1000;

const FOLDER_TEXTS = ['README.md', 'usage.yaml', 'usage.yml'];

/** Everything about the product that is neither in its configuration nor in its models. */
export async function productPage(product: ProductReader, written: string | undefined): Promise<ProductPage> {
  const { world, workspace } = product;
  const environment = environmentOf(world.config, written);
  const { files } = await workspace.files.read(FOLDER_TEXTS);
  const readme = files.get('README.md');
  const usage = [...files].find(([path]) => path.startsWith('usage.'));
  const now = world.clock.now();
  // The beginning of a day, so that the page stays the same, and keeps its ETag, while nothing happens.
  const since = Math.floor(now / 86_400_000) * 86_400_000 - USAGE_MS;
  const [grants, used, allRuns] = await Promise.all([
    world.state.principals.grants({ tenant: product.tenant, product: product.slug }),
    world.state.statements.usage(since),
    runs(world, { environment, limit: RUNS_MAX }),
  ]);
  const recent = allRuns.filter(({ startedAt }) => startedAt >= since);
  const countOf = (...statuses: readonly Run['status'][]): number =>
    recent.filter(({ status: each }) => statuses.includes(each)).length;
  const owners = [...world.config.access, ...grants.filter((grant) => isActive(grant, now))]
    .filter(({ role }) => role === 'owner')
    .map(({ principal }) => principal);
  const words = {
    owners: [...new Set(owners)].sort(),
    statements: { ...used, since },
    ran: { since, succeeded: countOf('succeeded'), failed: countOf('failed', 'interrupted') },
    ...(readme === undefined ? {} : { readme }),
    ...(usage === undefined ? {} : usageOf(usage)),
  };
  const applied = await world.state.snapshots.environment(environment);
  if (applied === undefined)
    return { environment, health: 'empty', reasons: [], clocks: [], conditions: {}, ...words };
  const found = await environmentStatus(world, applied, { executionTime: now });
  return { environment, ...(await environmentHealth(world, found, allRuns)), ...words };
}

/** A file that cannot be read says nothing here; loading the project reports it. */
function usageOf([path, text]: readonly [string, string]): { readonly usage?: Usage } {
  const { usage } = loadUsage({ path, text });
  return usage === undefined ? {} : { usage };
}
