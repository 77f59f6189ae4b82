import type { Data, DataRecord } from '../../../foundation/yaml/data.ts';
import { DBT_EXPECTATIONS } from './dbt-expectations.ts';
import { DBT_TESTS, type DbtTranslator } from './dbt-generic.ts';
import { type DbtTest, NotTranslatable } from './dbt-test.ts';
import { type RuleDraft, refused, type Translation } from './imported-check.ts';
import { inverse, readThreshold, type Threshold, thresholdText } from './threshold.ts';

/** What stands beside the arguments of a test: how bad a failure is, which rows it looks at, and what describes it. */
export interface DbtConfig {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly owner?: string | undefined;
  readonly tags: readonly string[];
  readonly severity: string;
  readonly warnIf: string;
  readonly errorIf: string;
  readonly where?: string | undefined;
  readonly isEnabled: boolean;
  /** Settings that dbt has and our rules have not. */
  readonly others: readonly string[];
}

/** Every generic test that can be translated, by the name that schema files use. */
export const DBT_REGISTRY: Readonly<Record<string, DbtTranslator>> = { ...DBT_TESTS, ...DBT_EXPECTATIONS };

/** What our grammar makes of a generic test. */
export function translateDbtTest(test: DbtTest, config: DbtConfig): Translation {
  const name = test.name.replace(/^dbt\./, '');
  const translator = Object.hasOwn(DBT_REGISTRY, name) ? DBT_REGISTRY[name] : undefined;
  if (translator === undefined)
    return refused(
      name.includes('.')
        ? `tests of ${name.split('.')[0]} are not known`
        : `${name} is a test of the project's own`,
      'compile it with dbt, and put its SQL into failed rows as fail_query',
    );
  try {
    const translation = translator(test);
    if (translation.kind === 'refused') return translation;
    return withConfig(translation, config, test);
  } catch (error) {
    if (error instanceof NotTranslatable) return refused(error.why, error.next);
    throw error;
  }
}

function withConfig(
  { rules, differs }: Translation & { readonly kind: 'rules' },
  config: DbtConfig,
  test: DbtTest,
): Translation {
  const isQuery = rules.some(({ options }) => options['fail_query'] !== undefined);
  const left = test.left();
  const condition = left.includes('row_condition') ? test.text('row_condition') : undefined;
  if (isQuery && condition !== undefined)
    return refused(
      'its row_condition has no place in the query',
      'write the query as failed rows with a fail_query',
    );
  const filter = [config.where, condition].filter((each) => each !== undefined);
  const levels = levelsOf(config);
  if (levels === undefined)
    return refused(
      `warn_if ${config.warnIf} or error_if ${config.errorIf} does not compare with numbers`,
      'write the rule by hand, for instance missing_count(a) <= 10: {warn: when > 0}',
    );
  const found: string[] = [];
  const made = rules.map((draft, at): RuleDraft => {
    const leveled = withLevels(draft, levels, found);
    const name = config.name ?? (leveled.text === 'failed rows' ? ownName(test) : undefined);
    const isNamed = typeof leveled.options['name'] === 'string';
    const options: Record<string, Data> = {
      ...(name === undefined || isNamed ? {} : { name: at === 0 ? name : `${name} (${at + 1})` }),
      ...(config.description === undefined ? {} : { description: config.description }),
      ...(config.owner === undefined ? {} : { owner: config.owner }),
      ...(config.tags.length === 0 ? {} : { tags: config.tags }),
      ...(filter.length === 0 || isQuery || leveled.text === 'schema'
        ? {}
        : {
            filter:
              filter.length === 1 ? (filter[0] as string) : filter.map((each) => `(${each})`).join(' AND '),
          }),
      ...(config.isEnabled ? {} : { enabled: false }),
      ...leveled.options,
    };
    return { ...leveled, options };
  });
  return {
    kind: 'rules',
    rules: made,
    differs: [
      ...differs,
      ...new Set(found),
      ...config.others.map((key) => `${key} has no counterpart and is left out`),
      ...left.filter((key) => key !== 'row_condition').map((key) => `${key} is not known and is left out`),
    ],
  };
}

const ownName = (test: DbtTest): string =>
  [test.name.replace(/^.*\./, ''), test.column].filter((each) => each !== undefined).join(' ');

interface DbtLevels {
  readonly isWarning: boolean;
  /** Numbers of failures that are bad; undefined: any. */
  readonly bad?: Threshold;
  readonly warn?: Threshold;
}

/** Severity, `warn_if` and `error_if` in our words; undefined when a condition cannot be read. */
function levelsOf({ severity, warnIf, errorIf }: DbtConfig): DbtLevels | undefined {
  const [warn, error] = [readThreshold(warnIf), readThreshold(errorIf)];
  if (warn === undefined || error === undefined) return undefined;
  const given = (text: string, threshold: Threshold): Threshold | undefined =>
    /^\s*(?:!=|<>|>)\s*0\s*$/.test(text) ? undefined : threshold;
  if (severity === 'warn') {
    const bad = given(warnIf, warn);
    return { isWarning: true, ...(bad === undefined ? {} : { bad }) };
  }
  const bad = given(errorIf, error);
  return bad === undefined ? { isWarning: false } : { isWarning: false, bad, warn };
}

/** The rule with its levels, where its number of failures is something that our rules count. */
function withLevels(draft: RuleDraft, levels: DbtLevels, differs: string[]): RuleDraft {
  const severity: DataRecord = levels.isWarning ? { severity: 'warning' } : {};
  const { bad, warn } = levels;
  if (bad === undefined) return { ...draft, options: { ...severity, ...draft.options } };
  const metric = /^((?:missing|duplicate|invalid)_count\(.*\)) = 0$/.exec(draft.text)?.[1];
  const warning: DataRecord = warn === undefined ? {} : { warn: `when ${thresholdText(warn, 'none')}` };
  if (metric?.startsWith('invalid_count') === true)
    differs.push('warn_if and error_if count wrong values there, and rows here');
  if (metric !== undefined)
    return {
      text: `${metric} ${thresholdText(inverse(bad), 'none')}`,
      options: { ...severity, ...warning, ...draft.options },
    };
  if (draft.text === 'failed rows' || draft.text.startsWith('values in ')) {
    const options = { ...severity, ...warning, fail: `when ${thresholdText(bad, 'none')}`, ...draft.options };
    return { text: draft.text, options };
  }
  differs.push('warn_if and error_if count rows, and this rule has one value: it fails when that is wrong');
  return { ...draft, options: { ...severity, ...draft.options } };
}
