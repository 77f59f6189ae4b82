/** A text of any production of the grammar, answered or refused, costs little more than a plain one; `campaign.ts` measures all sizes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedProduct, servedProduct } from '../support/served-product.ts';
import { FILES, worstText } from './campaign.ts';
import { type Cost, costOf } from './measure.ts';
import { PRODUCTIONS, UNBOUNDED } from './productions.ts';

let served: ServedProduct;
let plain: Cost;
beforeAll(async () => {
  served = await servedProduct(FILES);
  // What is run first has to be compiled first.
  await costOf(served, PLAIN);
  plain = await costOf(served, PLAIN);
});
afterAll(() => served.close());

/** A list of as many numbers as a text may have. */
const PLAIN = `SELECT [${'1,'.repeat(24_000)}1][1] FROM s.m`;
/** Times the cost of the plain text, and what a clock of 10 ms and a busy machine add. */
const KEEPER_TIMES = 4;
const OWN_TIMES = 4;
const MORE_MS = 300;
/** So often it is measured before it counts as costly. */
const TIMES = 3;

const names = Object.keys(PRODUCTIONS).filter((name) => !UNBOUNDED.has(name));

test.each(names)('%s', async (name) => {
  const keeperMax = plain.keeperMs * KEEPER_TIMES + MORE_MS;
  const ownMax = plain.ownMs * OWN_TIMES + MORE_MS;
  let cost = await worstText(served, name);
  // Beside other work the same text costs more: what is costly is so each time.
  for (let again = 1; again < TIMES && (cost.keeperMs >= keeperMax || cost.ownMs >= ownMax); again++)
    cost = await worstText(served, name);
  const { ownMs, keeperMs, told } = cost;
  expect.soft(keeperMs, told).toBeLessThan(keeperMax);
  expect.soft(ownMs, told).toBeLessThan(ownMax);
  expect(told).not.toContain('lost');
});
