import { expect, test } from 'vitest';
import { campaign } from './campaign.ts';
import { isLong, seedOf } from './cases.ts';
import { database } from './project.ts';

test('answers of random questions about random projects are those of the rules', {
  timeout: 900_000,
}, async () => {
  const shares = await campaign('plain', await database(), {
    cases: isLong ? 10_500 : 800,
    seed: seedOf(20_261_116),
  });
  console.log(`${shares}`);
  expect(shares.of(shares.fannedOut)).toBeGreaterThan(isLong ? 0.5 : 0.45);
  expect(shares.of(shares.severalFacts)).toBeGreaterThan(isLong ? 0.25 : 0.2);
  expect(shares.of(shares.nullKeys)).toBeGreaterThan(isLong ? 0.2 : 0.15);
  expect(shares.of(shares.refused)).toBeLessThan(0.2);
  expect(shares.of(shares.undecided)).toBeLessThan(0.02);
});
