import { DQ_DIMENSIONS } from '../../../domain/dq-pack.ts';
import {
  either,
  list,
  needed,
  object,
  optional,
  record,
} from '../../../foundation/yaml/collection-schemas.ts';
import type { LocatedText } from '../../../foundation/yaml/located.ts';
import { named } from '../../../foundation/yaml/named-schemas.ts';
import { piecesOf } from '../../../foundation/yaml/pieces.ts';
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
import type { YamlNode, YamlScalar } from '../../../foundation/yaml/tree.ts';
import { cronText } from './checked-text.ts';

const texts = list(text(), { acceptsOne: true });
const names = list(located(text()), { acceptsOne: true });

/** A rule as it stands in the list: its text, and what follows the colon. */
export interface WrittenRule {
  readonly text: LocatedText;
  readonly options?: YamlNode;
}

/** `- rule` or `- rule: {options}`; the text is read by the rule parser. */
export function ruleSchema(): Schema<WrittenRule> {
  const expected = 'a rule, or a rule with its options behind a colon';
  return {
    expected,
    accepts: () => true,
    read(node, reader) {
      if (node.kind === 'scalar' && node.value !== null) return { text: ruleText(node, reader.text) };
      const [entry, second] = node.kind === 'map' ? node.entries : [];
      if (entry === undefined) return reader.wrongType(node, expected);
      if (second !== undefined)
        reader.report(
          {
            kind: 'unknown-key',
            key: second.key.text,
            owner: 'the list of rules (options are indented below their rule)',
            known: [],
          },
          second.key,
        );
      return { text: ruleText(entry.key, reader.text), options: entry.value };
    },
    json: (context) => {
      // Behind a rule stand its options, behind `group by` and `for each column` other rules.
      const behind = {
        anyOf: [
          named('rule_options', ruleOptions).json(context),
          { type: ['object', 'array', 'string', 'null'] },
        ],
      };
      return {
        anyOf: [
          { type: 'string' },
          { type: 'object', minProperties: 1, maxProperties: 1, additionalProperties: behind },
        ],
      };
    },
    parts: () => ({ kind: 'named', name: 'rule_options', schema: ruleOptions }),
  };
}

export function ruleText(node: YamlScalar, source: string): LocatedText {
  return { value: node.text, start: node.start, end: node.end, pieces: piecesOf(source, node) };
}

/** A quality pack; `plinth schema dq` prints it. */
export const dqSchema = object(
  {
    kind: needed(word(['dq']), () => 'dq' as const, { description: 'dq' }),
    name: needed(
      located(
        text({
          pattern: /^[a-zA-Z_][a-zA-Z0-9_-]{0,99}$/,
          expected: 'a name of letters, digits, underscores and dashes',
        }),
      ),
      noText,
      { description: 'The name.' },
    ),
    depends_on: needed(located(text()), noText, {
      description: 'The model it checks.',
      aliases: ['model'],
    }),
    description: optional(text(), 'What it is for.'),
    owner: optional(text(), 'Who answers for it.'),
    tags: optional(texts, 'Words to find it by.'),
    filter: optional(language('an SQL condition'), 'Only rows that fulfil it are looked at.'),
    schedule: optional(located(cronText()), 'When it runs, besides after each change.'),
    profiles: optional(either(word(['*']), names), "Columns to profile, or '*'."),
    rules: optional(list(ruleSchema()), 'What must hold.', ['checks']),
  },
  { name: 'a dq pack' },
);

const values = list(data("values are the user's own"), { acceptsOne: true });

