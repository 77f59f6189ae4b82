import { DQ_DIMENSIONS } from '../../../domain/dq-pack.ts';
import type { Data, DataRecord } from '../../../foundation/yaml/data.ts';
import { type RuleDraft, refused, type Translation } from './imported-check.ts';
import { plainData } from './plain-data.ts';
import type { SodaCheck } from './soda-check.ts';
import { translateAnomaly, translateChange, translateDistribution } from './soda-history.ts';
import { translateFreshnessUsing, translateMetric } from './soda-metric.ts';
import {
  translateFailedRows,
  translateGroupBy,
  translateReference,
  translateSameCount,
  translateSchema,
} from './soda-tables.ts';

type Translator = (check: SodaCheck, shared: DataRecord, tableOf: (name: string) => string) => Translation;

/** Every kind of check that SodaCL has, in the order in which its first words are looked at. */
export const SODA_KINDS = {
  schema: { begins: /^schema$/i, translate: translateSchema },
  'group-by': { begins: /^group by$/i, translate: translateGroupBy },
  'group-evolution': {
    begins: /^group evolution$/i,
    translate: () =>
      refused(
        'our rules do not compare the groups of two runs',
        'name the groups that must be there in a fail_query of failed rows, or watch distribution(column)',
      ),
  },
  'failed-rows': { begins: /^failed rows$/i, translate: translateFailedRows },
  'row-count-comparison': { begins: /^row_count same as /i, translate: translateSameCount },
  reference: { begins: /^values in /i, translate: translateReference },
  'freshness-using': { begins: /^freshness using /i, translate: translateFreshnessUsing },
  'change-over-time': { begins: /^change /i, translate: translateChange },
  'anomaly-score': { begins: /^anomaly score for /i, translate: translateAnomaly },
  'anomaly-detection': { begins: /^anomaly detection for /i, translate: translateAnomaly },
  distribution: { begins: /^distribution_difference\b/i, translate: translateDistribution },
  reconciliation: {
    begins: /^(?:rows diff|.*\bdiff(?:erence)?\s*(?:[<>=!]|between)|reconciliation)/i,
    translate: () =>
      refused('reconciliation compares two data sources', 'compare the tables with plinth table-diff'),
  },
  metric: { begins: /^/, translate: translateMetric },
} as const satisfies Readonly<Record<string, { readonly begins: RegExp; readonly translate: Translator }>>;

export type SodaKind = keyof typeof SODA_KINDS;

export function sodaKindOf(text: string): SodaKind {
  const kinds = Object.keys(SODA_KINDS) as SodaKind[];
  return kinds.find((kind) => SODA_KINDS[kind].begins.test(text)) ?? 'metric';
}

/** What our grammar makes of one check; settings that have no counterpart are named in `differs`. */
export function translateSodaCheck(
  check: SodaCheck,
  { tableOf, attributes }: { tableOf: (name: string) => string; attributes: DataRecord },
): Translation {
  const differs: string[] = [];
  const shared = sharedOptions(check, attributes, differs);
  const translator: Translator = SODA_KINDS[sodaKindOf(check.text)].translate;
  const translation = translator(check, shared, tableOf);
  if (translation.kind === 'refused') return translation;
  const left = check.left().map((key) => `${key} has no counterpart and is left out`);
  const rules = translation.rules.map(withoutUselessFilter);
  if (rules.some((rule, index) => rule !== translation.rules[index]))
    differs.push('its filter is left out: a schema and a whole query have no rows to filter');
  return { ...translation, rules, differs: [...translation.differs, ...differs, ...left] };
}

function withoutUselessFilter(draft: RuleDraft): RuleDraft {
  const { filter, ...options } = draft.options;
  if (filter === undefined || (draft.text !== 'schema' && options['fail_query'] === undefined)) return draft;
  return { ...draft, options };
}

/** Options that every kind can have: name, filter, samples, and what the attributes say in our words. */
function sharedOptions(check: SodaCheck, inherited: DataRecord, differs: string[]): DataRecord {
  const node = check.node('attributes');
  const own = node?.kind === 'map' ? (plainData(node) as DataRecord) : {};
  const all: Record<string, Data> = { ...inherited, ...own };
  const options: Record<string, Data> = {};
  const name = check.string('name');
  if (name !== undefined) options['name'] = name;
  const [owner, dimension] = [all['owner'], all['dimension']];
  if (typeof owner === 'string') {
    options['owner'] = owner;
    delete all['owner'];
  }
  if (
    typeof dimension === 'string' &&
    (DQ_DIMENSIONS as readonly string[]).includes(dimension.toLowerCase())
  ) {
    options['dimension'] = dimension.toLowerCase();
    delete all['dimension'];
  }
  const tags = all['tags'];
  if (Array.isArray(tags) && tags.every((tag) => typeof tag === 'string')) {
    options['tags'] = tags as readonly string[];
    delete all['tags'];
  }
  const filter = check.string('filter');
  if (filter !== undefined) options['filter'] = filter;
  const limit = check.string('samples limit');
  if (limit !== undefined && /^\d+$/.test(limit)) {
    options['samples_limit'] = Math.min(Number(limit), 1000);
    if (Number(limit) > 1000) differs.push('at most 1,000 failing rows are kept');
  }
  if (check.has('samples columns'))
    differs.push('samples columns: samples have all columns that the reader may see');
  const identity = check.string('identity');
  if (identity !== undefined) all['identity'] = identity;
  if (Object.keys(all).length > 0) options['attributes'] = all;
  return options;
}
