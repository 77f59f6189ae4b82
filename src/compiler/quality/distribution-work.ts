/*
 * `distribution(amount): {against: previous, psi < 0.2}`: the shares of bins now against those of an earlier result.
 *
 *   numbers        first result: edges between deciles, and how many rows lie at or above each; later: the same edges
 *   anything else  first result: the most frequent values; later: those values, all others together
 */
import { quoteText } from '../../foundation/sql/quote.ts';
import { cellNumber } from './cell-number.ts';
import {
  type CheckContext,
  type CheckWork,
  isRefusal,
  type OwnQuery,
  type Shares,
  type Verdict,
} from './check-plan.ts';
import { type CheckedRows, columnOf, columnValue, selectFrom } from './checked-rows.ts';
import { isFloating } from './column-family.ts';
import { comparisonText, outcomeOf } from './comparison.ts';
import {
  BINS_MAX,
  CATEGORIES_MAX,
  categoryShares,
  distance,
  edgesOf,
  equiDepthEdges,
  numericShares,
  OTHER_BIN,
} from './distribution.ts';
import { keptValue } from './metric-work.ts';
import type { CheckAssertion, PlannedCheck } from './planned-check.ts';
import { castTo, limited, NotExpressible, spelled } from './spelled.ts';
import { familyIn, type ValueSql, wrongType } from './validity.ts';

type Distribution = CheckAssertion & { readonly kind: 'distribution' };

export function distributionWork(
  check: PlannedCheck,
  assertion: Distribution,
  rows: CheckedRows,
  context: CheckContext,
): CheckWork {
  const { comparison, method, against } = assertion;
  const column = columnOf(rows, assertion.column.value);
  const value = columnValue(rows, column);
  const family = familyIn(value);
  if (family === 'binary') throw wrongType('distribution', column, 'a number or text');
  const { previous, baseline } = context.shares?.get(check.check) ?? {};
  const bins = baseline ?? previous;
  const isNumbers = family === 'number';
  if (bins !== undefined && (edgesOf(bins) !== undefined) !== isNumbers)
    throw new NotExpressible(
      `${column.name} is ${column.type}, and the earlier shares are those of another type`,
    );
  const plan = isNumbers ? numberPlan(rows, value, bins) : categoryPlan(rows, value, bins);
  const before = against === 'previous' ? previous : (baseline ?? previous);
  return {
    check,
    expected: `${method} of ${column.name} ${comparisonText(comparison)} against ${against}`,
    measures: [],
    queries: [plan.query],
    decide: (facts) => {
      const found = facts.rows(plan.query);
      if (isRefusal(found)) return { outcome: 'error', reason: found.message };
      const now = plan.read(found);
      return decidedDistance(check, assertion, { before, now: now.shares, rows: now.rows });
    },
  };
}

interface FoundShares {
  readonly rows: number;
  readonly shares: Shares;
}

interface SharesPlan {
  readonly query: OwnQuery;
  readonly read: (rows: readonly (readonly unknown[])[]) => FoundShares;
}

function decidedDistance(
  { definition }: PlannedCheck,
  { comparison, method }: Distribution,
  { before, now, rows }: { readonly before: Shares | undefined; readonly now: Shares; readonly rows: number },
): Verdict {
  if (rows === 0)
    return { outcome: 'not_evaluated', reason: 'there are no values to compare', rowsTested: rows };
  if (before === undefined)
    return {
      outcome: 'not_evaluated',
      isLearning: true,
      reason: 'it is the first result, with which later ones are compared',
      rowsTested: rows,
      shares: now,
    };
  const found = distance(method, before, now);
  return {
    outcome: outcomeOf(found, comparison, definition),
    ...keptValue(found),
    rowsTested: rows,
    shares: now,
  };
}

