import { MEASURE_TYPES } from '../../../domain/measure-type.ts';
import { FILTER_OPERATORS } from '../../../domain/semantic-model.ts';
import {
  filled,
  list,
  needed,
  object,
  optional,
  required,
  withoutEffect,
} from '../../../foundation/yaml/collection-schemas.ts';
import { named, recursive } from '../../../foundation/yaml/named-schemas.ts';
import {
  data,
  flag,
  language,
  located,
  noText,
  number,
  text,
  word,
} from '../../../foundation/yaml/scalar-schemas.ts';
import type { Schema, ValueOf } from '../../../foundation/yaml/schema.ts';
import { durationText, windowText } from './checked-text.ts';

const NAME = /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/;
const nameText = text({ pattern: NAME, expected: 'a name of letters, digits and underscores (at most 64)' });

export const texts = list(text(), { acceptsOne: true });
export const memberName = located(nameText);
/** `member` or `model.member`, checked against the members later. */
export const memberReference = located(text());
export const references = list(memberReference, { acceptsOne: true });
const expression = language('an SQL expression');

export const aiContext = named(
  'ai_context',
  object(
    {
      instructions: optional(text(), 'What an agent should know before it asks.'),
      synonyms: optional(texts, 'Other words for the same.'),
      caveats: optional(texts, 'What to be careful about.'),
      examples: optional(
        list(
          object(
            {
              description: optional(text(), 'What the example shows.'),
              query: required(data('shown as it is written'), 'The query.'),
              format: optional(text(), 'json or sql.'),
            },
            { name: 'an example' },
          ),
        ),
        'Questions with their queries.',
      ),
    },
    { name: 'ai_context' },
  ),
);

const memberFields = {
  name: needed(memberName, noText, { description: 'The name.' }),
  title: optional(text(), 'The displayed name.'),
  description: optional(text(), 'What it means.'),
  public: optional(flag(), 'Whether it is shown; true.'),
  format: optional(text(), 'How it is shown: currency, percent, id, …'),
  tags: optional(texts, 'Words to find it by.'),
  terms: optional(texts, 'Terms of the business glossary.'),
  ai_context: optional(aiContext, 'What an agent should know.'),
};

const behaviorType = needed(
  word(['flow', 'stock', 'identifier', 'category', 'ordinal', 'ratio']),
  () => 'flow' as const,
  { description: 'What it is, for readers and agents; a measure that is a stock is not summed over time.' },
);

const dimensionBehavior = object({ type: behaviorType }, { name: 'behavior of a dimension' });

const behavior = object(
  {
    type: behaviorType,
    time_dimension: optional(memberReference, 'The time over which a stock is not summed.'),
    period_treatment: optional(
      word(['first', 'last', 'avg', 'min', 'max']),
      'Which value of a period a stock takes; last.',
    ),
    per: optional(references, 'What a stock is kept for, for instance account_id.'),
  },
  { name: 'behavior' },
);

const granularity = object(
  {
    name: needed(memberName, noText, { description: 'The name.' }),
    interval: needed(located(durationText()), noText, {
      description: 'The length of a bucket, for instance 1 year.',
    }),
    offset: optional(located(durationText()), 'How far buckets are shifted.'),
    origin: optional(located(text()), 'A date at which a bucket begins.'),
  },
  { name: 'a granularity' },
);

const dimension = object(
  {
    ...memberFields,
    expression: optional(
      expression,
      'SQL over columns in braces; without it the dimension is the column of its name.',
      ['sql'],
    ),
    type: optional(
      word(['string', 'number', 'boolean', 'time']),
      'The type; by default that of the column or expression.',
    ),
    granularities: optional(list(granularity), 'Time buckets besides the usual ones.'),
    mask_expression: optional(expression, 'What is shown to callers for whom a policy masks it.', ['mask']),
    behavior: optional(dimensionBehavior, 'How it may be used.'),
    primary_key: optional(flag(), 'Whether it identifies a row.'),
  },
  { name: 'a dimension', shorthand: 'name' },
);

const rollingWindow = object(
  {
    trailing: optional(located(windowText()), 'How far back, for instance 7 days, or unbounded.'),
    leading: optional(located(windowText()), 'How far ahead.'),
    offset: optional(
      word(['start', 'end']),
      'Whether the window hangs at the start or the end of a period; end.',
    ),
    to_date: optional(
      located(word(['week', 'month', 'quarter', 'year'])),
      'From the beginning of this period.',
    ),
  },
  { name: 'rolling_window' },
);

const measure = object(
  {
    ...memberFields,
    type: needed(located(word(MEASURE_TYPES)), (place) => ({ value: 'number' as const, ...place }), {
      description: 'How it is computed.',
    }),
    expression: optional(expression, 'SQL over columns or measures in braces.', ['sql']),
    filters: optional(list(expression, { acceptsOne: true }), 'SQL conditions on the rows that count.'),
    p: optional(number({ min: 0, max: 1 }), 'Of a percentile, for instance 0.95.'),
    rolling_window: optional(rollingWindow, 'Over more periods than its own.'),
    time_shift: optional(
      object(
        {
          by: required(located(durationText()), 'How far, for instance 1 month.'),
          direction: optional(word(['prior', 'next']), 'Before or after; prior.'),
        },
        { name: 'time_shift', shorthand: 'by' },
      ),
      'The value of another time.',
    ),
    behavior: optional(behavior, 'How it adds up over time.'),
  },
  { name: 'a measure' },
);

