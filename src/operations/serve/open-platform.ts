import { SERVER_LIMITS } from '../../domain/server-limits.ts';
import { type LostProduct, type Platform, type Product, productIn } from '../platform.ts';
import { collision } from './collision.ts';
import { isOfState, type OpenOptions, openProduct } from './open-product.ts';

export interface PlatformOptions extends OpenOptions {
  readonly folders: readonly string[];
}

/**
 * Opens warehouse and state of each folder; two folders of one address, or with one state, are refused. One whose state cannot be
 * used is lost, unless it is the first: the principals of the platform are kept there.
 */
export async function openPlatform(options: PlatformOptions): Promise<Platform> {
  const products: Product[] = [];
  const lost: LostProduct[] = [];
  const close = async (): Promise<void> => {
    for (const { workspace } of products) await workspace.close();
  };
  try {
    for (const folder of options.folders) {
      const product = await openProduct(folder, options, products[0]);
      if ('error' in product) {
        lost.push(product);
        continue;
      }
      const problem = collision(products, product);
      if (problem !== undefined) {
        await product.workspace.close();
        throw problem;
      }
      products.push(product);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const [first] = products;
  const publicUrl = first?.world.config.server['public_url'];
  return {
    products,
    lost,
    limits: first?.limits ?? SERVER_LIMITS,
    ...(typeof publicUrl === 'string' ? { publicUrl } : {}),
    product: productIn(products),
    async prepare(product, work) {
      try {
        await work();
      } catch (error) {
        if (product === first || !isOfState(error)) throw error;
        const { tenant, name, slug, workspace } = product;
        products.splice(products.indexOf(product), 1);
        lost.push({ tenant, name, slug, error });
        // Why it is lost is reported above; errors of a damaged state at its close add nothing.
        await workspace.close().catch(() => undefined);
      }
    },
    close,
  };
}
