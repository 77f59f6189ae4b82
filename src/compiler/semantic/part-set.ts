/*
 * The parts of a query: components of the same fact under the same conditions share one.
 */

import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Metric } from '../../domain/metric.ts';
import type { QueryFilter, SemanticQuery } from '../../domain/semantic-query.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Expression } from '../../foundation/sql/tree.ts';
import { type AskedMember, type MemberRef, membersIn, metricColumn } from './asked-members.ts';
import { Conditions, queryFilter } from './conditions.ts';
import { leavesOf } from './filter-leaves.ts';
import type { IndexedModel } from './indexed-model.ts';
import { answerColumn, type Part, type PartKey } from './logical-query.ts';
import { type MeasureCall, measureCall } from './measure-calls.ts';
import type { ConversionSpec } from './metrics/bind-conversion.ts';
import type { NamedModel } from './name-paths.ts';
import { fanOutOf, PartBuilder } from './part-builder.ts';
import type { QuestionContext } from './question-context.ts';
import type { AskedQuery, AskedRange } from './read-asked.ts';
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
  readonly refOf: (asked: AskedMember) => MemberRef;
  readonly times: TimeFilters;
  /** Whether a filter compares the time of the part's window; absent: there is none. */
  readonly isOfPeriod: ((leaf: FilterLeaf) => boolean) | undefined;
  readonly measure: string;
}

type FilterLeaf = Extract<QueryFilter, { readonly kind: 'member' }>;

export class PartSet {
  readonly notes: string[] = [];
  readonly #around: QuestionContext;
  readonly #asked: AskedQuery;
  readonly #query: SemanticQuery;
  readonly #conditions: Conditions;
  /** For what metrics say themselves. */
  readonly #defined: Conditions;
  readonly #parts = new Map<string, PartBuilder>();
  readonly #names = new Set<string>();
  readonly #types = new Map<string, string>();
  readonly #conversions = new Map<string, { readonly base: Expression; readonly converted: Expression }>();
  /** What means something else in another metric: of the columns, the ranges and the conditions. */
  readonly #metricColumns: readonly AskedMember[];

