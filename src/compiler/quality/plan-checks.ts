import type { CheckIdentity } from '../../domain/check-result.ts';
import type { Answer } from '../../domain/engine.ts';
import { cellNumber } from './cell-number.ts';
import {
  type CheckContext,
  type CheckPlan,
  type CheckWork,
  type DecidedCheck,
  type Facts,
  isRefusal,
  type Measure,
  type OwnQuery,
  type QueryAnswers,
  type QueryRefusal,
} from './check-plan.ts';
import { comparisonText } from './comparison.ts';
import { type PlannedScans, planScans } from './plan-scans.ts';
import type { PlannedCheck } from './planned-check.ts';
import { workOf } from './work-of.ts';

/** What to ask the engine, and how its answers decide each check. Asks nothing itself. */
export async function planChecks(checks: readonly PlannedCheck[], context: CheckContext): Promise<CheckPlan> {
  const works = await Promise.all(checks.map((check) => workOf(check, context)));
  const scans = planScans(
    works.map(({ check, measures, queries }) => ({ check: check.check, measures, queries })),
    context,
  );
  return {
    queries: scans.queries,
    decide: (answers) => works.map((work) => decided(work, scans, answers)),
  };
}

function decided(work: CheckWork, scans: PlannedScans, answers: QueryAnswers): DecidedCheck {
  const used = new Set<string>();
  const facts: Facts = {
    number: (measure) => numberOf(measure, scans, answers, used),
    rows: (own) => rowsOf(own, scans, answers, used),
  };
  const verdict = work.decide(facts);
  const { definition, assertion: _assertion, filters: _filters, at: _at, ...identity } = work.check;
  const { sampleSql, ...rest } = verdict;
  const mayHaveSample = verdict.outcome === 'fail' || verdict.outcome === 'warn';
  return {
    ...(identity satisfies CheckIdentity),
    ...rest,
    expected: expectedText(work),
    samplesLimit: definition.samplesLimit,
    sql: sqlOf(scans, used),
    ...(sampleSql !== undefined && mayHaveSample && definition.samplesLimit > 0 ? { sampleSql } : {}),
  };
}

/** With the conditions of its own for a warning and a failure, which say why a value that is expected warns. */
function expectedText({ check, expected }: CheckWork): string {
  const { warnWhen, failWhen } = check.definition;
  const levels = [
    ...(warnWhen === undefined ? [] : [`warn when ${comparisonText(warnWhen)}`]),
    ...(failWhen === undefined ? [] : [`fail when ${comparisonText(failWhen)}`]),
  ];
  return levels.length === 0 ? expected : `${expected} (${levels.join(', ')})`;
}

/** The queries that a check used, in the order they were asked. */
function sqlOf({ queries }: PlannedScans, used: ReadonlySet<string>): string {
  return queries
    .flatMap((query) => [query, ...(query.instead ?? [])])
    .filter(({ id }) => used.has(id))
    .map(({ sql }) => sql)
    .join(';\n');
}

const NOT_ASKED: QueryRefusal = { code: 'quality.not-asked', message: 'its query has no answer' };

function numberOf(
  measure: Measure,
  { placesOf }: PlannedScans,
  answers: QueryAnswers,
  used: Set<string>,
): number | null | QueryRefusal {
  let refusal: QueryRefusal = NOT_ASKED;
  for (const { query, position } of placesOf(measure)) {
    const answer = answers.get(query);
    if (answer === undefined) continue;
    used.add(query);
    if (!isRefusal(answer)) return numberIn(answer, position);
    refusal = answer;
  }
  return refusal;
}

function numberIn({ rows }: Answer, position: number): number | null | QueryRefusal {
  const cell = rows[0]?.[position];
  if (cell === undefined) return { code: 'quality.no-row', message: 'its query answered with no row' };
  return cellNumber(cell);
}

function rowsOf(
  own: OwnQuery,
  { queryOf }: PlannedScans,
  answers: QueryAnswers,
  used: Set<string>,
): readonly (readonly unknown[])[] | QueryRefusal {
  const id = queryOf(own);
  used.add(id);
  const answer = answers.get(id) ?? NOT_ASKED;
  return isRefusal(answer) ? answer : answer.rows;
}
