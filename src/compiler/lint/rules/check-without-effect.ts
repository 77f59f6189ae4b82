import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { DqAssertion, DqComparison, DqMetricName, DqRule } from '../../../domain/dq-pack.ts';
import { rangeOf } from '../../../foundation/yaml/located.ts';
import type { LintRule } from '../lint-rule.ts';

const MODEL = 'MODEL (name marts.a, kind FULL, grain order_id);\nSELECT order_id, amount FROM raw.orders\n';
const pack = (rules: string): string => `kind: dq\nname: a_dq\ndepends_on: marts.a\nrules:\n${rules}`;

export const checkWithoutEffect: LintRule = {
  name: 'check-without-effect',
  byDefault: 'warning',
  why: 'A check that cannot fail, or that never runs, looks like protection.',
  examples: {
    bad: {
      'models/a.sql': MODEL,
      'dq/a.yml': pack(
        '  - «row_count >= 0»\n  - «missing_percent(amount) <= 100»\n  - «duplicate_count(order_id) < 0»\n',
      ),
    },
    good: {
      'models/a.sql': MODEL,
      'dq/a.yml': pack(
        '  - row_count > 0\n  - missing_percent(amount) <= 5\n  - duplicate_count(order_id) = 0\n',
      ),
    },
    unless: [
      {
        because: 'a sum may be negative',
        files: { 'models/a.sql': MODEL, 'dq/a.yml': pack('  - sum(amount) >= 0\n') },
      },
      {
        because: 'a warning has a condition of its own',
        files: {
          'models/a.sql': MODEL,
          'dq/a.yml': pack('  - row_count >= 0: {name: rows, warn: when < 20}\n'),
        },
      },
    ],
  },
  check: ({ project }) =>
    project.dqPacks.flatMap(({ file, rules }) =>
      rules.flatMap((rule) => {
        const problem = problemOf(rule);
        if (problem === undefined) return [];
        const words = { name: rule.name, problem };
        return [
          { diagnostic: diagnostic('lint.check-without-effect', words, { at: rangeOf(file, rule.text) }) },
        ];
      }),
    ),
};

function problemOf({ isEnabled, assertion, warnWhen, failWhen }: DqRule): string | undefined {
  if (!isEnabled) return 'is switched off';
  return warnWhen === undefined && failWhen === undefined ? problemOfAssertion(assertion) : undefined;
}

function problemOfAssertion(assertion: DqAssertion): string | undefined {
  if (assertion.kind === 'for-each-column') return problemOfAssertion(assertion.rule);
  if (assertion.kind === 'group-by') {
    const all = assertion.rules.map(problemOfAssertion);
    return all.every((each) => each !== undefined) ? all[0] : undefined;
  }
  if (assertion.kind !== 'metric') return undefined;
  const range = rangeOfMetric(assertion.metric.name);
  if (range === undefined) return undefined;
  const { comparison } = assertion;
  if (holdsForAll(comparison, range)) return 'always passes';
  return holdsForNone(comparison, range) ? 'never passes' : undefined;
}

interface Range {
  readonly low: number;
  readonly high: number;
}

/** Values that a measure can have; undefined where any number is possible, or none at all. */
function rangeOfMetric(name: DqMetricName): Range | undefined {
  if (name.endsWith('_percent')) return { low: 0, high: 100 };
  return name.endsWith('_count') ? { low: 0, high: Number.POSITIVE_INFINITY } : undefined;
}

function holdsForAll(comparison: DqComparison, { low, high }: Range): boolean {
  if (comparison.kind === 'between')
    return !comparison.isNegated && comparison.low <= low && comparison.high >= high && !comparison.lowOpen;
  const { operator, value } = comparison;
  switch (operator) {
    case '>=':
      return value <= low;
    case '>':
      return value < low;
    case '<=':
      return value >= high;
    case '<':
      return value > high;
    case '!=':
      return value < low || value > high;
    case '=':
      return false;
  }
}

function holdsForNone(comparison: DqComparison, { low, high }: Range): boolean {
  if (comparison.kind === 'between')
    return !comparison.isNegated && (comparison.high < low || comparison.low > high);
  const { operator, value } = comparison;
  switch (operator) {
    case '>=':
      return value > high;
    case '>':
      return value >= high;
    case '<=':
      return value < low;
    case '<':
      return value <= low;
    case '=':
      return value < low || value > high;
    case '!=':
      return false;
  }
}
