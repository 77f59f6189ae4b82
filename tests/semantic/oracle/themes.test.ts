import { expect, test } from 'vitest';
import { campaign } from './campaign.ts';
import { isLong, seedOf } from './cases.ts';
import { database } from './project.ts';

test('answers over time are those of the rules: rolling, to date, shifted, stocks', {
  timeout: 900_000,
}, async () => {
  const shares = await campaign('windows', await database(), {
    cases: isLong ? 3_000 : 220,
    seed: seedOf(20_261_116),
  });
  console.log(`${shares}`);
  expect(shares.of(shares.refused)).toBeLessThan(0.2);
});

test('so are those of callers with policies', { timeout: 900_000 }, async () => {
  const shares = await campaign('policies', await database(), {
    cases: isLong ? 1_800 : 160,
    seed: seedOf(20_261_116),
  });
  console.log(`${shares}`);
  expect(shares.of(shares.same)).toBeGreaterThan(0.5);
});
