import type { AuditResult, ModelResult } from '../../domain/run.ts';
import { type RangeSet, type TimeRange, unionRanges } from '../../foundation/time/ranges.ts';

/** What one model's writes came to so far: sums over its batches. */
export interface ModelTally {
  readonly intervals: RangeSet;
  readonly rows: number;
  readonly audits: readonly AuditResult[];
  readonly balance?: NonNullable<ModelResult['balance']>;
  readonly rowsOutside?: number;
}

export const NO_WRITES: ModelTally = { intervals: [], rows: 0, audits: [] };

/** Adds one write; the balance of quarantine is exact in every write, so it is in the sum. */
export function addToTally(
  tally: ModelTally,
  written: Omit<ModelTally, 'intervals'>,
  range: TimeRange,
): ModelTally {
  const balance = sumOfBalances(tally.balance, written.balance);
  const rowsOutside =
    written.rowsOutside === undefined ? tally.rowsOutside : (tally.rowsOutside ?? 0) + written.rowsOutside;
  return {
    intervals: range.start < range.end ? unionRanges(tally.intervals, [range]) : tally.intervals,
    rows: tally.rows + written.rows,
    audits: sumOfAudits(tally.audits, written.audits),
    ...(balance === undefined ? {} : { balance }),
    ...(rowsOutside === undefined ? {} : { rowsOutside }),
  };
}

/** Sums what two writes of one model came to. */
export function mergeTallies(left: ModelTally | undefined, right: ModelTally): ModelTally {
  if (left === undefined) return right;
  const { intervals, ...written } = right;
  const sum = addToTally(left, written, { start: 0, end: 0 });
  return { ...sum, intervals: unionRanges(sum.intervals, intervals) };
}

function sumOfBalances(
  left: ModelResult['balance'],
  right: ModelResult['balance'],
): ModelResult['balance'] | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return {
    input: left.input + right.input,
    published: left.published + right.published,
    quarantined: left.quarantined + right.quarantined,
  };
}

const SEVERITY = ['skipped', 'passed', 'quarantined', 'warned', 'failed'] as const;

/** One result per audit: failing rows of all batches, the worst status. A model may use one audit twice, so places count, too. */
function sumOfAudits(left: readonly AuditResult[], right: readonly AuditResult[]): readonly AuditResult[] {
  const sums = new Map<string, AuditResult>();
  for (const list of [left, right]) {
    const seen = new Map<string, number>();
    for (const audit of list) {
      const place = seen.get(audit.name) ?? 0;
      seen.set(audit.name, place + 1);
      const key = `${place} ${audit.name}`;
      const before = sums.get(key);
      sums.set(key, before === undefined ? audit : sumOfResults(before, audit));
    }
  }
  return [...sums.values()];
}

function sumOfResults(before: AuditResult, audit: AuditResult): AuditResult {
  const isWorse = SEVERITY.indexOf(audit.status) > SEVERITY.indexOf(before.status);
  return {
    ...before,
    ...audit,
    status: isWorse ? audit.status : before.status,
    failedRows: before.failedRows + audit.failedRows,
  };
}
