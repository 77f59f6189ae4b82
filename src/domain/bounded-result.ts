/*
 * How much of a check's result is kept. The history has millions of them, so the store keeps no result that is larger;
 * what was cut ends in an ellipsis or is marked as a part.
 */
import type { CheckResult, FailingSample, GroupResult } from './check-result.ts';

const SAMPLE_ROWS_MAX = 100;
const SAMPLE_BYTES_MAX = 64 * 1024;
/** Of one value in a sample or in the key of a group. */
const CELL_CHARACTERS_MAX = 1_000;
const WORDS_CHARACTERS_MAX = 2_000;
const SQL_CHARACTERS_MAX = 16_000;
const GROUPS_MAX = 1_000;
const SHARES_MAX = 1_000;

/** The result as the history keeps it: the same once more gives the same. */
export function boundedResult(result: CheckResult): CheckResult {
  const { value, reason, groups, shares, sample } = result;
  return {
    ...result,
    ...(value === undefined ? {} : { value: finite(value) }),
    expected: cutText(result.expected, WORDS_CHARACTERS_MAX),
    ...(reason === undefined ? {} : { reason: cutText(reason, WORDS_CHARACTERS_MAX) }),
    sql: cutText(result.sql, SQL_CHARACTERS_MAX),
    ...(groups === undefined ? {} : boundedGroups(groups, result.groupsTested)),
    ...(shares === undefined ? {} : { shares: largest(shares) }),
    ...(sample === undefined ? {} : { sample: boundedSample(sample) }),
  };
}

/** Those that do not pass go first: they are what is looked for. */
function boundedGroups(
  groups: readonly GroupResult[],
  tested: number | undefined,
): Pick<CheckResult, 'groups' | 'groupsTested'> {
  const ordered =
    groups.length <= GROUPS_MAX
      ? groups
      : [
          ...groups.filter(({ outcome }) => outcome !== 'pass'),
          ...groups.filter(({ outcome }) => outcome === 'pass'),
        ];
  return {
    groups: ordered.slice(0, GROUPS_MAX).map(({ key, value, outcome }) => ({
      key: key.map(boundedCell),
      value: finite(value),
      outcome,
    })),
    groupsTested: tested ?? groups.length,
  };
}

function largest(shares: NonNullable<CheckResult['shares']>): NonNullable<CheckResult['shares']> {
  if (shares.length <= SHARES_MAX) return shares;
  const kept = new Set(shares.toSorted((one, two) => two.share - one.share).slice(0, SHARES_MAX));
  return shares.filter((share) => kept.has(share));
}

function boundedSample({ columns, rows, isPart }: FailingSample): FailingSample {
  const kept: (readonly unknown[])[] = [];
  let bytes = 0;
  for (const row of rows.slice(0, SAMPLE_ROWS_MAX)) {
    const cells = row.map(boundedCell);
    bytes += bytesOf(cells) + 1;
    if (bytes > SAMPLE_BYTES_MAX) break;
    kept.push(cells);
  }
  return { columns, rows: kept, isPart: isPart || kept.length < rows.length };
}

const encoder = new TextEncoder();
const bytesOf = (cells: readonly unknown[]): number => encoder.encode(JSON.stringify(cells)).length;

function boundedCell(cell: unknown): unknown {
  if (typeof cell === 'string') return cutText(cell, CELL_CHARACTERS_MAX);
  if (typeof cell === 'bigint' || (typeof cell === 'number' && !Number.isFinite(cell))) return String(cell);
  if (cell === undefined) return null;
  if (typeof cell !== 'object' || cell === null) return cell;
  const text = JSON.stringify(cell, (_, inner: unknown) =>
    typeof inner === 'bigint' ? String(inner) : inner,
  );
  return text.length > CELL_CHARACTERS_MAX ? cutText(text, CELL_CHARACTERS_MAX) : JSON.parse(text);
}

const finite = (value: number | null): number | null =>
  value === null || Number.isFinite(value) ? value : null;

function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  // Half a character is not text.
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
