import { beforeAll, expect, test } from 'vitest';
import { IS_LONG } from '../../support/long-form.ts';
import { campaign } from './campaign.ts';
import { seedOf, TIME_MAX_MS } from './cases.ts';
import { type Database, database } from './project.ts';

const SEED = seedOf(20_261_116);
let warehouse: Database;
beforeAll(async () => {
  warehouse = await database();
});

test('answers of random questions about random projects are those of the rules', {
  timeout: TIME_MAX_MS,
}, async () => {
  const shares = await campaign('plain', warehouse, { cases: IS_LONG ? 10_500 : 420, seed: SEED });
  console.log(`${shares}`);
  expect(shares.of(shares.fannedOut)).toBeGreaterThan(IS_LONG ? 0.5 : 0.45);
  expect(shares.of(shares.severalFacts)).toBeGreaterThan(IS_LONG ? 0.25 : 0.2);
  expect(shares.of(shares.nullKeys)).toBeGreaterThan(IS_LONG ? 0.2 : 0.15);
  expect(shares.of(shares.refused)).toBeLessThan(0.2);
  expect(shares.of(shares.undecided)).toBeLessThan(0.02);
});

test('answers over time are those of the rules: rolling, to date, shifted, stocks', {
  timeout: TIME_MAX_MS,
}, async () => {
  const shares = await campaign('windows', warehouse, { cases: IS_LONG ? 4_500 : 220, seed: SEED });
  console.log(`${shares}`);
  expect(shares.of(shares.refused)).toBeLessThan(0.2);
});

test('so they are where windows, policies and facts that share dimensions meet', {
  timeout: TIME_MAX_MS,
}, async () => {
  const shares = await campaign('shapes', warehouse, { cases: IS_LONG ? 4_500 : 220, seed: SEED });
  console.log(`${shares}`);
  expect(shares.of(shares.same)).toBeGreaterThan(0.5);
  expect(shares.of(shares.severalFacts)).toBeGreaterThan(0.1);
});
