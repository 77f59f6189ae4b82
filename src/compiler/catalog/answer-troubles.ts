import type { CheckResult, Incident } from '../../domain/check-result.ts';
import {
  type FailingCheck,
  type ObservedTrust,
  type OpenIncident,
  TROUBLES_MAX,
} from '../../domain/statement-trust.ts';

/** Columns that an answer rests on, in lower case, by model. */
export type Used = ReadonlyMap<string, 'all' | ReadonlySet<string>>;

/** The worst first. */
const WORST: readonly CheckResult['outcome'][] = ['fail', 'error', 'warn', 'not_evaluated'];

/** Checks that do not pass, and open incidents, as far as they touch what an answer rests on. `results`: the newest of each check. */
export function answerTroubles(
  used: Used,
  {
    results,
    incidents,
  }: { readonly results: readonly CheckResult[]; readonly incidents: readonly Incident[] },
): Pick<ObservedTrust, 'checks' | 'checksTotal' | 'incidents' | 'incidentsTotal'> {
  const checks = results
    .filter((result) => isTrouble(result) && touches(used, result))
    .map(failingCheck)
    .toSorted((a, b) => rank(a) - rank(b) || (a.check < b.check ? -1 : 1));
  const open = incidents.filter((incident) => touches(used, incident)).map(openIncident);
  return {
    checks: checks.slice(0, TROUBLES_MAX),
    checksTotal: checks.length,
    incidents: open.toSorted((a, b) => (a.id > b.id ? -1 : 1)).slice(0, TROUBLES_MAX),
    incidentsTotal: open.length,
  };
}

/** A rule that only lacks a history says nothing against the data. */
const isTrouble = ({ outcome, isLearning }: CheckResult): boolean =>
  outcome !== 'pass' && isLearning !== true;

const rank = ({ outcome, severity }: FailingCheck): number =>
  WORST.indexOf(outcome) * 2 + (severity === 'error' ? 0 : 1);

/** A check of no column is about all rows; one whose columns are not known may be about any. */
function touches(used: Used, { model, columns }: Pick<CheckResult, 'model' | 'columns'>): boolean {
  const own = used.get(model);
  if (own === undefined) return false;
  if (own === 'all' || columns === undefined || columns.length === 0) return true;
  return columns.some((column) => own.has(column.toLowerCase()));
}

const failingCheck = ({ id, check, model, dimension, severity, outcome, at }: CheckResult): FailingCheck => ({
  ...{ id, check, model, dimension, severity, at },
  outcome: outcome as FailingCheck['outcome'],
});

const openIncident = ({ id, check, model, severity, openedAt }: Incident): OpenIncident => ({
  ...{ id, check, model, severity, openedAt },
});
