import { describe, expect, test } from 'vitest';
import { campaign } from './campaign.ts';
import { database } from './project.ts';

const isLong = process.env['PLINTH_CAMPAIGN'] === '1';
const seed = isLong ? Number(process.env['PLINTH_SEED'] ?? Date.now() % 2 ** 31) : 20_261_116;

describe('the compiler against the oracle', () => {
  // About 30 questions for each world; the long form asks more than 10,000.
  test('answers of random questions about random projects are those of the rules', {
    timeout: 900_000,
  }, async () => {
    const shares = await campaign('plain', await database(), { worlds: isLong ? 400 : 24, seed });
    console.log(`${shares}`);
    expect(shares.asked).toBeGreaterThan(isLong ? 10_000 : 500);
    expect(shares.of(shares.fannedOut)).toBeGreaterThan(isLong ? 0.5 : 0.4);
    expect(shares.of(shares.severalFacts)).toBeGreaterThan(isLong ? 0.25 : 0.2);
    expect(shares.of(shares.nullKeys)).toBeGreaterThan(isLong ? 0.2 : 0.15);
    expect(shares.of(shares.refused)).toBeLessThan(0.2);
    expect(shares.of(shares.undecided)).toBeLessThan(0.02);
  });

  test('so are those over time: rolling, to date, shifted, stocks', { timeout: 900_000 }, async () => {
    const shares = await campaign('windows', await database(), { worlds: isLong ? 100 : 8, seed });
    console.log(`${shares}`);
    expect(shares.asked).toBeGreaterThan(isLong ? 2_000 : 150);
    expect(shares.of(shares.refused)).toBeLessThan(0.2);
  });

  test('so are those of callers with policies', { timeout: 900_000 }, async () => {
    const shares = await campaign('policies', await database(), { worlds: isLong ? 60 : 6, seed });
    console.log(`${shares}`);
    expect(shares.asked).toBeGreaterThan(isLong ? 1_200 : 100);
    expect(shares.of(shares.same)).toBeGreaterThan(0.5);
  });
});