/** `COUNT(*)` at or above each edge: the number of rows of a bin is the difference of two. */
function numberPlan(rows: CheckedRows, value: ValueSql, bins: Shares | undefined): SharesPlan {
  const { dialect } = rows;
  const number = castTo('DOUBLE', value.sql, dialect);
  const isThere = [
    `${value.sql} IS NOT NULL`,
    ...(isFloating(value.column.type, dialect) ? [`NOT ${spelled('isnan', [value.sql], dialect)}`] : []),
  ];
  const numbers = selectFrom(`${number} AS checked_value`, rows.scan, isThere);
  const atLeast = (edge: string): string => `COUNT(CASE WHEN checked_value >= ${edge} THEN 1 END)`;
  const known = bins && edgesOf(bins);
  if (known !== undefined) {
    const edges = known.map((edge) => castTo('DOUBLE', quoteText(String(edge), dialect), dialect));
    const sql = `SELECT ${['COUNT(*)', ...edges.map(atLeast)].join(', ')} FROM (${numbers}) AS numbers`;
    return {
      query: { sql, purpose: 'distribution' },
      read: ([row = []]) =>
        binned(
          known,
          row.map((cell) => cellNumber(cell) ?? 0),
        ),
    };
  }
  const names = Array.from({ length: BINS_MAX - 1 }, (_, index) => `edge${index + 1}`);
  const quantiles = names.map(
    (name, index) =>
      `${spelled('quantile_cont', ['checked_value', String((index + 1) / BINS_MAX)], dialect)} AS ${name}`,
  );
  const sql = `SELECT ${['COUNT(*)', ...names.map((name) => `MIN(${name})`), ...names.map(atLeast)].join(', ')} FROM (${numbers}) AS numbers CROSS JOIN (SELECT ${quantiles.join(', ')} FROM (${numbers}) AS numbers) AS edges`;
  return {
    query: { sql, purpose: 'distribution' },
    read: ([row = []]) => {
      const cells = row.map((cell) => cellNumber(cell) ?? 0);
      const found = cells.slice(1, names.length + 1);
      const edges = equiDepthEdges(found);
      return binned(edges, [
        cells[0] ?? 0,
        ...edges.map((edge) => cells[1 + names.length + found.indexOf(edge)] ?? 0),
      ]);
    },
  };
}

/** From the number of rows, and of those at or above each edge. */
function binned(edges: readonly number[], [rows = 0, ...above]: readonly number[]): FoundShares {
  const steps = [rows, ...above];
  return {
    rows,
    shares: numericShares(
      edges,
      steps.map((count, index) => count - (steps[index + 1] ?? 0)),
    ),
  };
}

/** The most frequent values, or those that have a bin, and the number of all rows with a value. */
function categoryPlan(rows: CheckedRows, value: ValueSql, bins: Shares | undefined): SharesPlan {
  const { dialect } = rows;
  const text = castTo('VARCHAR', value.sql, dialect);
  const texts = selectFrom(`${text} AS checked_value`, rows.scan, [`${value.sql} IS NOT NULL`]);
  if (bins === undefined) {
    const counted = `SELECT checked_value, COUNT(*) AS checked_rows, SUM(COUNT(*)) OVER () AS all_rows FROM (${texts}) AS texts GROUP BY checked_value ORDER BY checked_rows DESC, checked_value`;
    return {
      query: { sql: limited(counted, CATEGORIES_MAX, dialect), purpose: 'distribution' },
      read: (found) => {
        const total = cellNumber(found[0]?.[2]) ?? 0;
        const counts = found.map(([name, count]) => ({ value: String(name), rows: cellNumber(count) ?? 0 }));
        return { rows: total, shares: categoryShares(counts, total) };
      },
    };
  }
  const known = bins.map(({ bin }) => bin).filter((bin) => bin !== OTHER_BIN);
  const values = known.map((bin) => String(JSON.parse(bin)));
  const counts = values.map(
    (each) => `COUNT(CASE WHEN checked_value = ${quoteText(each, dialect)} THEN 1 END)`,
  );
  return {
    query: {
      sql: `SELECT ${['COUNT(*)', ...counts].join(', ')} FROM (${texts}) AS texts`,
      purpose: 'distribution',
    },
    read: ([row = []]) => {
      const [total = 0, ...found] = row.map((cell) => cellNumber(cell) ?? 0);
      const listed = values.map((each, index) => ({ value: each, rows: found[index] ?? 0 }));
      return { rows: total, shares: categoryShares(listed, total, bins) };
    },
  };
}
