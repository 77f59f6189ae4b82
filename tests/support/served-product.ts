import type { PlanOptions } from '../../src/domain/plan.ts';
import type { PlannedWork } from '../../src/domain/planned-work.ts';
import type { Identity } from '../../src/domain/principal.ts';
import type { Run, RunEvent } from '../../src/domain/run.ts';
import { closeStatements } from '../../src/operations/ask/close-statements.ts';
import { apply } from '../../src/operations/change/apply.ts';
import { plan } from '../../src/operations/change/plan.ts';
import type { Product } from '../../src/operations/platform.ts';
import { loadProject } from '../../src/operations/project/load-project.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import { type TemporaryProject, temporaryProject } from './temporary-project.ts';

/** A project that was planned and is open as a server has it, without the server. */
export interface ServedProduct {
  readonly product: Product;
  readonly project: TemporaryProject;
  /** Plans and applies what the folder has now. */
  plan(): Promise<void>;
  /** Opened once more, as by another process. */
  again(): Promise<Product>;
  close(): Promise<void>;
}

/** A plan of everything as it is. */
export const PLAN_OPTIONS: PlanOptions = {
  restateModels: [],
  isForwardOnly: false,
  skipBackfill: false,
  emptyBackfill: false,
  noGaps: false,
  allowDestructiveModels: [],
  categories: {},
  withRun: false,
  isShared: false,
};

/** Planned at once, unless a test plans by itself. */
export async function servedProduct(
  files: Readonly<Record<string, string>>,
  { isPlanned = true }: { readonly isPlanned?: boolean } = {},
): Promise<ServedProduct> {
  const project = temporaryProject(files);
  const closing: (() => Promise<void>)[] = [];
  const open = async (): Promise<Product> => {
    const platform = await openPlatform({
      folders: [project.folder],
      variables: {},
      executionTime: Date.UTC(2025, 5, 15),
    });
    const [product] = platform.products;
    if (product === undefined) throw new Error('nothing is served');
    closing.push(async () => {
      await closeStatements(product);
      await platform.close();
    });
    return product;
  };
  const product = await open();
  const planNow = (): Promise<void> => planProduct(product);
  if (isPlanned) await planNow();
  return {
    product,
    project,
    plan: planNow,
    again: open,
    async close() {
      for (const close of closing) await close();
      project.delete();
    },
  };
}

/** Plans and applies what the folder has now. */
export async function planProduct(product: Product, environment?: string): Promise<void> {
  const { plan: planned, diagnostics } = await draftProduct(product, { environment });
  if (planned === undefined) throw new Error(JSON.stringify(diagnostics));
  const run = await ended(apply(product.world, planned, { who: 'a test', allowsWiderAccess: true }));
  if (run.status !== 'succeeded') throw new Error(JSON.stringify(run));
}

/** Plans what the folder has now; nothing is applied. */
export async function draftProduct(
  { workspace, world }: Product,
  {
    environment,
    options = {},
  }: { readonly environment?: string | undefined; readonly options?: Partial<PlanOptions> } = {},
): Promise<PlannedWork> {
  return plan(workspace, await loadProject(workspace), {
    world: Promise.resolve(world),
    environment,
    options: { ...PLAN_OPTIONS, ...options },
  });
}

/** How a run ended; its events are left out. */
export async function ended(events: AsyncGenerator<RunEvent, Run>): Promise<Run> {
  for (;;) {
    const next = await events.next();
    if (next.done === true) return next.value;
  }
}

/** Somebody with these rights. */
export function identityOf(changed: Partial<Identity> = {}): Identity {
  return {
    principalId: 'u_ann',
    name: 'ann',
    kind: 'user',
    tenant: 'default',
    isPlatformAdmin: false,
    productRoles: {},
    groups: [],
    ...changed,
  };
}

export const ADMIN = identityOf({
  principalId: 'local',
  name: 'local',
  kind: 'local-admin',
  isPlatformAdmin: true,
});