const segment = object(
  {
    ...memberFields,
    expression: needed(expression, (place) => ({ ...noText(place), pieces: [] }), {
      description: 'An SQL condition over columns in braces.',
      aliases: ['sql'],
    }),
  },
  { name: 'a segment' },
);

const join = object(
  {
    name: needed(memberName, noText, {
      description: 'The role; also the semantic model unless model names another.',
    }),
    model: optional(located(text()), 'The semantic model.'),
    type: needed(
      word(['one_to_one', 'one_to_many', 'many_to_one', 'many_to_many']),
      () => 'many_to_one' as const,
      { description: 'How many rows meet how many.', aliases: ['relationship'] },
    ),
    on: optional(expression, 'The condition, for instance {orders.customer_id} = {customers.customer_id}.', [
      'expression',
      'sql',
    ]),
    through: optional(located(text()), 'The semantic model between the two of a many_to_many.', ['bridge']),
    description: optional(text(), 'What the join means.'),
  },
  { name: 'a join' },
);

/** Cube's filters: leaves, and groups with `and` or `or`. */
export interface WrittenFilter {
  readonly member?: { readonly value: string; readonly start: number; readonly end: number } | undefined;
  readonly operator?: (typeof FILTER_OPERATORS)[number] | undefined;
  readonly values?: ValueOf<ReturnType<typeof data>> | undefined;
  readonly and?: readonly WrittenFilter[] | undefined;
  readonly or?: readonly WrittenFilter[] | undefined;
  readonly $at: { readonly start: number; readonly end: number };
  readonly $broken: readonly string[];
}

const NO_CONDITION = {
  hint: 'a filter has member, operator and values, or a list of at least one filter under and or or',
} as const;

export const memberFilter: Schema<WrittenFilter> = recursive<WrittenFilter>('filter', () =>
  object(
    {
      member: filled(optional(memberReference, 'The member that is compared.', ['dimension']), NO_CONDITION),
      operator: filled(optional(word(FILTER_OPERATORS), 'How it is compared.'), NO_CONDITION),
      values: optional(data("values are the user's own"), 'What it is compared with.'),
      and: filled(optional(list(memberFilter), 'All of these.'), NO_CONDITION),
      or: filled(optional(list(memberFilter), 'One of these.'), NO_CONDITION),
    },
    { name: 'a filter' },
  ),
);

export const policy = object(
  {
    group: filled(needed(memberReference, noText, { description: 'The group for which it holds.' }), {
      hint: "name the group, or write '*' for all callers",
    }),
    filter: filled(optional(list(memberFilter, { acceptsOne: true }), 'The rows they see.', ['filters']), {
      hint: 'write the conditions, or leave filter out: then the group sees all rows',
    }),
    mask: filled(optional(references, 'Dimensions that are masked for them.'), {
      hint: 'name the dimensions, or leave mask out: then the group sees all columns',
    }),
    description: withoutEffect(text(), 'policies are not shown; write a comment'),
  },
  { name: 'a policy' },
);

const rollup = object(
  {
    name: needed(memberName, noText, { description: 'The name.' }),
    measures: optional(references, 'Measures that are kept.'),
    dimensions: optional(references, 'Dimensions they are kept by.'),
    segments: optional(references, 'Segments they are kept by.'),
    time_dimension: optional(memberReference, 'The time they are kept by.'),
    granularity: optional(memberReference, 'The time bucket.'),
    description: optional(text(), 'What it is for.'),
  },
  { name: 'a rollup' },
);

/** A semantic model; `plinth schema semantic` prints it. */
export const semanticSchema = object(
  {
    kind: needed(word(['semantic']), () => 'semantic' as const, { description: 'semantic' }),
    name: needed(memberName, noText, { description: 'The name in queries.' }),
    depends_on: needed(located(text()), noText, {
      description: 'The model it describes.',
      aliases: ['model'],
    }),
    title: optional(text(), 'The displayed name.'),
    description: optional(text(), 'What it is about.'),
    owner: optional(text(), 'Who answers for it.'),
    tags: optional(texts, 'Words to find it by.'),
    terms: optional(texts, 'Terms of the business glossary.'),
    primary_key: optional(references, "Columns that identify a row; by default the model's grain."),
    ai_context: optional(aiContext, 'What an agent should know.'),
    dimensions: optional(list(dimension), 'What can be grouped and filtered by; by default every column.'),
    measures: optional(list(measure), 'What can be computed; count is always there.'),
    segments: optional(list(segment), 'Filters with a name.'),
    joins: optional(list(join), 'Joins to other semantic models; each works in both directions.'),
    policies: filled(
      optional(list(policy), 'Who sees what. Without any, all callers with access see everything.'),
      {
        hint: 'write the policies, or leave the key out: then all callers with access see everything',
        acceptsEmptyList: true,
      },
    ),
    rollups: optional(list(rollup), 'Aggregates that are kept ready.'),
  },
  { name: 'a semantic model' },
);

export type SemanticValue = ValueOf<typeof semanticSchema>;
export type DimensionValue = ValueOf<typeof dimension>;
export type MeasureValue = ValueOf<typeof measure>;
export type SegmentValue = ValueOf<typeof segment>;
export type JoinValue = ValueOf<typeof join>;
export type AiContextValue = ValueOf<typeof aiContext>;
export type BehaviorValue = ValueOf<typeof behavior>;
export type RollingWindowValue = ValueOf<typeof rollingWindow>;
