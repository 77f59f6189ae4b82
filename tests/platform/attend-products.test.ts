import { expect, test } from 'vitest';
import { closeStatements } from '../../src/operations/ask/close-statements.ts';
import type { Product } from '../../src/operations/platform.ts';
import { attendProducts } from '../../src/operations/serve/attend-products.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import { planProduct } from '../support/served-product.ts';
import { temporaryProject } from '../support/temporary-project.ts';

test('a scheduler that fails is told of, and neither ends the server nor holds up its end', async () => {
  const project = temporaryProject({
    'config.yaml': 'name: sales\n',
    'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a',
  });
  const platform = await openPlatform({
    folders: [project.folder],
    variables: {},
    executionTime: Date.UTC(2025, 5, 15),
  });
  const served = platform.products[0] as Product;
  await planProduct(served);
  const { world } = served;
  const bug = new Error('no lease can be taken');
  const journal = { ...world.state.journal, takeLease: () => Promise.reject(bug) };
  const product: Product = {
    ...served,
    world: { ...world, state: { ...world.state, journal } },
  };
  const { promise: lost, resolve } = Promise.withResolvers<unknown>();
  try {
    const attendance = await attendProducts(
      { ...platform, products: [product] },
      {
        hasScheduler: true,
        onScheduled: () => undefined,
        onSchedulerLost: (_, error) => resolve(error),
        onConsole: () => undefined,
        onDeliveryProblem: () => undefined,
      },
    );
    expect(await lost).toBe(bug);
    await attendance.end(0);
  } finally {
    await closeStatements(product);
    await platform.close();
    project.delete();
  }
});
