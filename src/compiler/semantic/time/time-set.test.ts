import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TimeBounds, TimeSet } from '../logical-query.ts';
import { ALL_TIMES, complement, intersection, NO_TIME, timeSet, union } from './time-set.ts';

const end = fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined });
const stretch = fc.tuple(end, end).map(
  ([a, b]): TimeBounds => ({
    ...(a === undefined ? {} : { start: a }),
    ...(b === undefined ? {} : { end: b }),
  }),
);
const stretches = fc.array(stretch, { maxLength: 4 });
const TIMES = Array.from({ length: 16 }, (_, i) => i - 2);
const holds = (set: readonly TimeBounds[], at: number): boolean =>
  set.some(({ start, end: to }) => (start ?? -99) <= at && at < (to ?? 99));
const times = (set: TimeSet): readonly number[] => TIMES.filter((at) => holds(set, at));

test('sets of times have what their stretches have, in order and with room between them', () => {
  fc.assert(
    fc.property(stretches, stretches, (a, b) => {
      const [one, other] = [timeSet(a), timeSet(b)];
      expect(times(one)).toEqual(TIMES.filter((at) => holds(a, at)));
      for (const [i, { start }] of one.entries())
        if (i > 0) expect(start).toBeGreaterThan(one[i - 1]?.end ?? 99);
      expect(times(union([one, other]))).toEqual(TIMES.filter((at) => holds(one, at) || holds(other, at)));
      expect(times(intersection([one, other]))).toEqual(
        TIMES.filter((at) => holds(one, at) && holds(other, at)),
      );
      expect(times(complement(one))).toEqual(TIMES.filter((at) => !holds(one, at)));
      expect(complement(complement(one))).toEqual(one);
    }),
    { numRuns: 2_000 },
  );
  expect([complement(ALL_TIMES), complement(NO_TIME), intersection([]), union([])]).toEqual([
    NO_TIME,
    ALL_TIMES,
    ALL_TIMES,
    NO_TIME,
  ]);
});
