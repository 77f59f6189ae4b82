import { basename } from 'node:path';
import { failure } from '../domain/failure.ts';
import { type OpenedWorld, openWorld } from './open-world.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

/** One project folder as a server has it open. */
export interface Product {
  readonly tenant: string;
  readonly name: string;
  /** `{tenant}-{name}`: how addresses name it. */
  readonly slug: string;
  readonly workspace: Workspace;
  readonly world: OpenedWorld;
}

/** Everything one server serves. */
export interface Platform {
  readonly products: readonly Product[];
  /** By look-up, never by splitting the slug: names have dashes. */
  product(tenant: string, slug: string): Product | undefined;
  close(): Promise<void>;
}

export interface PlatformOptions {
  readonly folders: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly gateway?: string | undefined;
  readonly executionTime: number;
}

/** Opens warehouse and state of each folder; two folders of one address are refused. */
export async function openPlatform(options: PlatformOptions): Promise<Platform> {
  const products = new Map<string, Product>();
  const close = async (): Promise<void> => {
    for (const { workspace } of products.values()) await workspace.close();
  };
  try {
    for (const folder of options.folders) {
      const product = await openProduct(folder, options);
      const key = addressOf(product.tenant, product.slug);
      const other = products.get(key);
      if (other !== undefined) {
        await product.workspace.close();
        throw failure('server.same-product', {
          product: product.slug,
          first: basename(other.workspace.folder),
          second: basename(product.workspace.folder),
        });
      }
      products.set(key, product);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    products: [...products.values()],
    product: (tenant, slug) => products.get(addressOf(tenant, slug)),
    close,
  };
}

async function openProduct(
  folder: string,
  { variables, gateway, executionTime }: PlatformOptions,
): Promise<Product> {
  const workspace = openWorkspace({ folder, variables, executionTime, gateway });
  try {
    const world = await openWorld(workspace);
    const { tenant, name } = world.config;
    return { tenant, name, slug: `${tenant}-${name}`, workspace, world };
  } catch (error) {
    await workspace.close();
    throw error;
  }
}

const addressOf = (tenant: string, slug: string): string => `${tenant}/${slug}`;

/** What `plinth serve` asks of the server; the roof (src/main.ts) hands one to the other. */
export interface ServerOptions extends PlatformOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly auth: 'disabled' | 'required';
  readonly tls?: { readonly certificate: string; readonly key: string };
  readonly hasScheduler: boolean;
  /** Binds another address than loopback though `auth` is disabled. */
  readonly isForced: boolean;
  /** One structured line of the log. */
  readonly log: (line: Readonly<Record<string, unknown>>) => void;
}

/** A server that answers. */
export interface RunningServer {
  readonly url: string;
  readonly products: readonly { readonly tenant: string; readonly name: string; readonly baseUrl: string }[];
  /** Answers what was asked, accepts nothing new, and ends. */
  drain(): Promise<void>;
  /** Ends at once. */
  close(): Promise<void>;
}

export type StartServer = (options: ServerOptions) => Promise<RunningServer>;