/** Every option a rule can have; which of them fit depends on the rule. */
export const ruleOptions = object(
  {
    name: optional(
      located(text({ pattern: /\S/, expected: 'a name' })),
      'The name under which results are kept.',
    ),
    description: optional(text(), 'What it means.'),
    dimension: optional(word(DQ_DIMENSIONS, { ignoresCase: true }), 'The dimension of quality.'),
    severity: optional(
      word(['error', 'warning', 'fail', 'warn'], { ignoresCase: true }),
      'What a failure counts as; error.',
    ),
    owner: optional(text(), 'Who answers for it.'),
    tags: optional(texts, 'Words to find it by.'),
    filter: optional(language('an SQL condition'), 'Only rows that fulfil it are looked at.'),
    warn: optional(language('a condition such as when < 20'), 'When the outcome is a warning.'),
    fail: optional(language('a condition such as when < 10'), 'When the outcome is a failure.'),
    samples_limit: optional(
      number({ isInteger: true, min: 0, max: 1000 }),
      'How many failing rows are kept; 10.',
    ),
    enabled: optional(flag(), 'Whether it is checked; true.'),
    attributes: optional(data('kept as it is written'), 'Anything else to keep with the results.'),
    valid_format: optional(located(text()), 'The format of valid values: email, url, uuid, …'),
    valid_regex: optional(located(text()), 'The pattern of valid values.'),
    valid_values: optional(values, 'The valid values.'),
    invalid_format: optional(located(text()), 'The format of values that are not valid.'),
    invalid_regex: optional(located(text()), 'The pattern of values that are not valid.'),
    invalid_values: optional(values, 'Values that are not valid.'),
    valid_min: optional(number(), 'The smallest valid value.'),
    valid_max: optional(number(), 'The largest valid value.'),
    valid_length: optional(number({ isInteger: true, min: 0 }), 'The length of valid values.'),
    valid_min_length: optional(number({ isInteger: true, min: 0 }), 'The shortest valid length.'),
    valid_max_length: optional(number({ isInteger: true, min: 0 }), 'The longest valid length.'),
    missing_values: optional(values, 'Values that count as missing, besides NULL.'),
    missing_regex: optional(located(text()), 'The pattern of values that count as missing.'),
    required_columns: optional(names, 'Columns that must be there.'),
    forbidden_columns: optional(names, 'Columns that must not be there.'),
    types: optional(
      record(located(text()), { name: 'a map from columns to types' }),
      'Types that columns must have.',
    ),
    method: optional(
      located(word(['robust_z', 'z', 'iqr', 'psi', 'ks', 'chi_square'])),
      'How an anomaly or a drift is measured.',
    ),
    sensitivity: optional(number({ min: 0 }), 'How far off is an anomaly; 3.'),
    training: optional(
      number({ isInteger: true, min: 2 }),
      'Results that must exist before it can fail; 14.',
    ),
    season: optional(word(['none', 'hourly', 'daily', 'weekly', 'monthly']), 'The season of the metric.'),
    against: optional(language('previous, baseline, last week or average last 7'), 'What is compared with.'),
    threshold: optional(language('a condition such as < 0.2'), 'The condition on the distance.'),
    fail_query: optional(language('a query'), 'A query whose rows are failures.'),
    fail_condition: optional(language('an SQL condition'), 'A condition of failing rows.'),
  },
  { name: "a rule's options" },
);

export type DqValue = ValueOf<typeof dqSchema>;
export type RuleOptions = ValueOf<typeof ruleOptions>;

/** Which options fit which sort of rule, beside those that fit all. */
export const OPTIONS_OF: Readonly<Record<string, readonly (keyof RuleOptions)[]>> = {
  missing: ['missing_values', 'missing_regex'],
  invalid: [
    'valid_format', 'valid_regex', 'valid_values', 'invalid_format', 'invalid_regex', 'invalid_values', 'valid_min', 'valid_max', 'valid_length', 'valid_min_length', 'valid_max_length', 'missing_values', 'missing_regex',
  ],
  schema: ['required_columns', 'forbidden_columns', 'types'],
  anomaly: ['method', 'sensitivity', 'training', 'season'],
  distribution: ['against', 'method', 'threshold'],
  change: ['against'],
  'failed-rows': ['fail_query', 'fail_condition'],
}; // biome-ignore format: a table
