import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { CHANCE } from '../../../foundation/sql/functions/duckdb-functions.ts';
import { functionsOf } from '../../../foundation/sql/functions/functions-of.ts';
import type { Call } from '../../../foundation/sql/tree.ts';
import { queryRule } from '../query-rule.ts';

const BY_CHANCE: ReadonlySet<string> = new Set([...CHANCE, 'generate_uuid', 'newid', 'rand', 'uuid_string']);

/** Kinds whose intervals are processed again one by one. */
const BY_INTERVAL: ReadonlySet<string> = new Set([
  'incremental-by-time-range',
  'incremental-by-partition',
  'incremental-by-unique-key',
]);

export const nonDeterministicFunction = queryRule({
  name: 'non-deterministic-function',
  byDefault: 'warning',
  why: 'Rows that depend on chance or on the hour of the run cannot be made again.',
  examples: {
    bad: {
      'models/orders.sql':
        "MODEL (name marts.orders, kind INCREMENTAL_BY_TIME_RANGE (time_column order_date));\nSELECT\n  «gen_random_uuid()» AS row_id,\n  order_id,\n  order_date,\n  date_diff('day', order_date, «CURRENT_DATE») AS age\nFROM raw.orders\nWHERE order_date BETWEEN @start_ds AND @end_ds\n",
    },
    good: {
      'models/orders.sql':
        "MODEL (name marts.orders, kind INCREMENTAL_BY_TIME_RANGE (time_column order_date));\nSELECT\n  md5(order_id::text) AS row_id,\n  order_id,\n  order_date,\n  date_diff('day', order_date, @execution_date) AS age\nFROM raw.orders\nWHERE order_date BETWEEN @start_ds AND @end_ds\n",
    },
    unless: [
      {
        because: 'a column of its own records when the row was written',
        files: {
          'models/orders.sql':
            'MODEL (name marts.orders, kind INCREMENTAL_BY_TIME_RANGE (time_column order_date));\nSELECT order_id, order_date, CURRENT_TIMESTAMP AS loaded_at FROM raw.orders WHERE order_date BETWEEN @start_ds AND @end_ds\n',
        },
      },
      {
        because: 'a view is computed when it is read, and a FULL model is replaced as a whole',
        files: {
          'models/a.sql':
            'MODEL (name marts.a, kind VIEW);\nSELECT order_id FROM raw.orders WHERE order_date > CURRENT_DATE - 30\n',
          'models/b.sql':
            'MODEL (name marts.b, kind FULL);\nSELECT order_id FROM raw.orders WHERE order_date > CURRENT_DATE - 31\n',
        },
      },
    ],
  },
  *inspect(query) {
    const { clock } = functionsOf(query.definition.dialect);
    // `CURRENT_TIMESTAMP AS loaded_at`, or a cast of it: when a row was written is a fact.
    const stamps = new Set<unknown>();
    const isAsked = query.nodes('call').some(({ name }) => clock.has(name.name.toLowerCase()));
    for (const { projections } of isAsked ? query.nodes('select') : [])
      for (const { expression } of projections)
        stamps.add(expression.kind === 'cast' ? expression.operand : expression);
    for (const call of query.nodes('call')) {
      const name = call.name.name.toLowerCase();
      if (call.qualifiers.length > 0) continue;
      if (BY_CHANCE.has(name)) yield { span: call.span, words: ['chance', call.name.name] };
      else if (clock.has(name) && isOfNow(call))
        yield { span: call.span, words: [stamps.has(call) ? 'stamp' : 'clock', call.name.name] };
    }
  },
  decide({ model, at, words: [sort, name = ''] }) {
    const { kind } = model.kind;
    const isStored = !['view', 'embedded', 'seed', 'external'].includes(kind);
    if (sort === 'stamp' || (sort === 'chance' ? !isStored : !BY_INTERVAL.has(kind))) return undefined;
    return diagnostic('lint.non-deterministic-function', { model: model.name, name }, { at });
  },
});

/** `age(t, u)` and `date(t)` are not about now. */
const isOfNow = ({ name, arguments: given }: Call): boolean =>
  name.name.toLowerCase() !== 'age' || given.length < 2;
