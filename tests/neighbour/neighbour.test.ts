import { expect, test } from 'vitest';
import { neighbours, problemsOf } from './neighbours.ts';

test('a hostile neighbour costs a victim and builds nothing, and the server little memory', async () => {
  const report = await neighbours({ seconds: 15, seed: 7 });
  expect(problemsOf(report, { isLong: false })).toEqual([]);
  // A campaign that did less than it says would find nothing.
  expect(report.attacker.sent).toBeGreaterThan(20);
  expect(report.attacker.tried['function']).toBeGreaterThan(10);
  expect(report.attacker.tried['operation']).toBeGreaterThan(5);
  expect(report.victim.asked).toBeGreaterThan(20);
  expect(report.builds.plans).toBeGreaterThan(0);
});
