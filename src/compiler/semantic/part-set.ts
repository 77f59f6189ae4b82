/*
 * The parts of a query: components of the same fact under the same conditions share one.
 */

import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Metric } from '../../domain/metric.ts';
import type { QueryFilter, SemanticQuery } from '../../domain/semantic-query.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Expression } from '../../foundation/sql/tree.ts';
import { Conditions, queryFilter } from './conditions.ts';
import { leavesOf } from './filter-leaves.ts';
import type { IndexedModel } from './indexed-model.ts';
import { answerColumn, type Part, type PartKey } from './logical-query.ts';
import { type MeasureCall, measureCall } from './measure-calls.ts';
import { type MemberRef, membersIn, metricColumn, type ResolvedMember } from './member-lookup.ts';
import type { ConversionSpec } from './metrics/bind-conversion.ts';
import type { NamedModel } from './name-paths.ts';
import { fanOutOf, PartBuilder } from './part-builder.ts';
import type { QuestionContext } from './question-context.ts';
import type { QueryRange, ResolvedQuery } from './resolve-query.ts';
import { bindVariant, timeIdentity } from './time/bind-variant.ts';
import { boundsConditions, readRange } from './time/date-conditions.ts';
import { timeTypeOf } from './time/granularity.ts';
import { periodicCondition } from './time/periodic-condition.ts';
import { TimeFilters } from './time/time-uses.ts';
import type { VariantSpec } from './time/variant-spec.ts';
import { NULL_LITERAL } from './tree-nodes.ts';

/** Under which conditions a component is computed: those of the query, and of the metrics it belongs to, outermost first. */
export interface Context {
  readonly metrics: readonly Metric[];
  /** In place of the measures' own windows. */
  readonly window?: VariantSpec;
}

/** An aggregate and where it belongs. */
export interface ComponentSpec {
  /** Equal for equal components. */
  readonly id: string;
  /** What its column should be called. */
  readonly name: string;
  readonly fact: IndexedModel;
  readonly call: MeasureCall;
  readonly variant: VariantSpec;
}

/** What a filter is read with. */
interface FilterPlace {
  readonly refOf: (member: ResolvedMember) => MemberRef;
  readonly times: TimeFilters;
  /** Whether a filter compares the time of the part's window; absent: there is none. */
  readonly isOfPeriod: ((leaf: FilterLeaf) => boolean) | undefined;
  readonly measure: string;
}

type FilterLeaf = Extract<QueryFilter, { readonly kind: 'member' }>;

export class PartSet {
  readonly notes: string[] = [];
  readonly #context: QuestionContext;
  readonly #resolved: ResolvedQuery;
  readonly #query: SemanticQuery;
  readonly #conditions: Conditions;
  /** For what metrics say themselves. */
  readonly #defined: Conditions;
  readonly #parts = new Map<string, PartBuilder>();
  readonly #names = new Set<string>();
  readonly #types = new Map<string, string>();
  readonly #conversions = new Map<string, { readonly base: Expression; readonly converted: Expression }>();
  /** What means something else in another metric: of the columns, the ranges and the conditions. */
  readonly #metricColumns: readonly ResolvedMember[];

