import { deliver } from '../notify/deliver.ts';
import type { Platform, Product } from '../platform.ts';
import { openChannel } from '../workspace.ts';

export interface DeliveryOptions {
  readonly stop: AbortSignal;
  /** A server says which principals count; a worker beside it leaves them to it. */
  readonly claims: boolean;
  /** What targets of type console say. */
  readonly onConsole: (product: Product, line: string) => void;
  /** Nothing of the product is sent for a while. */
  readonly onDeliveryProblem: (product: Product, error: unknown) => void;
}

/** Sends what happens in the products of a platform to those who asked to hear of it; ends with the signal. */
export async function attendDeliveries(
  platform: Platform,
  { stop, claims, onConsole, onDeliveryProblem }: DeliveryOptions,
): Promise<void> {
  await Promise.all(
    platform.products.map((product) =>
      deliver(platform, product, {
        ...{ who: product.workspace.who, signal: stop, claims, openChannel },
        onConsole: (line) => onConsole(product, line),
        onProblem: (error) => onDeliveryProblem(product, error),
      }),
    ),
  );
}
