import { expect, test } from 'vitest';
import { attendProducts } from '../src/operations/attend-products.ts';
import type { Product } from '../src/operations/platform.ts';
import { closeStatements } from '../src/operations/statements.ts';
import { servedProduct } from './served-product.ts';

test('a scheduler that fails is told of, and neither ends the server nor holds up its end', async () => {
  const served = await servedProduct({
    'config.yaml': 'name: sales\n',
    'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a',
  });
  const { world } = served.product;
  const bug = new Error('no lease can be taken');
  const journal = { ...world.state.journal, takeLease: () => Promise.reject(bug) };
  const product: Product = {
    ...served.product,
    world: { ...world, state: { ...world.state, journal } },
  };
  const { promise: lost, resolve } = Promise.withResolvers<unknown>();
  try {
    const attendance = await attendProducts(
      { products: [product] } as unknown as Parameters<typeof attendProducts>[0],
      { hasScheduler: true, onScheduled: () => undefined, onSchedulerLost: (_, error) => resolve(error) },
    );
    expect(await lost).toBe(bug);
    await attendance.end(0);
  } finally {
    await closeStatements(product);
    await served.close();
  }
});
