/*
 * What a caller may know of the semantics. What is hidden answers as what does not exist:
 *
 *   semantic models   those that policies deny, and joins over them
 *   members           `public: false`, and those computed from rows of a hidden semantic model
 *   metrics           those computed from such rows; of others the columns that show hidden ones
 */
import { type Metric, type MetricFilter, membersOfCalculation } from '../../../domain/metric.ts';
import type { Measure, MemberFilter } from '../../../domain/semantic-model.ts';
import type { Caller } from '../../../domain/semantic-query.ts';
import type { IndexedMember, IndexedModel, Path, RowExpression } from '../indexed-model.ts';
import { isAggregated, measureCall } from '../measure-calls.ts';
import { MemberReader } from '../member-reader.ts';
import { type NamedModel, namedModel, pathTo } from '../name-paths.ts';
import { accessOf, masksOf } from '../policies.ts';
import type { SemanticIndex } from '../semantic-index.ts';

const known = new WeakMap<SemanticIndex, WeakMap<Caller, Visibility>>();

/** The same object for the same caller. */
export function visibilityOf(index: SemanticIndex, caller: Caller): Visibility {
  const callers = known.get(index) ?? new WeakMap<Caller, Visibility>();
  known.set(index, callers);
  let visibility = callers.get(caller);
  if (visibility === undefined) {
    visibility = new Visibility(index, caller);
    callers.set(caller, visibility);
  }
  return visibility;
}

/** Members as this caller sees them; kept for all callers who see the same. */
export function readerOf(index: SemanticIndex, { caller }: { readonly caller: Caller }): MemberReader {
  const { masks, key } = masksOf(index, caller);
  const before = index.memory.get(key);
  if (before instanceof MemberReader) return before;
  const reader = new MemberReader(index, masks);
  index.memory.set(key, reader);
  return reader;
}

export class Visibility {
  readonly #index: SemanticIndex;
  readonly #caller: Caller;
  readonly #hidden: ReadonlySet<string>;
  readonly #members = new Map<IndexedModel, ReadonlyMap<string, IndexedMember>>();
  readonly #metrics = new Map<Metric, boolean>();

  constructor(index: SemanticIndex, caller: Caller) {
    this.#index = index;
    this.#caller = caller;
    const models = [...index.models].filter(([, model]) => accessOf(model, caller).isDenied);
    this.#hidden = new Set(models.map(([key]) => key));
  }

  /** Whether semantic models are hidden: then a name that nothing has answers like one that is hidden. */
  get hidesModels(): boolean {
    return this.#hidden.size > 0;
  }

  isHidden(model: IndexedModel): boolean {
    return this.#hidden.has(model.name.toLowerCase());
  }

