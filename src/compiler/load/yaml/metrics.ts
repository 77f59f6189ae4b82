import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Metric, MetricCalculation, MetricDimension, MetricFilter } from '../../../domain/metric.ts';
import type { SourceFile } from '../../../domain/source-file.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import {
  either,
  list,
  needed,
  object,
  optional,
  record,
  required,
} from '../../../foundation/yaml/collection-schemas.ts';
import type { Located } from '../../../foundation/yaml/located.ts';
import { data, language, located, noText, text, word } from '../../../foundation/yaml/scalar-schemas.ts';
import type { ValueOf } from '../../../foundation/yaml/schema.ts';
import type { YamlNode } from '../../../foundation/yaml/tree.ts';
import { durationText } from './checked-text.ts';
import { present } from './present.ts';
import { readContent } from './read-file.ts';
import { buildAiContext, buildFilter } from './semantic-models.ts';
import {
  aiContext,
  memberFilter,
  memberName,
  memberReference,
  references,
  texts,
} from './semantic-schema.ts';

const TYPES = ['simple', 'ratio', 'derived', 'cumulative', 'conversion'] as const;
type MetricType = (typeof TYPES)[number];

const dimension = object(
  {
    name: optional(text(), 'The column of the metric; by default the name of the member.'),
    ref: required(memberReference, 'The dimension: semantic_model.dimension.'),
  },
  { name: 'a dimension of a metric', shorthand: 'ref' },
);

const input = object(
  {
    name: optional(memberName, 'The name in the expression.'),
    ref: required(memberReference, 'A metric, or semantic_model.measure.', ['measure', 'metric']),
  },
  { name: 'an input', shorthand: 'ref' },
);

/** A metric; `plinth schema metric` prints it. */
export const metricSchema = object(
  {
    kind: needed(word(['metric']), () => 'metric' as const, { description: 'metric' }),
    name: needed(memberName, noText, { description: 'The name in queries.' }),
    type: optional(located(word(TYPES)), 'How it is computed; simple.'),
    measure: optional(
      memberReference,
      'The measure of a simple or cumulative metric: semantic_model.measure.',
    ),
    numerator: optional(memberReference, 'What a ratio divides.'),
    denominator: optional(memberReference, 'By what a ratio divides.'),
    expression: optional(
      language('an SQL expression'),
      'How a derived metric is computed from its inputs in braces.',
    ),
    inputs: optional(
      either(list(input), record(memberReference, { name: 'a map from names to metrics and measures' })),
      'Metrics and measures a derived metric uses.',
    ),
    window: optional(
      located(durationText()),
      'How far a cumulative metric looks back, or how long a conversion may take.',
    ),
    to_date: optional(
      located(word(['week', 'month', 'quarter', 'year'])),
      'The period a cumulative metric runs from.',
    ),
    base: optional(memberReference, 'What a conversion begins with.'),
    conversion: optional(memberReference, 'What a conversion ends with.'),
    entity: optional(memberReference, 'Who converts.'),
    ts: optional(memberReference, 'The time: semantic_model.dimension.'),
    granularity: optional(located(text()), 'The time bucket when a query names none.'),
    dimensions: optional(list(dimension), 'What it can be grouped and filtered by.'),
    segments: optional(references, 'Segments that always apply.'),
    filters: optional(
      list(either(memberFilter, language('an SQL condition')), { acceptsOne: true }),
      'Filters that always apply.',
    ),
    title: optional(text(), 'The displayed name.'),
    description: optional(text(), 'What it means.'),
    owner: optional(text(), 'Who answers for it.'),
    tags: optional(texts, 'Words to find it by.'),
    terms: optional(texts, 'Terms of the business glossary.'),
    format: optional(text(), 'How it is shown: currency, percent, …'),
    ai_context: optional(aiContext, 'What an agent should know.'),
    target: optional(data('shown as it is written'), 'What the business aims at.'),
  },
  { name: 'a metric' },
);

type MetricValue = ValueOf<typeof metricSchema>;
type TypedKey =
  | 'measure'
  | 'numerator'
  | 'denominator'
  | 'expression'
  | 'inputs'
  | 'window'
  | 'to_date'
  | 'base'
  | 'conversion'
  | 'entity';

const NEEDED: Readonly<Record<MetricType, readonly TypedKey[]>> = {
  simple: ['measure'],
  ratio: ['numerator', 'denominator'],
  derived: ['expression', 'inputs'],
  cumulative: ['measure'],
  conversion: ['base', 'conversion', 'entity'],
};
const ALLOWED: Readonly<Record<MetricType, readonly TypedKey[]>> = {
  ...NEEDED,
  cumulative: ['measure', 'window', 'to_date'],
  conversion: [...NEEDED.conversion, 'window'],
};
const TYPED: readonly TypedKey[] = [
  'measure',
  'numerator',
  'denominator',
  'expression',
  'inputs',
  'window',
  'to_date',
  'base',
  'conversion',
  'entity',
];

