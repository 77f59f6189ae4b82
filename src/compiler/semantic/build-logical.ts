/*
 * A semantic query resolved: every word looked up, measures taken apart into components, each component put into the part of its fact.
 * All problems are collected.
 */
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { QueryColumn, QueryFilter, SemanticQuery } from '../../domain/semantic-query.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Expression } from '../../foundation/sql/tree.ts';
import { rewrite } from '../../foundation/sql/walk.ts';
import { baseModelOf } from './base-model.ts';
import { bindFilter } from './bind-filter.ts';
import { filterTree } from './conditions.ts';
import type { ExtraTerms } from './extra-terms.ts';
import { leavesOf } from './filter-leaves.ts';
import { type AnswerValue, answerColumn, answerName, type LogicalQuery, type Part } from './logical-query.ts';
import { MeasureBuilder } from './measure-builder.ts';
import { typeOfTree } from './measure-calls.ts';
import type { ResolvedMeasure, ResolvedMember } from './member-lookup.ts';
import { PartSet } from './part-set.ts';
import type { QuestionContext } from './question-context.ts';
import { resolveQuery } from './resolve-query.ts';
import { column } from './tree-nodes.ts';

/** A resolved query and what its reader should know. */
export interface Built {
  readonly logical: LogicalQuery;
  readonly notes: readonly string[];
}

/** Undefined when something was reported. */
export function buildLogical(
  query: SemanticQuery,
  context: QuestionContext,
  limits: { readonly isUnlimited: boolean; readonly extra?: ExtraTerms | undefined },
): Built | undefined {
  let isRefused = false;
  const report = (problem: Diagnostic): void => {
    isRefused = true;
    context.report(problem);
  };
  const inner = reportingTo(context, report);
  const asked = resolveQuery(query, inner, limits.extra);
  if (isRefused) return undefined;
  const parts = new PartSet(inner, asked, query);
  const measures = new MeasureBuilder(inner, parts);
  const values = asked.measures.map((measure) => measures.value(measure));
  const aggregates = (limits.extra?.aggregates ?? []).map((each) => ({
    each,
    value: measures.written(each),
  }));
  const having = asked.measureFilters.map((filter) => havingOf(filter, asked.measureOf, measures, inner));
  // The very value of a column, so that the order can name the column.
  const orderedValue = (measure: ResolvedMeasure): Expression =>
    values[asked.measures.indexOf(measure)] ?? measures.value(measure);
  const order = orderOf(query, asked.columns, orderedValue, inner);
  if (isRefused) return undefined;
  if (parts.isEmpty) {
    const base = baseModelOf(inner, parts.namedModels());
    if (base === undefined) return undefined;
    parts.base(base);
  }
  const built = parts.build();
  if (isRefused) return undefined;
  const types = new Map<string, { type: string }>();
  const keys = asked.keys.map(({ name }, at) => {
    const type = built.find((part) => part.keys[at]?.type !== 'UNKNOWN')?.keys[at]?.type ?? 'UNKNOWN';
    types.set(name, { type });
    return { name, type };
  });
  for (const { components } of built) for (const { name, type } of components) types.set(name, { type });
  const outputs: AnswerValue[] = [
    ...asked.keys.map(({ name, member, kind }) => ({
      column: keyColumn(member, kind, types.get(name)?.type ?? 'UNKNOWN'),
      value: answerColumn(name),
    })),
    ...asked.measures.map((measure, i) => {
      const value = values[i] as Expression;
      return { column: measureColumn(measure, typeOfAnswer(value, types)), value };
    }),
    ...aggregates.map(({ each, value }) => ({
      column: { name: each.name, kind: 'measure' as const, type: typeOfAnswer(value, types) },
      value,
    })),
  ];
  if (query.ungrouped === true) checkUngrouped(built, report);
  if (isRefused) return undefined;
  const limit = query.limit ?? (limits.isUnlimited ? undefined : LIMIT_DEFAULT);
  return {
    logical: {
      keys,
      parts: built,
      outputs,
      having: having.filter((each) => each !== undefined),
      order,
      ...(limit === undefined ? {} : { limit }),
      ...(query.offset === undefined || query.offset === 0 ? {} : { offset: query.offset }),
      zone: inner.zone,
      isUngrouped: query.ungrouped === true,
    },
    notes: parts.notes,
  };
}

const LIMIT_DEFAULT = 10_000;

/** The type of an expression over keys and components. */
function typeOfAnswer(value: Expression, types: ReadonlyMap<string, { readonly type: string }>): string {
  const single = answerName(value);
  if (single !== undefined) return types.get(single)?.type ?? 'UNKNOWN';
  const plain = rewrite(value, (node) => {
    const name = answerName(node);
    return name === undefined ? node : column(undefined, name);
  });
  return typeOfTree(plain, types);
}