  constructor(context: QuestionContext, resolved: ResolvedQuery, query: SemanticQuery) {
    this.#context = context;
    this.#resolved = resolved;
    this.#query = query;
    this.#conditions = new Conditions(context, resolved.members);
    this.#defined = new Conditions(context, resolved.members.defined);
    const filtered = resolved.filters.flatMap((filter) =>
      leavesOf(filter).flatMap(({ member, operator }) => {
        const dimension = operator === 'measureFilter' ? undefined : resolved.members.dimension(member);
        return dimension?.ok === true ? [dimension.value] : [];
      }),
    );
    this.#metricColumns = [
      ...resolved.keys.map((key) => key.member),
      ...resolved.ranges.map((range) => range.member),
      ...filtered,
      ...(resolved.extra?.conditions ?? []),
    ]
      .flatMap(membersIn)
      .filter(({ metricColumn: name }) => name !== undefined);
  }

  get isEmpty(): boolean {
    return this.#parts.size === 0;
  }

  typeOf(component: string): string {
    return this.#types.get(component) ?? 'UNKNOWN';
  }

  /** The component as a column of the answer; what is wrong with it is reported. */
  add(spec: ComponentSpec, context: Context): Expression {
    const { fact, call } = spec;
    const many = fanOutOf(call);
    if (many !== undefined) {
      this.#context.report(
        diagnostic('semantic.fan-out-in-measure', { name: spec.name, model: many, fact: fact.name }),
      );
      return NULL_LITERAL;
    }
    const part = this.#part(fact, context, spec.variant, spec.name);
    const component = part.component(spec.id, call, () => this.#resolved.newName(spec.name));
    if ('code' in component) {
      this.#context.report(component);
      return NULL_LITERAL;
    }
    this.#types.set(component.name, component.type);
    return answerColumn(component.name);
  }

  /** How many rows the base of a conversion metric has, and how many of them converted. */
  conversion(
    metric: Metric,
    calculation: ConversionSpec['calculation'],
    context: Context,
  ): { readonly base: Expression; readonly converted: Expression } {
    const id = context.metrics.map(({ name }) => name.value).join('\n');
    const known = this.#conversions.get(id);
    if (known !== undefined) return known;
    const name = metric.name.value;
    const fact = this.#context.index.models.get(calculation.base.value.split('.')[0]?.toLowerCase() ?? '');
    if (fact === undefined) {
      this.#context.report(
        diagnostic('semantic.unknown-semantic-model', { name: calculation.base.value.split('.')[0] ?? '' }),
      );
      return { base: NULL_LITERAL, converted: NULL_LITERAL };
    }
    const [base, converted] = [
      this.#resolved.newName(`${name}_base`),
      this.#resolved.newName(`${name}_converted`),
    ];
    const ts = metricColumn(this.#context.index, metric, 'ts');
    const part = this.#part(
      fact,
      context,
      { kind: 'conversion', metric: name, calculation, ts, base, converted },
      name,
    );
    for (const each of [base, converted]) {
      part.component(each, measureCall(this.#context.reader, fact, undefined), () => each);
      this.#types.set(each, 'BIGINT');
    }
    const made = { base: answerColumn(base), converted: answerColumn(converted) };
    this.#conversions.set(id, made);
    return made;
  }

  /** A part without components: different tuples of dimensions. */
  base(fact: IndexedModel): void {
    this.#part(fact, { metrics: [] }, { kind: 'plain' }, fact.name);
  }

  #part(fact: IndexedModel, context: Context, variant: VariantSpec, measure: string): PartBuilder {
    const refs = this.#metricColumns.map((asked) => this.#refIn(asked, context).word.toLowerCase());
    const filtering = context.metrics.filter((metric) => metric.filters.length + metric.segments.length > 0);
    const key = JSON.stringify([
      fact.name,
      refs,
      filtering.map(({ name }) => name.value),
      variantKey(variant),
    ]);
    let part = this.#parts.get(key);
    if (part === undefined) {
      part = new PartBuilder(this.#context, fact, this.#partName(fact.name));
      this.#parts.set(key, part);
      const bind = (times: TimeFilters) => this.#bind(part as PartBuilder, variant, { times, measure });
      this.#fill(part, context, { measure, bind });
    }
    return part;
  }

  #partName(wanted: string): string {
    const base = wanted.toLowerCase();
    let name = base;
    for (let n = 2; this.#names.has(name); n++) name = `${base}_${n}`;
    this.#names.add(name);
    return name;
  }

  /** Which member a column means in a metric: its own of that name, if it has one. */
  #refIn(member: ResolvedMember, { metrics }: Context): MemberRef {
    const { metricColumn: name } = member;
    if (name === undefined) return member.ref;
    for (const metric of metrics.toReversed()) {
      const target = metricColumn(this.#context.index, metric, name);
      const ref =
        target === undefined ? undefined : this.#resolved.members.defined.refOf(target, 'dimension');
      if (ref?.ok === true) return ref.value;
    }
    return member.ref;
  }

  /** The time whose ranges belong to the part's window, so that they are not conditions on rows. */
  #bind(
    part: PartBuilder,
    spec: VariantSpec,
    { times, measure }: { readonly times: TimeFilters; readonly measure: string },
  ): string | undefined {
    const bound = bindVariant(spec, { context: this.#context, part, times, measure });
    if ('code' in bound) {
      this.#context.report(bound);
      return undefined;
    }
    part.variant = bound.variant;
    return bound.takes;
  }

  #fill(
    part: PartBuilder,
    context: Context,
    {
      measure,
      bind,
    }: { readonly measure: string; readonly bind: (times: TimeFilters) => string | undefined },
  ): void {
    const { report } = this.#context;
    const refOf = (requested: ResolvedMember): MemberRef => this.#refIn(requested, context);
    part.keys = this.#resolved.keys.flatMap(({ name, member: asked }) => {
      const key = this.#key(part, asked, { name, refOf });
      if (!('code' in key)) return [key];
      report(this.#unreachable(key, asked.word, part));
      return [];
    });
    const times = new TimeFilters(this.#resolved, this.#context, refOf);
    const taken = bind(times);
    const isTaken = (ref: MemberRef | undefined): boolean =>
      taken !== undefined && ref !== undefined && timeIdentity(part, ref) === taken;
    for (const ref of this.#resolved.segments)
      this.#condition(part, this.#conditions.segment(part, ref), [ref.word]);
    for (const range of this.#resolved.ranges)
      for (const condition of this.#range(part, range, refOf))
        if ('code' in condition || !isTaken(refOf(range.member)))
          this.#condition(part, condition, [range.member.word]);
    const isOfPeriod =
      taken === undefined ? undefined : (leaf: FilterLeaf): boolean => isTaken(times.refOf(leaf));
    for (const filter of this.#resolved.filters)
      this.#filter(part, filter, { refOf, times, isOfPeriod, measure });
    for (const asked of this.#resolved.extra?.conditions ?? []) {
      const members = membersIn(asked);
      const words = [...new Set(members.map(({ word }) => word))];
      const windowed = members.find((member) => isTaken(refOf(member)));
      if (windowed !== undefined)
        report(diagnostic('semantic.sql-window-condition', { member: windowed.word }));
      else this.#condition(part, this.#computed(part, asked, refOf), words);
    }
    for (const metric of context.metrics) this.#metricConditions(part, metric);
  }

  /** A filter on rows; what it says of the time of a window is asked of the period, for the window sees all its rows. */
  #filter(part: PartBuilder, filter: QueryFilter, { refOf, times, isOfPeriod, measure }: FilterPlace): void {
    const leaves = leavesOf(filter);
    const words = [...new Set(leaves.map(({ member }) => member))];
    const condition = this.#conditions.filter(part, filter, refOf);
    if ('code' in condition || isOfPeriod === undefined || !leaves.some(isOfPeriod)) {
      this.#condition(part, condition, words);
      return;
    }
    // Alone it chooses periods, which the window knows.
    if (leaves.every(isOfPeriod)) return;
    const periodic = periodicCondition(filter, {
      isOfPeriod,
      ofPeriod: (each) => part.period(times, each, measure),
      ofRow: (each) => this.#conditions.filter(part, each, refOf),
    });
    if ('code' in periodic) this.#context.report(periodic);
    else part.periodic.push(periodic);
  }

  /** What rows are grouped by: a member, its bucket, or an expression over such. */
  #key(
    part: PartBuilder,
    member: ResolvedMember,
    { name, refOf }: { readonly name: string; readonly refOf: (member: ResolvedMember) => MemberRef },
  ): PartKey | Diagnostic {
    if (member.computed === undefined) return part.key(member, refOf(member), name);
    const bound = part.computed(member.computed, refOf);
    if ('code' in bound) return bound;
    return { name, ...bound.typed(), computed: { tree: member.computed.tree, members: bound.members } };
  }

  #computed(
    part: PartBuilder,
    member: ResolvedMember,
    refOf: (member: ResolvedMember) => MemberRef,
  ): Expression | Diagnostic {
    const bound =
      member.computed === undefined
        ? part.key(member, refOf(member), '')
        : part.computed(member.computed, refOf);
    return 'code' in bound ? bound : bound.value;
  }

  #range(
    part: PartBuilder,
    { member: asked, time }: QueryRange,
    refOf: (member: ResolvedMember) => MemberRef,
  ): readonly (Expression | Diagnostic)[] {
    const bound = part.time(refOf(asked));
    if ('code' in bound) return [bound];
    const type = timeTypeOf(bound.type);
    const { zone: timezone, now } = this.#context;
    const range = readRange(time.dateRange ?? '', type, { timezone, now });
    if (range.kind === 'problem')
      return [diagnostic('semantic.bad-date-range', { member: asked.word, detail: range.message })];
    return boundsConditions(bound.value, type, range);
  }

  #metricConditions(part: PartBuilder, metric: Metric): void {
    const { report, reader } = this.#context;
    for (const { value } of metric.segments) {
      const ref = this.#resolved.members.defined.refOf(value, 'segment');
      const condition = ref.ok ? this.#conditions.segment(part, ref.value) : ref.problem;
      if ('code' in condition) report(condition);
      else part.where.push(condition);
    }
    for (const filter of metric.filters) {
      const condition =
        filter.kind === 'filter'
          ? this.#defined.filter(part, queryFilter(filter.filter))
          : part.bindRow(reader.row(part.fact, filter.expression), []);
      if ('code' in condition) report(condition);
      else part.where.push(condition);
    }
  }

  /** A condition of the query; one that the fact cannot reach may be left out, which the answer then says. */
  #condition(part: PartBuilder, condition: Expression | Diagnostic, words: readonly string[]): void {
    if (!('code' in condition)) {
      part.where.push(condition);
      return;
    }
    const isUnreachable = condition.code === 'semantic.no-path';
    if (isUnreachable && this.#query.unreachableFilters === 'ignore')
      this.notes.push(
        `The filter on ${words.join(', ')} is ignored for ${part.fact.name}, which cannot reach it.`,
      );
    else this.#context.report(this.#unreachable(condition, words.join(', '), part));
  }

  #unreachable(problem: Diagnostic, member: string, { fact }: PartBuilder): Diagnostic {
    return problem.code === 'semantic.no-path'
      ? diagnostic('semantic.unreachable-member', { member, fact: fact.name })
      : problem;
  }

  /** Every model that dimensions, filters and segments name, in the order of the query. */
  namedModels(): readonly NamedModel[] {
    const { keys, segments, ranges, filters, members, extra } = this.#resolved;
    return [
      ...(extra?.tables ?? []),
      ...keys.flatMap(({ member: asked }) => membersIn(asked).map(({ ref }) => ref.named)),
      ...ranges.map(({ member: asked }) => asked.ref.named),
      ...segments.map(({ named }) => named),
      ...filters.flatMap((filter) =>
        leavesOf(filter).flatMap(({ member, operator }) => {
          const asked =
            operator === 'measureFilter' ? members.refOf(member, 'measure') : members.dimension(member);
          if (!asked.ok) return [];
          return ['ref' in asked.value ? asked.value.ref.named : asked.value.named];
        }),
      ),
    ];
  }

  build(): readonly Part[] {
    return [...this.#parts.values()].map((part) => part.build());
  }
}

function variantKey(spec: VariantSpec): string {
  if (spec.kind === 'plain') return spec.kind;
  return JSON.stringify(spec, (key, value) => (key === 'start' || key === 'end' ? undefined : value));
}
