/*
 * The fields of a root, before they are types: one tree from which output, filters, order and the question itself are made.
 *
 *   orders ── status ─────────▶ dimension orders.status
 *          ├─ order_date ─────▶ time      orders.order_date, and a bucket for each granularity
 *          ├─ revenue ────────▶ measure   orders.revenue
 *          └─ customers ──────▶ join ── region ──▶ dimension customers.region
 */
import type {
  VisibleMember,
  VisibleMetric,
  VisibleModel,
  VisibleSemantics,
} from '../../domain/visible-semantics.ts';
import { GraphqlNames } from './graphql-names.ts';

export type QuestionField =
  | MemberField<'dimension'>
  | MemberField<'measure'>
  | (MemberField<'time'> & {
      /** Granularities by the names of their fields. */
      readonly buckets: ReadonlyMap<string, string>;
    })
  /** The time of a metric, whose granularity is an argument of the root. */
  | MemberField<'metric-time'>
  | JoinField;

interface MemberField<Kind extends string> {
  readonly kind: Kind;
  /** As questions name it. */
  readonly member: string;
  readonly type: string;
  readonly description?: string;
}

export interface JoinField {
  readonly kind: 'join';
  readonly word: string;
  readonly description: string;
  readonly fields: QuestionFields;
}

export type QuestionFields = ReadonlyMap<string, QuestionField>;

/** One thing that can be asked for. */
export interface QuestionRoot {
  readonly kind: 'model' | 'metric';
  readonly name: string;
  readonly description?: string;
  readonly fields: QuestionFields;
  /** Segments by the names of their enum values. */
  readonly segments: ReadonlyMap<string, string>;
  /** Of metrics with a time, by the names of their enum values. */
  readonly granularities: ReadonlyMap<string, string>;
  /** The field that says which of several compared ranges a row is of; absent where there is no time to compare. */
  readonly compareField?: string;
}

/** What its author says of a field, otherwise what it is. */
export function wordsOf(field: QuestionField): string {
  if (field.description !== undefined && field.description !== '') return field.description;
  switch (field.kind) {
    case 'join':
      return `What is joined as ${field.word}.`;
    case 'metric-time':
      return 'The time of the metric.';
    case 'dimension':
    case 'measure':
    case 'time':
      return `The ${field.kind} ${field.member}.`;
  }
}

/** What filters have beside the members. */
const RESERVED = ['AND', 'OR'];

/** Models first, so that a metric never takes the name of one. */
export function questionRoots(semantics: VisibleSemantics): readonly QuestionRoot[] {
  const models = new Map(semantics.models.map((model) => [model.name, model]));
  return [
    ...semantics.models.map((model) => modelRoot(model, models)),
    ...semantics.metrics.map((metric) => metricRoot(metric, semantics.models)),
  ];
}

type Models = ReadonlyMap<string, VisibleModel>;

function modelRoot(model: VisibleModel, models: Models): QuestionRoot {
  const names = new GraphqlNames();
  const segments = new Map<string, string>();
  const addSegments = (word: string, of: VisibleModel): void => {
    for (const { name, kind } of of.members)
      if (kind === 'segment')
        segments.set(names.take(of === model ? name : `${word}__${name}`), `${word}.${name}`);
  };
  addSegments(model.name, model);
  const visit = (joins: VisibleModel['joins']): void => {
    for (const { word, model: to, joins: more } of joins) {
      const target = models.get(to);
      if (target !== undefined) addSegments(word, target);
      visit(more);
    }
  };
  visit(model.joins);
  const fields = modelFields(model.name, model, { joins: model.joins, models });
  return {
    kind: 'model',
    name: model.name,
    ...(model.description === undefined ? {} : { description: model.description }),
    fields,
    segments,
    granularities: new Map(),
    ...(hasTime(fields) ? { compareField: compareField(fields) } : {}),
  };
}

const compareField = (fields: QuestionFields): string =>
  new GraphqlNames(fields.keys()).take('compareDateRange');

/** Whether there is a time among the fields, or behind their joins. */
export function hasTime(fields: QuestionFields): boolean {
  return [...fields.values()].some(
    (field) => field.kind === 'time' || (field.kind === 'join' && hasTime(field.fields)),
  );
}

function modelFields(
  word: string,
  { members }: VisibleModel,
  { joins, models }: { readonly joins: VisibleModel['joins']; readonly models: Models },
): QuestionFields {
  const names = new GraphqlNames(RESERVED);
  const fields = new Map<string, QuestionField>();
  for (const member of members) {
    const field = memberField(`${word}.${member.name}`, member);
    if (field !== undefined) fields.set(names.take(member.name), field);
  }
  for (const { word: next, model, isToOne, joins: more } of joins) {
    const target = models.get(model);
    if (target === undefined) continue;
    const several = isToOne ? '' : ' One row may meet several: what is shown of it makes rows of its own.';
    fields.set(names.take(next), {
      kind: 'join',
      word: next,
      description: `${target.description ?? `The semantic model ${model}.`}${several}`,
      fields: modelFields(next, target, { joins: more, models }),
    });
  }
  return fields;
}

function memberField(word: string, member: VisibleMember): QuestionField | undefined {
  const { kind, type, description, granularities } = member;
  if (kind === 'segment') return undefined;
  const field = { member: word, type, ...(description === undefined ? {} : { description }) };
  if (kind === 'measure') return { kind, ...field };
  if (granularities.length === 0) return { kind: 'dimension', ...field };
  const names = new GraphqlNames(['value']);
  return { kind: 'time', ...field, buckets: new Map(granularities.map((each) => [names.take(each), each])) };
}

function metricRoot(metric: VisibleMetric, models: readonly VisibleModel[]): QuestionRoot {
  const { name, type, description, ts, dimensions } = metric;
  const names = new GraphqlNames(RESERVED);
  const reported = description === undefined ? {} : { description };
  const fields = new Map<string, QuestionField>();
  if (ts !== undefined)
    fields.set(names.take('ts'), {
      kind: 'metric-time',
      member: `${name}.ts`,
      type: ts.type,
      description: 'The beginning of the bucket, as long as the argument granularity says.',
    });
  fields.set(names.take('measure'), { kind: 'measure', member: `${name}.measure`, type, ...reported });
  for (const dimension of dimensions) {
    const field = memberField(`${name}.${dimension.name}`, dimension);
    if (field !== undefined) fields.set(names.take(dimension.name), field);
  }
  const segmentNames = new GraphqlNames();
  const grains = new GraphqlNames();
  return {
    kind: 'metric',
    name,
    ...reported,
    fields,
    segments: new Map(
      models.flatMap((model) =>
        model.members
          .filter(({ kind }) => kind === 'segment')
          .map((each) => [segmentNames.take(`${model.name}__${each.name}`), `${model.name}.${each.name}`]),
      ),
    ),
    granularities: new Map((ts?.granularities ?? []).map((each) => [grains.take(each), each])),
    ...(ts === undefined ? {} : { compareField: compareField(fields) }),
  };
}