function keyColumn(
  { word, ref, granularity, computed }: ResolvedMember,
  kind: 'dimension' | 'time',
  type: string,
): QueryColumn {
  const { member } = ref;
  const facts = member.kind === 'dimension' && computed === undefined ? member.dimension : undefined;
  return {
    name: word,
    ...(computed === undefined ? { member: word.split('.').slice(0, 2).join('.') } : {}),
    kind,
    type,
    ...(facts?.title === undefined ? {} : { title: facts.title }),
    ...(facts?.description === undefined ? {} : { description: facts.description }),
    ...(facts?.format === undefined ? {} : { format: facts.format }),
    ...(granularity === undefined ? {} : { granularity }),
  };
}

function measureColumn(measure: ResolvedMeasure, type: string): QueryColumn {
  const facts =
    measure.kind === 'metric'
      ? measure.metric
      : measure.ref.member.kind === 'measure'
        ? measure.ref.member.measure
        : undefined;
  return {
    name: measure.word,
    member: measure.kind === 'metric' ? `${measure.metric.name.value}.measure` : measure.word,
    kind: 'measure',
    type,
    ...(facts?.title === undefined ? {} : { title: facts.title }),
    ...(facts?.description === undefined ? {} : { description: facts.description }),
    ...(facts?.format === undefined ? {} : { format: facts.format }),
  };
}

/** The same surroundings for another listener; the present stays unread. */
function reportingTo(context: QuestionContext, report: QuestionContext['report']): QuestionContext {
  const { index, reader, hints, chosen, zone, visibility, named } = context;
  return {
    ...(named === undefined ? {} : { named }),
    ...(visibility === undefined ? {} : { visibility }),
    index,
    reader,
    hints,
    ...(chosen === undefined ? {} : { chosen }),
    zone,
    get now() {
      return context.now;
    },
    report,
  };
}

/** A filter on finished rows. */
function havingOf(
  filter: QueryFilter,
  measureOf: (word: string) => ResolvedMeasure | undefined,
  measures: MeasureBuilder,
  context: QuestionContext,
): Expression | undefined {
  const { report, zone: timezone } = context;
  for (const { member } of leavesOf(filter)) if (measureOf(member) === undefined) return undefined;
  const condition = filterTree(filter, ({ member, operator, values }) => {
    if (operator === 'measureFilter')
      return diagnostic('semantic.bad-filter', { problem: 'is not a measure filter' });
    const value = measures.value(measureOf(member) as ResolvedMeasure);
    return bindFilter(
      { member, value, type: measures.typeOf(value) },
      {
        operator,
        values,
        timezone,
        get now() {
          return context.now;
        },
      },
    );
  });
  if (!('code' in condition)) return condition;
  report(condition);
  return undefined;
}

type Order = LogicalQuery['order'][number];

/** The order as asked or by default, and always all dimensions after it. */
function orderOf(
  query: SemanticQuery,
  columns: ReturnType<typeof resolveQuery>['columns'],
  valueOfMeasure: (measure: ResolvedMeasure) => Expression,
  { report }: QuestionContext,
): readonly Order[] {
  const order: Order[] = [];
  const used = new Set<string>();
  for (const { member, direction } of query.order ?? []) {
    const found = columns(member);
    if (found === undefined) {
      report(diagnostic('semantic.order-member', { member }));
      continue;
    }
    const value = found.kind === 'key' ? answerColumn(found.name) : valueOfMeasure(found.measure);
    if (found.kind === 'key') used.add(found.name);
    order.push({ value, direction: direction === 'desc' ? 'DESC' : 'ASC' });
  }
  const { keys, measures } = columns.all;
  const add = (name: string): void => {
    if (used.has(name)) return;
    used.add(name);
    order.push({ value: answerColumn(name), direction: 'ASC' });
  };
  if (order.length === 0) {
    const times = keys.filter(({ kind }) => kind === 'time');
    const [first] = measures;
    for (const { name } of times) add(name);
    if (times.length === 0 && first !== undefined)
      order.push({ value: valueOfMeasure(first), direction: 'DESC' });
  }
  for (const { name } of keys) add(name);
  return order;
}

function checkUngrouped(parts: readonly Part[], report: (problem: Diagnostic) => void): void {
  if (parts.length > 1)
    report(
      diagnostic('semantic.not-ungrouped', { what: 'measures of several semantic models or conditions' }),
    );
  for (const { fact, nodes, variant } of parts) {
    const many = nodes.find(({ join }) => join !== undefined && !join.edge.isToOne);
    if (many !== undefined)
      report(diagnostic('semantic.fan-out-ungrouped', { fact: fact.name, model: many.model.name }));
    if (variant.kind !== 'plain')
      report(diagnostic('semantic.not-ungrouped', { what: 'measures with windows, shifts or stocks' }));
  }
}
