/*
 * Why data is held back, or passed on with a warning:
 *
 *   newest result of a check fails, its incident is open,          ─▶ block
 *   or a blocking audit failed when the model was last tried
 *   a check warns, could not be evaluated or was never looked at,  ─▶ warn
 *   an audit warned or held rows back, or the model failed otherwise
 */
import type { CheckOutcome } from '../../domain/check-result.ts';
import { modelActivity } from '../catalog/model-activity.ts';
import type { ProductReader } from '../product-reader.ts';
import { knownIncidents } from './known-incidents.ts';
import { knownRules } from './known-rules.ts';
import type { QualityView } from './quality-view.ts';

export interface GateReason {
  readonly effect: 'warn' | 'block';
  readonly kind: 'check' | 'unchecked' | 'incident' | 'audit' | 'run';
  readonly model: string;
  /** Of the check, the rule, the audit; the run that failed. */
  readonly name: string;
  /** Of the result or the incident, the rule, the run. */
  readonly id: string;
  readonly outcome: string;
}

const EFFECTS: Readonly<Record<CheckOutcome, GateReason['effect'] | undefined>> = {
  pass: undefined,
  warn: 'warn',
  fail: 'block',
  error: 'warn',
  not_evaluated: 'warn',
};

const INCIDENTS_MAX = 10_000;

/** What speaks against passing these models on, what blocks first. */
export async function gateReasons(
  product: ProductReader,
  view: QualityView,
  models: ReadonlySet<string>,
): Promise<readonly GateReason[]> {
  const [rules, incidents, built] = await Promise.all([
    knownRules(product, view),
    knownIncidents(product, view, { isOpen: true, limit: INCIDENTS_MAX }),
    auditReasons(product, view, models),
  ]);
  const own = rules.filter(({ model, rule }) => models.has(model) && rule.isEnabled);
  const checks = new Set(own.flatMap(({ latest }) => latest.map(({ check }) => check)));
  const found: readonly GateReason[] = [
    ...own.flatMap(({ id, pack, rule, model, latest }): readonly GateReason[] => {
      if (latest.length > 0)
        return latest.flatMap(({ check, id: resultId, outcome }) => {
          const effect = EFFECTS[outcome];
          return effect === undefined
            ? []
            : [{ effect, kind: 'check', model, name: check, id: resultId, outcome }];
        });
      const name = `${pack.name.value}/${rule.name}`;
      return [{ effect: 'warn', kind: 'unchecked', model, name, id, outcome: 'not_evaluated' }];
    }),
    // Nothing can close an incident of a rule that was taken out of its pack.
    ...incidents
      .filter(({ check }) => checks.has(check))
      .map(
        ({ id, check, model }): GateReason => ({
          ...{ effect: 'block', kind: 'incident', model, name: check, id, outcome: 'open' },
        }),
      ),
    ...built,
  ];
  return found.toSorted((a, b) => Number(b.effect === 'block') - Number(a.effect === 'block'));
}

async function auditReasons(
  { world }: ProductReader,
  { environment }: QualityView,
  models: ReadonlySet<string>,
): Promise<readonly GateReason[]> {
  const activities = await modelActivity(world, { environment: environment.name });
  return activities
    .filter(({ model }) => models.has(model))
    .flatMap(({ model, last, lastRun: { id } }): readonly GateReason[] => {
      const audits = last.audits.flatMap(({ name, status }): readonly GateReason[] =>
        status === 'passed' || status === 'skipped'
          ? []
          : [
              {
                effect: status === 'failed' ? 'block' : 'warn',
                ...{ kind: 'audit', model, name, id, outcome: status },
              },
            ],
      );
      if (audits.length > 0 || last.status !== 'failed') return audits;
      return [{ effect: 'warn', kind: 'run', model, name: id, id, outcome: 'failed' }];
    });
}
