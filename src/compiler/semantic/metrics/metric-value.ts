/*
 * A metric as an expression over components:
 *
 *   simple  [measure]     ratio  [a] / NULLIF([b], 0)     derived  its expression, inputs replaced
 *   cumulative  [measure with a window over ts]           conversion  [converted] / NULLIF([base], 0)
 */
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Metric, MetricCalculation } from '../../../domain/metric.ts';
import type { RollingWindow } from '../../../domain/semantic-model.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import type { Expression } from '../../../foundation/sql/tree.ts';
import { rewrite } from '../../../foundation/sql/walk.ts';
import { unreachable } from '../../../foundation/unreachable.ts';
import { readMemberExpression } from '../../load/yaml/member-expression.ts';
import { nullIfZero, withSafeDivisions } from '../safe-divisions.ts';
import type { VariantSpec } from '../time/variant-spec.ts';
import { binary, NULL_LITERAL } from '../tree-nodes.ts';

/** What metrics are made of; everything is computed under the filters of the metric. */
export interface MetricMaterial {
  /** `semantic_model.measure`, with another window than its own. */
  readonly measure: (word: string, window?: VariantSpec) => Expression;
  /** Another metric; undefined when there is none of that name. */
  readonly metric: (name: string) => Expression | undefined;
  /** Rows of the base, and those of them that converted. */
  readonly conversion: (calculation: Conversion) => {
    readonly base: Expression;
    readonly converted: Expression;
  };
  readonly report: (problem: Diagnostic) => void;
}

type Conversion = Extract<MetricCalculation, { readonly kind: 'conversion' }>;

export function metricValue({ calculation, ts, name }: Metric, material: MetricMaterial): Expression {
  switch (calculation.kind) {
    case 'simple':
      return material.measure(calculation.measure.value);
    case 'ratio':
      return ratio(
        material.measure(calculation.numerator.value),
        material.measure(calculation.denominator.value),
      );
    case 'cumulative':
      return material.measure(calculation.measure.value, {
        kind: 'rolling',
        window: windowOf(calculation),
        ...(ts === undefined ? {} : { over: ts.value }),
      });
    case 'conversion': {
      const { base, converted } = material.conversion(calculation);
      return ratio(converted, base);
    }
    case 'derived':
      return derived(calculation, name.value, material);
    default:
      return unreachable(calculation);
  }
}

function ratio(numerator: Expression, denominator: Expression): Expression {
  return binary('/', numerator, nullIfZero(denominator));
}

function windowOf({
  window,
  toDate,
}: Extract<MetricCalculation, { readonly kind: 'cumulative' }>): RollingWindow {
  if (toDate !== undefined) return { kind: 'to-date', toDate };
  const trailing = window ?? { value: 'unbounded', start: 0, end: 0 };
  return { kind: 'trailing', trailing, offset: 'end' };
}

function derived(
  { expression, inputs }: Extract<MetricCalculation, { readonly kind: 'derived' }>,
  name: string,
  material: MetricMaterial,
): Expression {
  const read = readMemberExpression(expression.value, 'duckdb');
  if (!read.ok) {
    material.report(diagnostic('metric.bad-expression', { detail: read.error.message }));
    return NULL_LITERAL;
  }
  const values = new Map<string, Expression>();
  for (const { parts, placeholder } of read.value.references) {
    const asked = parts.join('.').toLowerCase();
    const input = inputs.find((each) => each.name.value.toLowerCase() === asked);
    if (input === undefined) {
      material.report(diagnostic('metric.unknown-input', { name: parts.join('.') }));
      return NULL_LITERAL;
    }
    const value = material.metric(input.ref.value);
    if (value !== undefined) values.set(placeholder, value);
    else if (input.ref.value.includes('.')) values.set(placeholder, material.measure(input.ref.value));
    else material.report(diagnostic('metric.unknown-metric', { name: input.ref.value || name }));
  }
  return rewrite(withSafeDivisions(read.value.tree), (node) =>
    node.kind === 'column' && node.qualifiers.length === 0 ? (values.get(node.name.name) ?? node) : node,
  );
}
