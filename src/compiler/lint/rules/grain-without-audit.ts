import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Model } from '../../../domain/model.ts';
import { type LintRule, nameRange, ownModels } from '../lint-rule.ts';
import { isStored } from '../missing-part.ts';

export const grainWithoutAudit: LintRule = {
  name: 'grain-without-audit',
  byDefault: 'off',
  why: 'Joins and semantic models trust the grain; without an audit nothing proves it.',
  examples: {
    bad: {
      'models/a.sql': 'MODEL (name marts.a, kind FULL, grain «order_id»);\nSELECT order_id FROM raw.orders\n',
    },
    good: {
      'models/a.sql':
        'MODEL (name marts.a, kind FULL, grain order_id, audits (unique_values(columns := (order_id))));\nSELECT order_id FROM raw.orders\n',
    },
    unless: [
      {
        because: 'the kind itself keeps one row for each key',
        files: {
          'models/a.sql':
            'MODEL (name marts.a, kind INCREMENTAL_BY_UNIQUE_KEY (unique_key order_id), grain order_id);\nSELECT order_id FROM raw.orders\n',
        },
      },
      {
        because: 'the columns are unique together',
        files: {
          'models/a.sql':
            'MODEL (name marts.a, kind FULL, grain (order_id, status), audits (unique_combination_of_columns(columns := (order_id, status))));\nSELECT order_id, status FROM raw.orders\n',
        },
      },
    ],
  },
  check: ({ project }) =>
    ownModels(project)
      .filter((model) => isStored(model) && model.grains.length > 0 && !('uniqueKey' in model.kind))
      .flatMap((model) => {
        const open = model.grains.find((grain) => !isProven(model, grain));
        if (open === undefined) return [];
        const at = model.ranges['grain'] ?? model.ranges['grains'] ?? nameRange(model);
        const words = { model: model.name, columns: open.join(', ') };
        return [{ model: model.name, diagnostic: diagnostic('lint.grain-without-audit', words, { at }) }];
      }),
};

/** Unique in fewer columns is unique in more. */
function isProven({ audits }: Model, grain: readonly string[]): boolean {
  const wanted = new Set(grain.map(plain));
  return audits.some(({ name, arguments: given }) => {
    if (!/^unique_(?:values|combination_of_columns)/.test(name)) return false;
    const columns = (given['columns'] ?? '').split(/[(),[\]\s]+/).filter((each) => each !== '');
    const isSingle = name.startsWith('unique_values');
    return (
      columns.length > 0 &&
      (isSingle
        ? columns.some((each) => wanted.has(plain(each)))
        : columns.every((each) => wanted.has(plain(each))))
    );
  });
}

const plain = (name: string): string => name.replace(/^"|"$/g, '').toLowerCase();
