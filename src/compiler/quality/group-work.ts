/*
 * `group by region: {row_count > 10}`: the measurements of the rule, asked once per scan with GROUP BY, and the rule decided
 * for each group. The worst group is the outcome; the value is the number of groups that did not pass.
 */
import type { CheckOutcome, GroupResult } from '../../domain/check-result.ts';
import type { AnswerColumn } from '../../domain/engine.ts';
import { quoteName } from '../../foundation/sql/quote.ts';
import { cellNumber } from './cell-number.ts';
import {
  type CheckWork,
  type Facts,
  isRefusal,
  type Measure,
  type OwnQuery,
  type QueryRefusal,
  type Verdict,
} from './check-plan.ts';
import { type CheckedRows, selectFrom } from './checked-rows.ts';
import { limited } from './spelled.ts';

/** More groups than this are not compared: the rule is an error. */
const GROUPS_MAX = 10_000;
/** How many groups a result keeps, those that did not pass first. */
const KEPT_MAX = 1_000;
/** The worst first. */
const WORST: readonly CheckOutcome[] = ['error', 'fail', 'warn', 'not_evaluated', 'pass'];

interface GroupScan {
  readonly query: OwnQuery;
  readonly measures: readonly Measure[];
}

/** The work of a rule for each group; `inner` is the rule planned over rows that know their groups. */
export function groupWork(inner: CheckWork, rows: CheckedRows, groups: readonly AnswerColumn[]): CheckWork {
  const names = groups.map(({ name }) => quoteName(name, rows.dialect)).join(', ');
  const scans: readonly GroupScan[] = [
    ...Map.groupBy(inner.measures, ({ scan }) => `${scan.from}\n${scan.where ?? ''}`).values(),
  ].map((measures) => {
    const columns = measures.map(({ sql }, index) => `${sql} AS m${index}`);
    const { scan } = measures[0] as Measure;
    const select = `${selectFrom([names, ...columns].join(', '), scan)} GROUP BY ${names}`;
    return {
      query: { sql: limited(select, GROUPS_MAX + 1, rows.dialect), purpose: 'groups' },
      measures,
    };
  });
  return {
    check: inner.check,
    expected: `${inner.expected} in each group of ${groups.map(({ name }) => name).join(', ')}`,
    measures: [],
    queries: scans.map(({ query }) => query),
    decide: (facts) => decideGroups(inner, scans, groups.length, facts),
  };
}

interface Group {
  readonly key: readonly unknown[];
  readonly numbers: Map<Measure, number | null>;
}

function decideGroups(inner: CheckWork, scans: readonly GroupScan[], width: number, facts: Facts): Verdict {
  const groups = readGroups(scans, width, facts);
  if (isRefusal(groups)) return { outcome: 'error', reason: groups.message };
  if (groups.length === 0) return { outcome: 'not_evaluated', reason: 'there are no rows, and so no groups' };
  if (groups.length > GROUPS_MAX)
    return { outcome: 'error', reason: `there are more than ${GROUPS_MAX.toLocaleString('en')} groups` };
  const decided = groups.map(({ key, numbers }) => ({
    key,
    // A group without a row in a scan has none that it counts.
    verdict: inner.decide({
      number: (measure) => numbers.get(measure) ?? zeroOr(numbers, measure),
      rows: facts.rows,
    }),
  }));
  const sorted = decided
    .map(({ key, verdict: { outcome, value } }): GroupResult => ({ key, value: value ?? null, outcome }))
    .map((group) => ({ group, text: JSON.stringify(group.key) }))
    .sort(
      (a, b) => WORST.indexOf(a.group.outcome) - WORST.indexOf(b.group.outcome) || (a.text < b.text ? -1 : 1),
    )
    .map(({ group }) => group);
  const bad = sorted.filter(({ outcome }) => outcome !== 'pass').length;
  const sum = (field: 'rowsTested' | 'rowsFailed'): number | undefined =>
    decided.every(({ verdict }) => verdict[field] !== undefined)
      ? decided.reduce((total, { verdict }) => total + (verdict[field] ?? 0), 0)
      : undefined;
  const [tested, failed] = [sum('rowsTested'), sum('rowsFailed')];
  return {
    outcome: sorted[0]?.outcome ?? 'not_evaluated',
    value: bad,
    ...(bad === 0 ? {} : { reason: `${bad} of ${sorted.length} groups did not pass` }),
    ...(tested === undefined ? {} : { rowsTested: tested }),
    ...(failed === undefined ? {} : { rowsFailed: failed }),
    groups: sorted.slice(0, KEPT_MAX),
  };
}

function zeroOr(numbers: ReadonlyMap<Measure, number | null>, measure: Measure): number | null {
  return numbers.has(measure) ? null : 0;
}

function readGroups(
  scans: readonly GroupScan[],
  width: number,
  facts: Facts,
): readonly Group[] | QueryRefusal {
  const groups = new Map<string, Group>();
  for (const { query, measures } of scans) {
    const rows = facts.rows(query);
    if (isRefusal(rows)) return rows;
    for (const row of rows) {
      const key = row.slice(0, width);
      const text = JSON.stringify(key);
      const group = groups.get(text) ?? { key, numbers: new Map<Measure, number | null>() };
      measures.forEach((measure, index) => {
        group.numbers.set(measure, cellNumber(row[width + index]));
      });
      groups.set(text, group);
    }
  }
  return [...groups.values()];
}
