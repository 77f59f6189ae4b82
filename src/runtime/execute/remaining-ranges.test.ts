import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelKind } from '../../domain/model-kind.ts';
import type { BackfillMember } from '../../domain/plan.ts';
import { DAY_MS } from '../../foundation/time/civil.ts';
import { normalizeRanges, type RangeSet, subtractRanges } from '../../foundation/time/ranges.ts';
import { type RemainingInput, remainingRanges } from './remaining-ranges.ts';

const days = (start: number, end: number): RangeSet => [{ start: start * DAY_MS, end: end * DAY_MS }];
const INCREMENTAL = {
  lookback: 0,
  forwardOnly: false,
  disableRestatement: false,
  onDestructiveChange: 'error',
  onAdditiveChange: 'allow',
} as const;
const byTime: ModelKind = {
  kind: 'incremental-by-time-range',
  timeColumn: { column: 'day' },
  strictTime: 'warn',
  partitionByTimeColumn: true,
  ...INCREMENTAL,
};
const appending: ModelKind = { kind: 'incremental-unmanaged', insertOverwrite: false, ...INCREMENTAL };

function remaining(
  member: Partial<BackfillMember>,
  more: Partial<RemainingInput> & { filled?: RangeSet; filledSince?: RangeSet } = {},
): RangeSet {
  const { filled = [], filledSince = [], ...rest } = more;
  return remainingRanges({
    member: {
      model: 's.m',
      fingerprint: 'f',
      table: { model: 's.m', version: 'v' },
      ranges: [],
      unit: 'day',
      batchConcurrency: 1,
      ...member,
    },
    kind: byTime,
    ledger: { filled, filledSince },
    pending: [],
    isRecordedRestatement: false,
    ...rest,
  });
}

describe('what is left to write', () => {
  describe('of a table that is made anew', () => {
    const member = { ranges: days(0, 8), refills: days(0, 7), isRestatement: true, isAnew: true } as const;
    const pending = days(0, 7);
    test('is all of it, with what others added since the plan was made', () => {
      expect(remaining(member, { filled: days(0, 7), pending })).toEqual(days(0, 8));
      expect(remaining(member, { filled: days(0, 9), pending })).toEqual(days(0, 9));
    });
    test('is what is newer when another run has made it anew', () => {
      const done = {
        filled: days(0, 7),
        filledSince: days(0, 7),
        pending,
        isRecordedRestatement: true,
      };
      expect(remaining(member, done)).toEqual(days(7, 8));
      expect(remaining({ ...member, ranges: days(0, 7) }, done)).toEqual([]);
    });
    test('reaches back from what is there', () => {
      const back = { ranges: days(0, 7), refills: days(4, 7), isRestatement: true, isAnew: true } as const;
      expect(remaining(back, { filled: days(4, 7) })).toEqual(days(0, 7));
    });
  });

  test('of a model over its own past goes on to the end of what is there', () => {
    const onward = { ranges: days(3, 7), refills: days(4, 7), isOnward: true } as const;
    expect(remaining(onward, { filled: [...days(0, 3), ...days(4, 7)] })).toEqual(days(3, 7));
    expect(remaining(onward, { filled: [...days(0, 3), ...days(4, 9)] })).toEqual(days(3, 9));
    expect(remaining(onward, { filled: days(0, 7) })).toEqual([]);
  });

  test('is what was planned when nobody wrote meanwhile', () => {
    expect(remaining({ ranges: days(3, 5) }, { filled: days(0, 3) })).toEqual(days(3, 5));
  });

  test('of a recorded restatement begins with a whole unit, also when a part of the running one is filled', () => {
    const half = DAY_MS / 2;
    const ranges = [{ start: 3 * DAY_MS, end: 5 * DAY_MS + half }];
    const since = [{ start: 3 * DAY_MS, end: 5 * DAY_MS + half / 2 }];
    expect(
      remaining(
        { ranges },
        { filled: ranges, filledSince: since, pending: ranges, isRecordedRestatement: true },
      ),
    ).toEqual([{ start: 5 * DAY_MS, end: 5 * DAY_MS + half }]);
  });

  test('is nothing when another environment has filled it', () => {
    expect(remaining({ ranges: days(3, 5) }, { filled: days(0, 5) })).toEqual([]);
  });

  test('takes lookback with it as long as something new is left, and leaves it when nothing is', () => {
    const member = { ranges: days(1, 5), refills: days(1, 3) };
    expect(remaining(member, { filled: days(0, 3) })).toEqual(days(1, 5));
    expect(remaining(member, { filled: days(0, 5) })).toEqual([]);
  });

  test('is an automatic restatement, which nobody else can have done', () => {
    expect(remaining({ ranges: days(1, 3), refills: days(1, 3) }, { filled: days(0, 5) })).toEqual(
      days(1, 3),
    );
  });

  test('is the part of a recorded restatement that no later holder has filled', () => {
    const member = { ranges: days(1, 4), refills: days(1, 4), isRestatement: true };
    const asked = { filled: days(0, 5), pending: days(1, 4), isRecordedRestatement: true };
    expect(remaining(member, asked)).toEqual(days(1, 4));
    expect(remaining(member, { ...asked, filledSince: days(1, 3) })).toEqual(days(3, 4));
    expect(remaining(member, { ...asked, filledSince: days(1, 4) })).toEqual([]);
    expect(remaining(member, { ...asked, pending: [] })).toEqual([]);
  });

  test('is the whole of a rebuilt table when any of it is due', () => {
    const kind: ModelKind = { kind: 'full' };
    expect(remaining({ ranges: days(0, 5) }, { kind, filled: days(0, 4) })).toEqual(days(0, 5));
    expect(remaining({ ranges: days(0, 5) }, { kind, filled: days(0, 5) })).toEqual([]);
  });

  const sets = fc
    .array(fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 8 })), { maxLength: 4 })
    .map((list) => normalizeRanges(list.flatMap(([start, length]) => days(start, start + length))));

  test('never touches time that an appending kind has, never leaves a hole, and never goes beyond the plan', () =>
    fc.assert(
      fc.property(sets, sets, fc.boolean(), (ranges, filled, isAppending) => {
        const left = remaining({ ranges }, { filled, kind: isAppending ? appending : byTime });
        expect(subtractRanges(left, ranges)).toEqual([]);
        expect(subtractRanges(subtractRanges(ranges, filled), left)).toEqual([]);
        if (isAppending) expect(subtractRanges(left, filled)).toEqual(left);
      }),
    ));
});
