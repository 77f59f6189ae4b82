import { quoteName } from '../../foundation/sql/quote.ts';
import { cellNumber } from './cell-number.ts';
import {
  type CheckContext,
  type CheckQuery,
  isRefusal,
  type Measure,
  type QueryAnswers,
} from './check-plan.ts';
import type { PlannedCheck } from './planned-check.ts';
import { limited } from './spelled.ts';
import { workOf } from './work-of.ts';

/** So many rows say whether a column has few different values. A wrong guess costs time and changes no answer. */
const PROBED_ROWS = 50_000;
/** With more different values among them than this, more rows have more. */
const PROBED_FEW = PROBED_ROWS / 10;

/** Queries that cost little and say which columns have few different values; what they answer goes to `planChecks`. */
export interface CheckProbe {
  readonly queries: readonly CheckQuery[];
  readonly distinctOf: (answers: QueryAnswers) => NonNullable<CheckContext['distinctOf']>;
}

/** What is worth knowing before planning: columns whose texts are compared, measured or matched with regular expressions. */
export async function probeChecks(
  checks: readonly PlannedCheck[],
  context: CheckContext,
): Promise<CheckProbe> {
  const works = await Promise.all(checks.map((check) => workOf(check, context)));
  const models = new Map<string, { from: string; columns: Set<string>; serves: Set<string> }>();
  for (const { check, measures } of works)
    for (const { byValue, scan, column } of measures as readonly Measure[]) {
      if (byValue?.isCostly !== true) continue;
      const found = models.get(byValue.model) ?? { from: scan.from, columns: new Set(), serves: new Set() };
      found.columns.add(column);
      found.serves.add(check.check);
      models.set(byValue.model, found);
    }
  const probes = [...models].map(([model, { from, columns, serves }], index) => ({
    model,
    columns: [...columns],
    query: {
      id: `p${index + 1}`,
      sql: probeSql(from, [...columns], context),
      purpose: 'probe' as const,
      serves: [...serves],
    },
  }));
  return {
    queries: probes.map(({ query }) => query),
    distinctOf: (answers) => (model, column) => {
      const probe = probes.find((each) => each.model === model);
      const answer = probe && answers.get(probe.query.id);
      if (probe === undefined || answer === undefined || isRefusal(answer)) return undefined;
      const distinct = cellNumber(answer.rows[0]?.[probe.columns.indexOf(column)]);
      if (distinct === null) return undefined;
      return distinct > PROBED_FEW ? Number.POSITIVE_INFINITY : distinct;
    },
  };
}

function probeSql(from: string, columns: readonly string[], { dialect }: CheckContext): string {
  const quoted = columns.map((column) => quoteName(column, dialect));
  const some = limited(`SELECT ${quoted.join(', ')} FROM ${from}`, PROBED_ROWS, dialect);
  return `SELECT ${quoted.map((column) => `COUNT(DISTINCT ${column})`).join(', ')} FROM (${some}) AS probed`;
}
