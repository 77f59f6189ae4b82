import type { PlanOptions } from '../src/domain/plan.ts';
import type { Identity } from '../src/domain/principal.ts';
import { apply } from '../src/operations/apply.ts';
import { loadProject } from '../src/operations/load-project.ts';
import { plan } from '../src/operations/plan.ts';
import { openPlatform, type Product } from '../src/operations/platform.ts';
import { closeStatements } from '../src/operations/statements.ts';
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
export async function planProduct({ workspace, world }: Product, environment?: string): Promise<void> {
  const loaded = await loadProject(workspace);
  const planned = await plan(workspace, loaded, {
    world: Promise.resolve(world),
    environment,
    options: PLAN_OPTIONS,
  });
  if (planned.plan === undefined) throw new Error(JSON.stringify(planned.diagnostics));
  const events = apply(world, planned.plan, { who: 'a test', allowsWiderAccess: true });
  for (let next = await events.next(); ; next = await events.next()) {
    if (next.done !== true) continue;
    if (next.value.status !== 'succeeded') throw new Error(JSON.stringify(next.value));
    return;
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