  /** Whether a way comes by something hidden. */
  crossesHidden(path: Path): boolean {
    return this.hidesModels && path.some(({ from, to }) => this.#hidden.has(to) || this.#hidden.has(from));
  }

  /** What the first part of a member means, as far as the caller may know. */
  named(word: string): NamedModel | undefined {
    const named = namedModel(this.#index, word);
    if (named === undefined || this.isHidden(named.model)) return undefined;
    const isKnown =
      !named.isRole || named.roles.some(({ endings }) => endings.some((way) => !this.crossesHidden(way)));
    return isKnown ? named : undefined;
  }

  metric(word: string): Metric | undefined {
    const key = word.toLowerCase();
    // A semantic model hides a metric of its name.
    const metric = this.#index.models.has(key) ? undefined : this.#index.metrics.get(key);
    return metric !== undefined && this.#isKnown(metric) ? metric : undefined;
  }

  /** Whether the word is a semantic model, a role or a metric that the caller may know. */
  knows(word: string): boolean {
    return this.metric(word) !== undefined || this.named(word) !== undefined;
  }

  /** Lower-case names of all that may be asked by one word. */
  names(): readonly string[] {
    const { models, metrics, roles } = this.#index;
    return [...new Set([...models.keys(), ...metrics.keys(), ...roles.keys()])].filter((name) =>
      this.knows(name),
    );
  }

  /** The members that can be asked, by lower-case name. */
  members(model: IndexedModel): ReadonlyMap<string, IndexedMember> {
    let members = this.#members.get(model);
    if (members === undefined) {
      members = new Map([...model.members].filter(([, member]) => this.#isAskable(model, member)));
      this.#members.set(model, members);
    }
    return members;
  }

  /** Names of the columns of a metric's table that show something the caller may know. */
  metricColumns(metric: Metric, timeOf: (metric: Metric) => string | undefined): readonly string[] {
    const isKnown = (ref: string | undefined): boolean => {
      const [word = '', member = ''] = ref?.split('.') ?? [];
      const named = this.named(word);
      return (
        named !== undefined &&
        !this.#isComputedFromHidden(named.model, named.model.members.get(member.toLowerCase()))
      );
    };
    return [
      ...(isKnown(timeOf(metric)) ? ['ts'] : []),
      'measure',
      ...metric.dimensions.filter(({ ref }) => isKnown(ref.value)).map(({ name }) => name),
    ];
  }

  #isAskable(model: IndexedModel, member: IndexedMember): boolean {
    const facts =
      member.kind === 'measure'
        ? member.measure
        : member.kind === 'segment'
          ? member.segment
          : member.dimension;
    return facts?.isPublic !== false && !this.#isComputedFromHidden(model, member);
  }

  #isComputedFromHidden(model: IndexedModel, member: IndexedMember | undefined): boolean {
    if (!this.hidesModels || member === undefined) return false;
    if (member.kind === 'measure') return this.#isMeasureHidden(model, member.measure, new Set());
    const row =
      member.kind === 'segment'
        ? this.#reader.row(model, member.segment.expression)
        : this.#reader.dimension(model, member.name);
    return this.#readsHidden(row);
  }

  get #reader(): MemberReader {
    return readerOf(this.#index, { caller: this.#caller });
  }

  #readsHidden({ slots }: RowExpression): boolean {
    return [...slots.values()].some(({ path }) => this.crossesHidden(path));
  }

  #isMeasureHidden(model: IndexedModel, measure: Measure | undefined, seen: Set<Measure>): boolean {
    if (this.isHidden(model)) return true;
    if (measure === undefined || seen.has(measure)) return false;
    seen.add(measure);
    const reader = this.#reader;
    if (isAggregated(measure)) return this.#readsHidden(measureCall(reader, model, measure));
    if (measure.filters.some((filter) => this.#readsHidden(reader.row(model, filter)))) return true;
    if (measure.expression === undefined) return false;
    const { aggregates, measures } = reader.derived(model, measure.expression);
    return (
      [...aggregates.values()].some((row) => this.#readsHidden(row)) ||
      [...measures.values()].some((used) => {
        const member = used.model.members.get(used.name.toLowerCase());
        return this.#isMeasureHidden(
          used.model,
          member?.kind === 'measure' ? member.measure : undefined,
          seen,
        );
      })
    );
  }

  #isKnown(metric: Metric): boolean {
    if (!this.hidesModels) return true;
    const before = this.#metrics.get(metric);
    if (before !== undefined) return before;
    // One that leads back to itself is reported by the compiler.
    this.#metrics.set(metric, true);
    const isKnown = this.#isComputedFromKnown(metric);
    this.#metrics.set(metric, isKnown);
    return isKnown;
  }

  #isComputedFromKnown({ calculation, segments, filters }: Metric): boolean {
    const facts: IndexedModel[] = [];
    for (const word of membersOfCalculation(calculation)) {
      const input = this.#index.metrics.get(word.toLowerCase());
      if (input !== undefined && !word.includes('.')) {
        if (!this.#isKnown(input)) return false;
        continue;
      }
      const [first = '', second = ''] = word.split('.');
      const fact = this.#index.models.get(first.toLowerCase());
      const member = fact?.members.get(second.toLowerCase());
      if (fact === undefined || this.isHidden(fact) || this.#isComputedFromHidden(fact, member)) return false;
      facts.push(fact);
    }
    const used = [
      ...segments.map(({ value }) => value),
      ...filters.flatMap((filter) => (filter.kind === 'filter' ? membersIn(filter.filter) : [])),
      ...(calculation.kind === 'conversion' ? [calculation.entity.value] : []),
    ];
    return facts.every(
      (fact) =>
        used.every((word) => this.#reaches(fact, word)) &&
        filters.every((filter) => !this.#filterReadsHidden(fact, filter)),
    );
  }

  #filterReadsHidden(fact: IndexedModel, filter: MetricFilter): boolean {
    return filter.kind === 'expression' && this.#readsHidden(this.#reader.row(fact, filter.expression));
  }

  #reaches(fact: IndexedModel, word: string): boolean {
    const [first = '', second = ''] = word.split('.');
    const named = this.named(first);
    if (named === undefined) return false;
    const path = pathTo(this.#index, fact, named);
    if ('code' in path) return true;
    return (
      !this.crossesHidden(path) &&
      !this.#isComputedFromHidden(named.model, named.model.members.get(second.toLowerCase()))
    );
  }
}

function membersIn(filter: MemberFilter): readonly string[] {
  return filter.kind === 'member' ? [filter.member.value] : filter.filters.flatMap(membersIn);
}
