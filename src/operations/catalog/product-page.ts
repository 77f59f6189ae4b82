import { loadUsage } from '../../compiler/load/yaml/usage.ts';
import { isActive } from '../../domain/principal.ts';
import type { Run } from '../../domain/run.ts';
import type { StatementUsage } from '../../domain/state-store.ts';
import type { Usage } from '../../domain/usage.ts';
import { addDuration, parseDuration } from '../../foundation/time/duration.ts';
import { runs } from '../change/runs.ts';
import { type ModelStatus, status } from '../change/status.ts';
import { environmentOf } from '../open-world.ts';
import type { Product } from '../platform.ts';

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
  /** When a run last ended well: then the data was as new as it gets. */
  readonly refreshedAt?: number;
  /** Whether the data is as new as the product promises; absent when it promises nothing. */
  readonly isFresh?: boolean;
  /** Names of those who own it, by configuration or grant. */
  readonly owners: readonly string[];
  readonly statements: StatementUsage & { readonly since: number };
  readonly ran: { readonly since: number; readonly succeeded: number; readonly failed: number };
  readonly readme?: string;
  readonly usage?: Usage;
}

/** How far back usage is counted; statements are kept for less, unless the configuration says otherwise. */
const USAGE_MS = 30 * 86_400_000;
const RUNS_MAX = 1000;

const FOLDER_TEXTS = ['README.md', 'usage.yaml', 'usage.yml'];

/** Everything about the product that is neither in its configuration nor in its models. */
export async function productPage(product: Product, written: string | undefined): Promise<ProductPage> {
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
  if ((await world.state.snapshots.environment(environment)) === undefined)
    return { environment, health: 'empty', conditions: {}, ...words };
  const found = await status(world, { environment, executionTime: world.clock.now() });
  const conditions: Partial<Record<ModelStatus['status'], number>> = {};
  for (const model of found.models) conditions[model.status] = (conditions[model.status] ?? 0) + 1;
  const refreshedAt = allRuns.find((each) => each.status === 'succeeded')?.endedAt;
  const ends = found.models.flatMap(({ filledUntil }) => filledUntil ?? []);
  const isDegraded = (conditions.broken ?? 0) > 0 || found.lastRun?.status === 'failed';
  return {
    environment,
    health: isDegraded ? 'degraded' : 'healthy',
    promotedAt: found.environment.promotedAt,
    ...(found.lastRun === undefined ? {} : { lastRun: found.lastRun }),
    conditions,
    ...(ends.length === 0 ? {} : { filledUntil: Math.min(...ends) }),
    ...(refreshedAt === undefined ? {} : { refreshedAt }),
    ...freshnessOf(product, promisedUntil(product, found.models) ?? refreshedAt, now),
    ...words,
  };
}

/** Where the filled time ends that the promise is about: of the model it names, else of the one furthest behind; undefined without such times. */
function promisedUntil(
  { world }: Product,
  models: readonly Pick<ModelStatus, 'model' | 'filledUntil'>[],
): number | undefined {
  const named = world.config.slo.freshness?.model?.toLowerCase();
  const ends = models
    .filter(({ model }) => named === undefined || model.toLowerCase() === named)
    .flatMap(({ filledUntil }) => filledUntil ?? []);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

function freshnessOf(
  { world }: Product,
  until: number | undefined,
  now: number,
): { readonly isFresh?: boolean } {
  const { maxAge } = world.config.slo.freshness ?? {};
  const age = maxAge === undefined ? undefined : parseDuration(maxAge);
  if (age === undefined || age.kind !== 'duration') return {};
  return { isFresh: until !== undefined && until >= addDuration(now, age, -1) };
}

/** A file that cannot be read says nothing here; loading the project reports it. */
function usageOf([path, text]: readonly [string, string]): { readonly usage?: Usage } {
  const { usage } = loadUsage({ path, text });
  return usage === undefined ? {} : { usage };
}
