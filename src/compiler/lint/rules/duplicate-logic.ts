import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Model } from '../../../domain/model.ts';
import type { Measure, SemanticModel } from '../../../domain/semantic-model.ts';
import { rangeOf } from '../../../foundation/yaml/located.ts';
import { type Finding, type LintRule, nameRange, ownModels } from '../lint-rule.ts';

/** What makes a query more than a list of columns. */
const LOGIC = ['binary', 'call', 'case', 'join', 'set-operation', 'in', 'between', 'like'] as const;

export const duplicateLogic: LintRule = {
  name: 'duplicate-logic',
  byDefault: 'warning',
  why: 'The same logic twice is changed once, and then two answers exist.',
  examples: {
    bad: {
      'models/a.sql':
        'MODEL (name marts.a, kind FULL);\nSELECT status, SUM(amount) AS total FROM raw.orders GROUP BY status\n',
      'models/b.sql':
        'MODEL (name «marts.b», kind FULL);\n-- another layout, the same query\nselect status, sum(amount) as total\nfrom raw.orders\ngroup by status\n',
    },
    good: {
      'models/a.sql':
        'MODEL (name marts.a, kind FULL);\nSELECT status, SUM(amount) AS total FROM raw.orders GROUP BY status\n',
      'models/b.sql': "MODEL (name marts.b, kind FULL);\nSELECT total FROM marts.a WHERE status = 'paid'\n",
    },
    unless: [
      {
        because: 'a list of columns is too little to share',
        files: {
          'models/a.sql': 'MODEL (name marts.a, kind FULL);\nSELECT order_id, status FROM raw.orders\n',
          'models/b.sql': 'MODEL (name marts.b, kind FULL);\nSELECT order_id, status FROM raw.orders\n',
        },
      },
      {
        because: 'two measures of different columns are two measures',
        files: {
          'models/a.sql':
            'MODEL (name marts.a, kind FULL, grain order_id);\nSELECT order_id, amount, customer_id FROM raw.orders\n',
          'models/semantics/a.yml':
            'kind: semantic\nname: a\ndepends_on: marts.a\nmeasures:\n  - {name: total, type: sum, expression: "{amount}"}\n  - {name: largest, type: max, expression: "{amount}"}\n',
        },
      },
    ],
  },
  *inspect(query) {
    if (LOGIC.some((kind) => query.nodes(kind).length > 0)) yield { span: query.query.span };
  },
  check: ({ project, hits }) => [
    ...repeatedQueries(
      ownModels(project).filter((model) => hits(model)?.some(({ rule }) => rule === 'duplicate-logic')),
    ),
    ...project.semanticModels.flatMap(repeatedMeasures),
  ],
};

function repeatedQueries(models: readonly Model[]): readonly Finding[] {
  const first = new Map<string, Model>();
  const findings: Finding[] = [];
  for (const model of models.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (model.queryHash === undefined || model.dependencies.length === 0) continue;
    // Texts that a time or the stage decides may differ where this one expansion does not.
    const key = `${model.dialect} ${model.queryHash} ${model.hiddenHash ?? ''}`;
    const other = first.get(key);
    if (other === undefined) first.set(key, model);
    else {
      const words = { name: model.name, other: other.name };
      findings.push({
        model: model.name,
        diagnostic: diagnostic('lint.duplicate-logic', words, { at: nameRange(model) }),
      });
    }
  }
  return findings;
}

function repeatedMeasures({ file, name, measures }: SemanticModel): readonly Finding[] {
  const first = new Map<string, Measure>();
  return measures.flatMap((measure) => {
    const key = meaningOf(measure);
    const other = first.get(key);
    if (other === undefined) first.set(key, measure);
    if (other === undefined) return [];
    const words = {
      name: `${name.value}.${measure.name.value}`,
      other: `${name.value}.${other.name.value}`,
    };
    return [{ diagnostic: diagnostic('lint.duplicate-logic', words, { at: rangeOf(file, measure.name) }) }];
  });
}

function meaningOf({ type, expression, filters, p, rollingWindow, timeShift }: Measure): string {
  const text = (sql: { readonly value: string } | undefined): string =>
    sql?.value.replace(/\s+/g, ' ').trim() ?? '';
  const values = (key: string, value: unknown): unknown =>
    key === 'start' || key === 'end' ? undefined : value;
  return JSON.stringify([type, text(expression), filters.map(text), p, rollingWindow, timeShift], values);
}
