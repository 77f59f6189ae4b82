import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Project } from '../../../domain/project.ts';
import type { SourceRange } from '../../../foundation/diagnostics/diagnostic.ts';
import { type Located, rangeOf } from '../../../foundation/yaml/located.ts';
import { type Finding, type LintRule, nameRange, ownModels } from '../lint-rule.ts';

const WORD = /^[a-z_][a-z0-9_]*$/;
const NAMES_SHOWN = 3;

export const naming: LintRule = {
  name: 'naming',
  byDefault: 'off',
  why: 'Names in snake_case need no quotes in any engine and can be guessed.',
  examples: {
    bad: {
      'models/a.sql':
        'MODEL (name «marts."DailyOrders"», kind FULL);\nSELECT order_id AS "orderId" FROM raw.orders\n',
    },
    good: {
      'models/a.sql': 'MODEL (name marts.daily_orders, kind FULL);\nSELECT order_id FROM raw.orders\n',
    },
  },
  check: ({ project }) => [
    ...ownModels(project).flatMap((model) => {
      const at = nameRange(model);
      const columns = model.columns.map(({ name }) => name).filter((name) => !WORD.test(name));
      return [
        ...(model.name.split('.').every((part) => WORD.test(part)) ? [] : [named('model', model.name, at)]),
        ...(columns.length === 0 ? [] : [named('column', columns.slice(0, NAMES_SHOWN).join(', '), at)]),
      ].map((finding) => ({ ...finding, model: model.name }));
    }),
    ...otherNames(project).flatMap(({ what, file, name }) =>
      name.value === '' || WORD.test(name.value) ? [] : [named(what, name.value, rangeOf(file, name))],
    ),
  ],
};

const named = (what: string, name: string, at: SourceRange): Finding => ({
  diagnostic: diagnostic('lint.naming', { what, name }, { at }),
});

function otherNames({ semanticModels, metrics, dqPacks }: Project): readonly {
  readonly what: string;
  readonly file: string;
  readonly name: Located<string>;
}[] {
  return [
    ...semanticModels.flatMap(({ file, name, dimensions = [], measures, segments }) => [
      { what: 'semantic model', file, name },
      ...dimensions.map((each) => ({ what: 'dimension', file, name: each.name })),
      ...measures.map((each) => ({ what: 'measure', file, name: each.name })),
      ...segments.map((each) => ({ what: 'segment', file, name: each.name })),
    ]),
    ...metrics.map(({ file, name }) => ({ what: 'metric', file, name })),
    ...dqPacks.map(({ file, name }) => ({ what: 'quality pack', file, name })),
  ];
}