export interface LoadedMetric {
  readonly metric?: Metric;
  readonly diagnostics: readonly Diagnostic[];
}

/** One metric of a file whose tree has been read. References are checked later (`checkSemantics`). */
export function loadMetric(file: SourceFile, root: YamlNode): LoadedMetric {
  const content = readContent(file, root, metricSchema);
  if (content.value === undefined) return { diagnostics: content.diagnostics };
  const diagnostics = [...content.diagnostics];
  const calculation = buildCalculation(content.value, file.path, diagnostics);
  return { metric: build(content.value, calculation, file.path, diagnostics), diagnostics };
}

function build(
  value: MetricValue,
  calculation: MetricCalculation,
  file: string,
  diagnostics: Diagnostic[],
): Metric {
  return {
    name: value.name,
    file,
    calculation,
    ...present({
      ts: value.ts,
      granularity: value.granularity,
      title: value.title,
      description: value.description,
      owner: value.owner,
      format: value.format,
      aiContext: buildAiContext(value.ai_context),
      target: value.target,
    }),
    dimensions: (value.dimensions ?? []).map(
      ({ name, ref }): MetricDimension => ({ name: name ?? lastPart(ref.value), ref }),
    ),
    segments: value.segments ?? [],
    filters: (value.filters ?? []).flatMap((filter): readonly MetricFilter[] =>
      'value' in filter
        ? [{ kind: 'expression', expression: filter }]
        : buildFilter(filter, file, diagnostics).map((each) => ({ kind: 'filter', filter: each })),
    ),
    tags: value.tags ?? [],
    terms: value.terms ?? [],
  };
}

function lastPart(reference: string): string {
  return reference.split('.').at(-1) as string;
}

function buildCalculation(value: MetricValue, file: string, diagnostics: Diagnostic[]): MetricCalculation {
  const isTypeKnown = !value.$broken.includes('type');
  const type = isTypeKnown ? (value.type?.value ?? 'simple') : likelyType(value);
  const at = { file, start: value.name.start, end: value.name.end };
  const needed = type === 'derived' ? NEEDED[type] : [...NEEDED[type], 'ts' as const];
  const missing = (isTypeKnown ? needed : []).filter(
    (key) => value[key] === undefined && !value.$broken.includes(key),
  );
  for (const key of missing) diagnostics.push(diagnostic('metric.missing-key', { type, key }, { at }));
  for (const key of TYPED) {
    const given = value[key];
    if (given === undefined || !isTypeKnown || ALLOWED[type].includes(key)) continue;
    const place = 'start' in given ? { file, start: given.start, end: given.end } : at;
    diagnostics.push(diagnostic('metric.key-of-other-type', { key, type }, { at: place }));
  }
  // What is missing is reported above, or was when the file was read; its empty stand-in lets the rest be checked.
  const none = noText(value.name);
  switch (type) {
    case 'simple':
      return { kind: 'simple', measure: value.measure ?? none };
    case 'ratio':
      return {
        kind: 'ratio',
        numerator: value.numerator ?? none,
        denominator: value.denominator ?? none,
      };
    case 'derived':
      return {
        kind: 'derived',
        expression: value.expression ?? { ...none, pieces: [] },
        inputs: buildInputs(value.inputs ?? []),
      };
    case 'cumulative':
      return {
        kind: 'cumulative',
        measure: value.measure ?? none,
        ...present({ window: value.window, toDate: value.to_date }),
      };
    case 'conversion':
      return {
        kind: 'conversion',
        base: value.base ?? none,
        conversion: value.conversion ?? none,
        entity: value.entity ?? none,
        ...present({ window: value.window }),
      };
  }
}

/** The type whose keys a metric has. */
function likelyType(value: MetricValue): MetricType {
  const has = (type: MetricType): boolean => NEEDED[type].some((key) => value[key] !== undefined);
  return TYPES.find(has) ?? 'simple';
}

function buildInputs(
  inputs: NonNullable<MetricValue['inputs']>,
): readonly { name: Located<string>; ref: Located<string> }[] {
  return inputs.map((each) => {
    if ('key' in each) return { name: each.key, ref: each.value };
    return { name: each.name ?? { ...each.ref, value: lastPart(each.ref.value) }, ref: each.ref };
  });
}
