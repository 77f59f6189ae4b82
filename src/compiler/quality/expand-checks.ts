import type { DqAssertion, DqPack, DqRule } from '../../domain/dq-pack.ts';
import { rangeOf } from '../../foundation/yaml/located.ts';
import { columnPattern } from '../load/yaml/check-dq.ts';
import type { CheckedTable } from './check-plan.ts';
import type { CheckAssertion, PlannedCheck } from './planned-check.ts';

/** The checks of packs, in their order; rules that are not enabled are left out. */
export function expandChecks(
  packs: readonly DqPack[],
  modelOf: (name: string) => Pick<CheckedTable, 'name' | 'columns'> | undefined,
): readonly PlannedCheck[] {
  return packs.flatMap((pack) =>
    pack.rules.filter(({ isEnabled }) => isEnabled).flatMap((rule) => checksOf(pack, rule, modelOf)),
  );
}

function checksOf(
  pack: DqPack,
  rule: DqRule,
  modelOf: (name: string) => Pick<CheckedTable, 'name' | 'columns'> | undefined,
): readonly PlannedCheck[] {
  const table = modelOf(pack.model.value);
  const check = `${pack.name.value}/${rule.name}`;
  const filters = [pack.filter, rule.filter].filter((each) => each !== undefined);
  const make = (suffix: string, assertion: CheckAssertion | undefined): PlannedCheck => {
    const columns = assertion && columnsOf(assertion);
    const readsMore =
      assertion !== undefined && readsTables(assertion) ? 'tables' : filters.length > 0 ? 'rows' : undefined;
    return {
      check: `${check}${suffix}`,
      pack: pack.name.value,
      rule: rule.name,
      model: table?.name ?? pack.model.value,
      ...(columns === undefined ? {} : { columns }),
      ...(readsMore === undefined ? {} : { readsMore }),
      dimension: rule.dimension,
      severity: rule.severity,
      ...(rule.owner === undefined && pack.owner === undefined ? {} : { owner: rule.owner ?? pack.owner }),
      definition: rule,
      ...(assertion === undefined ? {} : { assertion }),
      filters,
      at: rangeOf(pack.file, rule.text),
    } as PlannedCheck;
  };
  const found = expanded(rule.assertion, table?.columns.map(({ name }) => name) ?? []);
  return found.length === 0
    ? [make('', undefined)]
    : found.map(({ suffix, assertion }) => make(suffix, assertion));
}

interface Expanded {
  readonly suffix: string;
  readonly assertion: CheckAssertion;
}

function expanded(assertion: DqAssertion, columns: readonly string[]): readonly Expanded[] {
  switch (assertion.kind) {
    case 'for-each-column': {
      const patterns = assertion.patterns.map(({ value }) => columnPattern(value));
      return columns
        .filter((column) => patterns.some((fits) => fits(column)))
        .flatMap((column) =>
          expanded(withColumn(assertion.rule, column), columns).map((each) => ({
            ...each,
            suffix: `/${column}${each.suffix}`,
          })),
        );
    }
    case 'group-by': {
      const rules = assertion.rules.flatMap((rule) => expanded(rule, columns));
      return rules.flatMap(({ assertion: rule, suffix }, index) =>
        rule.kind === 'group-by'
          ? []
          : [
              {
                suffix: rules.length === 1 ? suffix : `/${index + 1}${suffix}`,
                assertion: { kind: 'group-by', columns: assertion.columns, rule } as const,
              },
            ],
      );
    }
    default:
      return [{ suffix: '', assertion }];
  }
}

/** Metrics without a column get the one they are about. */
function withColumn(assertion: DqAssertion, column: string): DqAssertion {
  switch (assertion.kind) {
    case 'metric':
    case 'change':
    case 'anomaly': {
      const { metric } = assertion;
      if (metric.columns.length > 0 || metric.name === 'row_count') return assertion;
      return { ...assertion, metric: { ...metric, columns: [{ value: column, start: 0, end: 0 }] } };
    }
    case 'group-by':
      return { ...assertion, rules: assertion.rules.map((rule) => withColumn(rule, column)) };
    default:
      return assertion;
  }
}

/** Whether it compares with another model. */
function readsTables(assertion: CheckAssertion): boolean {
  if (assertion.kind === 'group-by') return readsTables(assertion.rule);
  return assertion.kind === 'reference' || assertion.kind === 'row-count-same';
}

/** The columns a rule is about; undefined when its SQL may read any. */
function columnsOf(assertion: CheckAssertion): readonly string[] | undefined {
  switch (assertion.kind) {
    case 'metric':
    case 'change':
    case 'anomaly':
      return assertion.metric.columns.map(({ value }) => value);
    case 'freshness':
    case 'distribution':
      return [assertion.column.value];
    case 'reference':
      return assertion.columns.map(({ value }) => value);
    case 'schema':
      return [
        ...assertion.requiredColumns,
        ...assertion.forbiddenColumns,
        ...assertion.types.map(({ column }) => column),
      ].map(({ value }) => value);
    case 'group-by': {
      const inner = columnsOf(assertion.rule);
      return inner && [...assertion.columns.map(({ value }) => value), ...inner];
    }
    case 'row-count-same':
      return [];
    case 'failed-rows':
      return undefined;
  }
}