  constructor(around: QuestionContext, asked: AskedQuery, query: SemanticQuery) {
    this.#around = around;
    this.#asked = asked;
    this.#query = query;
    this.#conditions = new Conditions(around, asked.members);
    this.#defined = new Conditions(around, asked.members.defined);
    const filtered = asked.filters.flatMap((filter) =>
      leavesOf(filter).flatMap(({ member, operator }) => {
        const dimension = operator === 'measureFilter' ? undefined : asked.members.dimension(member);
        return dimension?.ok === true ? [dimension.value] : [];
      }),
    );
    this.#metricColumns = [
      ...asked.keys.map((key) => key.asked),
      ...asked.ranges.map((range) => range.asked),
      ...filtered,
      ...(asked.extra?.conditions ?? []),
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
      this.#around.report(
        diagnostic('semantic.fan-out-in-measure', { name: spec.name, model: many, fact: fact.name }),
      );
      return NULL_LITERAL;
    }
    const part = this.#part(fact, context, spec.variant, spec.name);
    const component = part.component(spec.id, call, () => this.#asked.newName(spec.name));
    if ('code' in component) {
      this.#around.report(component);
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
    const fact = this.#around.index.models.get(calculation.base.value.split('.')[0]?.toLowerCase() ?? '');
    if (fact === undefined) {
      this.#around.report(
        diagnostic('semantic.unknown-semantic-model', { name: calculation.base.value.split('.')[0] ?? '' }),
      );
      return { base: NULL_LITERAL, converted: NULL_LITERAL };
    }
    const [base, converted] = [this.#asked.newName(`${name}_base`), this.#asked.newName(`${name}_converted`)];
    const ts = metricColumn(this.#around.index, metric, 'ts');
    const part = this.#part(
      fact,
      context,
      { kind: 'conversion', metric: name, calculation, ts, base, converted },
      name,
    );
    for (const each of [base, converted]) {
      part.component(each, measureCall(this.#around.reader, fact, undefined), () => each);
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
      part = new PartBuilder(this.#around, fact, this.#partName(fact.name));
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
  #refIn(asked: AskedMember, { metrics }: Context): MemberRef {
    const { metricColumn: name } = asked;
    if (name === undefined) return asked.ref;
    for (const metric of metrics.toReversed()) {
      const target = metricColumn(this.#around.index, metric, name);
      const ref = target === undefined ? undefined : this.#asked.members.defined.refOf(target, 'dimension');
      if (ref?.ok === true) return ref.value;
    }
    return asked.ref;
  }

  /** The time whose ranges belong to the part's window, so that they are not conditions on rows. */
  #bind(
    part: PartBuilder,
    spec: VariantSpec,
    { times, measure }: { readonly times: TimeFilters; readonly measure: string },
  ): string | undefined {
    const bound = bindVariant(spec, { around: this.#around, part, times, measure });
    if ('code' in bound) {
      this.#around.report(bound);
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
    const { report } = this.#around;
    const refOf = (asked: AskedMember): MemberRef => this.#refIn(asked, context);
    part.keys = this.#asked.keys.flatMap(({ name, asked }) => {
      const key = this.#key(part, asked, { name, refOf });
      if (!('code' in key)) return [key];
      report(this.#unreachable(key, asked.word, part));
      return [];
    });
    const times = new TimeFilters(this.#asked, this.#around, refOf);
    const taken = bind(times);
    const isTaken = (ref: MemberRef | undefined): boolean =>
      taken !== undefined && ref !== undefined && timeIdentity(part, ref) === taken;
    for (const ref of this.#asked.segments)
      this.#condition(part, this.#conditions.segment(part, ref), [ref.word]);
    for (const range of this.#asked.ranges)
      for (const condition of this.#range(part, range, refOf))
        if ('code' in condition || !isTaken(refOf(range.asked)))
          this.#condition(part, condition, [range.asked.word]);
    const isOfPeriod =
      taken === undefined ? undefined : (leaf: FilterLeaf): boolean => isTaken(times.refOf(leaf));
    for (const filter of this.#asked.filters)
      this.#filter(part, filter, { refOf, times, isOfPeriod, measure });
    for (const asked of this.#asked.extra?.conditions ?? []) {
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
    if ('code' in periodic) this.#around.report(periodic);
    else part.periodic.push(periodic);
  }

  /** What rows are grouped by: a member, its bucket, or an expression over such. */
  #key(
    part: PartBuilder,
    asked: AskedMember,
    { name, refOf }: { readonly name: string; readonly refOf: (asked: AskedMember) => MemberRef },
  ): PartKey | Diagnostic {
    if (asked.computed === undefined) return part.key(asked, refOf(asked), name);
    const bound = part.computed(asked.computed, refOf);
    if ('code' in bound) return bound;
    return { name, ...bound.typed(), computed: { tree: asked.computed.tree, members: bound.members } };
  }

  #computed(
    part: PartBuilder,
    asked: AskedMember,
    refOf: (asked: AskedMember) => MemberRef,
  ): Expression | Diagnostic {
    const bound =
      asked.computed === undefined ? part.key(asked, refOf(asked), '') : part.computed(asked.computed, refOf);
    return 'code' in bound ? bound : bound.value;
  }

  #range(
    part: PartBuilder,
    { asked, time }: AskedRange,
    refOf: (asked: AskedMember) => MemberRef,
  ): readonly (Expression | Diagnostic)[] {
    const bound = part.time(refOf(asked));
    if ('code' in bound) return [bound];
    const type = timeTypeOf(bound.type);
    const { zone: timezone, now } = this.#around;
    const range = readRange(time.dateRange ?? '', type, { timezone, now });
    if (range.kind === 'problem')
      return [diagnostic('semantic.bad-date-range', { member: asked.word, detail: range.message })];
    return boundsConditions(bound.value, type, range);
  }

  #metricConditions(part: PartBuilder, metric: Metric): void {
    const { report, reader } = this.#around;
    for (const { value } of metric.segments) {
      const ref = this.#asked.members.defined.refOf(value, 'segment');
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
    else this.#around.report(this.#unreachable(condition, words.join(', '), part));
  }

  #unreachable(problem: Diagnostic, member: string, { fact }: PartBuilder): Diagnostic {
    return problem.code === 'semantic.no-path'
      ? diagnostic('semantic.unreachable-member', { member, fact: fact.name })
      : problem;
  }

  /** Every model that dimensions, filters and segments name, in the order of the query. */
  namedModels(): readonly NamedModel[] {
    const { keys, segments, ranges, filters, members, extra } = this.#asked;
    return [
      ...(extra?.tables ?? []),
      ...keys.flatMap(({ asked }) => membersIn(asked).map(({ ref }) => ref.named)),
      ...ranges.map(({ asked }) => asked.ref.named),
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
