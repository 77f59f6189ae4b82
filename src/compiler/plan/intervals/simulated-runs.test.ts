/** Whatever is held back, fails, is restated or left out by a selection: once everything is there, all rows are what they ought to be. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type SimulatedRun,
  SimulatedTables,
  type TableKind,
  type TableSpec,
} from '../../../../tests/support/plan/simulated-tables.ts';

const IS_LONG = process.env.PLINTH_CAMPAIGN === '1';
const KINDS: readonly TableKind[] = ['range', 'own', 'key', 'append', 'full', 'view', 'range', 'range'];

const specs: fc.Arbitrary<readonly TableSpec[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom(...KINDS),
      reads: fc.array(fc.nat(5), { maxLength: 2 }),
      lookback: fc.nat(2),
      isSignalled: fc.nat(3).map((n) => n === 0),
    }),
    { minLength: 2, maxLength: 6, size: 'max' },
  )
  // Most read the one before them, so that what is wrong above is seen below.
  .map((drawn) =>
    drawn.map((spec, i) => ({
      ...spec,
      reads:
        i === 0
          ? []
          : [...new Set([i - 1, ...spec.reads].filter((n) => n < i).slice(spec.reads.length > 1 ? 1 : 0))],
    })),
  );

type Step =
  | { readonly kind: 'time'; readonly days: number }
  | { readonly kind: 'restate'; readonly table: number; readonly from: number; readonly length: number }
  | {
      readonly kind: 'run';
      readonly selected: readonly number[] | null;
      readonly held: readonly number[];
      readonly failing: readonly (readonly [number, number])[];
    };

const RUN: fc.Arbitrary<Extract<Step, { kind: 'run' }>> = fc.record({
  kind: fc.constant('run' as const),
  selected: fc.option(fc.array(fc.nat(5), { minLength: 1, maxLength: 4 }), { freq: 2 }),
  held: fc.array(fc.nat(8), { maxLength: 3 }),
  failing: fc.array(fc.tuple(fc.nat(5), fc.nat(8)), { maxLength: 2 }),
});

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('time' as const), days: fc.integer({ min: 1, max: 3 }) }),
    fc.record({
      kind: fc.constant('restate' as const),
      table: fc.nat(5),
      from: fc.nat(8),
      length: fc.integer({ min: 1, max: 3 }),
    }),
    RUN,
    RUN,
    RUN,
  ),
  { minLength: 3, maxLength: 12, size: 'max' },
);

const EVERYTHING: SimulatedRun = { ready: () => true, fails: () => undefined };

function runOf(step: Extract<Step, { kind: 'run' }>): SimulatedRun {
  const failing = new Map(step.failing);
  return {
    ...(step.selected === null ? {} : { selected: new Set(step.selected) }),
    ready: (day) => !step.held.includes(day),
    fails: (table) => failing.get(table),
  };
}

test('what comes late comes to every reader, nothing is added twice, and nothing is made before what it is made of', () => {
  fc.assert(
    fc.property(specs, steps, (drawn, done) => {
      const tables = new SimulatedTables(drawn);
      for (const step of done)
        if (step.kind === 'time') tables.days += step.days;
        else if (step.kind === 'run') tables.run(runOf(step));
        else if (drawn[step.table % drawn.length]!.kind !== 'view') {
          const from = step.from % tables.days;
          tables.restate(step.table % drawn.length, from, Math.min(from + step.length, tables.days));
        }
      let rounds = 0;
      while (tables.run(EVERYTHING) && rounds < 10) rounds++;
      expect(tables.problems).toEqual([]);
      expect(tables.wrong()).toEqual([]);
      // Everything is there: one more run finds nothing.
      expect(tables.run(EVERYTHING)).toBe(false);
    }),
    { numRuns: IS_LONG ? 20_000 : 600 },
  );
});
