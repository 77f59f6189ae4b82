import type { DataRecord } from '../../../foundation/yaml/data.ts';
import { refused, rule, rules, type Translation } from './imported-check.ts';
import type { SodaCheck } from './soda-check.ts';
import { isTranslation, levelRule, levelsOf } from './soda-levels.ts';
import { metricText, readMetric } from './soda-metric.ts';
import { validityOptions } from './soda-validity.ts';
import { readThreshold } from './threshold.ts';

const CHANGE = /^change (?:(avg|min|max) last (\d+) |(same day last week) )?(percent )?for (.+)$/i;
const BY_HAND = 'write the rule by hand; plinth schema dq prints what rules can say';

/** `change avg last 7 for row_count < 50`: what a metric was before. */
export function translateChange(check: SodaCheck, shared: DataRecord): Translation {
  const [, aggregate, runs, isSameDay, percent, rest = ''] = CHANGE.exec(check.text) ?? [];
  const metric = readMetric(rest);
  const text = metric && metricText(metric);
  if (metric === undefined || text === undefined)
    return refused('the metric whose change is asked for is not one of ours', BY_HAND);
  if (aggregate !== undefined && aggregate.toLowerCase() !== 'avg')
    return refused(
      `our rules compare with the average of the last runs, not with their ${aggregate}`,
      `write change for ${text} … against average last ${runs}`,
    );
  if (metric.rest !== '' && readThreshold(metric.rest) === undefined)
    return refused(`the threshold ${metric.rest} does not compare with numbers`, BY_HAND);
  const levels = levelsOf(check, readThreshold(metric.rest));
  if (isTranslation(levels)) return levels;
  const validity = validityOptions(check, metric.name, metric.columns[0]);
  if ('kind' in validity) return validity;
  const behind =
    aggregate !== undefined
      ? ` against average last ${runs}`
      : isSameDay !== undefined
        ? ' against last week'
        : '';
  const draft = levelRule(`change for ${text}`, levels, {
    unit: percent === undefined ? 'none' : '%',
    options: { ...shared, ...validity.options },
    behind,
  });
  const isSign = percent === undefined && metric.rest.includes('%');
  return rules(
    [draft],
    [
      ...validity.differs,
      'the history begins with the first run here',
      isSign
        ? 'Soda compares the difference itself here, whatever the sign % says, and so does the rule'
        : undefined,
    ],
  );
}

/** Anomaly detection and its older form, anomaly score. */
export function translateAnomaly(check: SodaCheck, shared: DataRecord): Translation {
  const metric = readMetric(check.text.replace(/^anomaly (?:score|detection) for /i, ''));
  const text = metric && metricText(metric);
  if (metric === undefined || text === undefined)
    return refused('the metric whose anomalies are asked for is not one of ours', BY_HAND);
  const validity = validityOptions(check, metric.name, metric.columns[0]);
  if ('kind' in validity) return validity;
  const isWarning = check.string('warn_only') === 'true';
  const tuned = ['model', 'training_dataset_parameters', 'severity_level_parameters', 'warn', 'fail'].filter(
    (key) => check.has(key),
  );
  check.take('take_over_existing_anomaly_score_check');
  return rules(
    [
      rule(`anomaly for ${text}`, {
        ...shared,
        ...validity.options,
        ...(isWarning ? { severity: 'warning' } : {}),
      }),
    ],
    [
      ...validity.differs,
      'a robust z-score of the stored history decides, in place of the forecast model of Soda',
      tuned.length === 0 ? undefined : `${tuned.join(', ')} tune that model and are left out`,
    ],
  );
}

/** A distribution against a file of reference values. */
export function translateDistribution(check: SodaCheck): Translation {
  const column = readMetric(check.text)?.columns[0] ?? 'column';
  check.take('distribution reference file', 'method', 'sample');
  return refused(
    'it compares with reference values in a file; our distributions compare with the profile before or a baseline',
    `write distribution(${column}): {against: baseline, psi < 0.2}`,
  );
}
