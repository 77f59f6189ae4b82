import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { queryRule } from '../query-rule.ts';
import { isOutside } from '../query-sources.ts';

export const missingTimeFilter = queryRule({
  name: 'missing-time-filter',
  byDefault: 'warning',
  why: 'A model that fills intervals and reads all rows for each of them does the whole work again and again.',
  examples: {
    bad: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind «INCREMENTAL_BY_TIME_RANGE (time_column order_date)»);\nSELECT order_id, order_date FROM raw.orders\n',
    },
    good: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind INCREMENTAL_BY_TIME_RANGE (time_column order_date));\nSELECT order_id, order_date FROM raw.orders\nWHERE order_date BETWEEN @start_ds AND @end_ds\n',
    },
    unless: [
      {
        because: 'a model of another kind fills no intervals',
        files: {
          'models/orders.sql':
            'MODEL (name marts.orders, kind FULL);\nSELECT order_id, order_date FROM raw.orders\n',
        },
      },
      {
        because: 'nothing is read that could be filtered',
        files: {
          'models/days.sql':
            "MODEL (name marts.days, kind INCREMENTAL_BY_TIME_RANGE (time_column day));\nSELECT CAST(d AS DATE) AS day FROM generate_series(DATE '2024-01-01', DATE '2024-01-03', INTERVAL 1 DAY) AS t(d)\n",
        },
      },
    ],
  },
  *inspect(query) {
    const isFilled = query.definition.kind.kind === 'incremental-by-time-range';
    if (isFilled && !query.readsTimes && query.nodes('table').some((table) => isOutside(table, query)))
      yield { span: query.query.span };
  },
  decide: ({ model, at }) =>
    diagnostic('lint.missing-time-filter', { model: model.name }, { at: model.ranges['kind'] ?? at }),
});
