/*
 * The words of a query and what they mean: `orders.status`, `ship_to.city`, `orders.order_date.month`, `revenue_metric.ts.week`.
 * A column of a metric is another member in each metric that has a column of that name.
 */
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Metric } from '../../domain/metric.ts';
import { GRANULARITIES } from '../../domain/semantic-model.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import type { Expression } from '../../foundation/sql/tree.ts';
import type { Visibility } from './access/visibility.ts';
import type { IndexedMember } from './indexed-model.ts';
import type { Grain } from './logical-query.ts';
import { listed, meantBy } from './meant-members.ts';
import { type NamedModel, namedModel } from './name-paths.ts';
import { noAccess } from './policies.ts';
import type { SemanticIndex } from './semantic-index.ts';

/** A member of a semantic model, by the model or a role. */
export interface MemberRef {
  /** As written, for messages. */
  readonly word: string;
  readonly named: NamedModel;
  readonly member: IndexedMember;
}

/** A dimension or segment of the query, or what a metric calls so. */
export interface ResolvedMember {
  readonly word: string;
  readonly ref: MemberRef;
  /** Column of a metric's table: other metrics mean their own by it. */
  readonly metricColumn?: string;
  readonly grain?: Grain;
  readonly granularity?: string;
  /** An expression over members in place of one, of which `ref` is the first. */
  readonly computed?: ComputedValue;
}

/** Columns of the tree that have these names stand for members. */
export interface ComputedValue {
  readonly tree: Expression;
  readonly members: ReadonlyMap<string, ResolvedMember>;
}

/** The members that are looked up for what is asked. */
export function membersIn(member: ResolvedMember): readonly ResolvedMember[] {
  return member.computed === undefined ? [member] : [...member.computed.members.values()];
}

/** A measure of a semantic model, or a metric. */
export type ResolvedMeasure =
  | { readonly kind: 'measure'; readonly word: string; readonly ref: MemberRef }
  | { readonly kind: 'metric'; readonly word: string; readonly metric: Metric };

export type LookupResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: Diagnostic };

const bad = (problem: Diagnostic): { readonly ok: false; readonly problem: Diagnostic } => ({
  ok: false,
  problem,
});

/** Hints for the first wrong words of a query are enough. */
const HINTS_MAX = 20;

/** Reads the members of one query, each word once. With a visibility, words are those of a caller; without, those of definitions. */
export class MemberLookup {
  readonly #index: SemanticIndex;
  readonly #visibility: Visibility | undefined;
  readonly #named: Set<string> | undefined;
  readonly #measures = new Map<string, LookupResult<ResolvedMeasure>>();
  readonly #dimensions = new Map<string, LookupResult<ResolvedMember>>();
  #hints = 0;
  #defined: MemberLookup | undefined;

  /** `named` gets what the caller's words mean: `model.member`, or a metric. */
  constructor(index: SemanticIndex, visibility?: Visibility, named?: Set<string>) {
    this.#index = index;
    this.#visibility = visibility;
    this.#named = named;
  }

  /** The same words as definitions mean them, where nothing is hidden. */
  get defined(): MemberLookup {
    if (this.#visibility === undefined) return this;
    this.#defined ??= new MemberLookup(this.#index);
    return this.#defined;
  }

  /** `model.member`. */
  ref(word: string): LookupResult<MemberRef> {
    const [first = '', second = '', ...more] = word.split('.');
    const visibility = this.#visibility;
    // A word alone is a metric, and none that the caller may know.
    if (second === '' && visibility?.hidesModels === true) return bad(noAccess(word));
    if (more.length > 0 || second === '')
      return bad(diagnostic('semantic.bad-reference', { reference: word }));
    const named = visibility === undefined ? namedModel(this.#index, first) : visibility.named(first);
    if (named === undefined) return bad(this.#unknownModel(first));
    const members = visibility === undefined ? named.model.members : visibility.members(named.model);
    const member = members.get(second.toLowerCase());
    if (member === undefined) {
      const hint = this.#hint(second, () => [...members.values()].map(({ name }) => name));
      return bad(
        diagnostic(
          'semantic.unknown-member',
          { member: word, model: named.model.name },
          { hint: hint?.replace('mean ', `mean ${first}.`) },
        ),
      );
    }
    this.#named?.add(`${named.model.name}.${member.name}`);
    return { ok: true, value: { word, named, member } };
  }

  /** Permission first: a caller from whom a name is hidden does not learn whether it exists. */
  #unknownModel(name: string): Diagnostic {
    const visibility = this.#visibility;
    if (visibility?.hidesModels === true) return noAccess(name);
    const names = (): readonly string[] =>
      visibility?.names() ?? [...this.#index.models.keys(), ...this.#index.metrics.keys()];
    return diagnostic('semantic.unknown-semantic-model', { name }, { hint: this.#hint(name, names) });
  }

  #hint(word: string, known: () => readonly string[]): string | undefined {
    return this.#hints++ < HINTS_MAX ? didYouMean(word, known()) : undefined;
  }

  /** A word alone: a metric that does not exist, or a member without its semantic model. */
  #lone(word: string, kind: IndexedMember['kind']): Diagnostic {
    const visibility = this.#visibility;
    const metrics = kind === 'measure' ? this.#metricNames() : [];
    const members = [...this.#index.models.values()].flatMap((model) =>
      [...(visibility?.members(model) ?? model.members).values()]
        .filter((member) => member.kind === kind)
        .map(({ name }) => `${model.name}.${name}`),
    );
    const meant = this.#hints++ < HINTS_MAX ? meantBy(word, { members, metrics }) : undefined;
    if (kind !== 'measure') return diagnostic('semantic.bad-reference', { reference: word }, { hint: meant });
    const known = metrics.length === 0 ? undefined : `the metrics are ${listed(metrics.toSorted())}`;
    return diagnostic('semantic.unknown-metric', { name: word }, { hint: meant ?? known });
  }

  /** A member of an expected sort. */
  refOf(word: string, kind: IndexedMember['kind']): LookupResult<MemberRef> {
    if (!word.includes('.') && this.#visibility?.hidesModels !== true) return bad(this.#lone(word, kind));
    const ref = this.ref(word);
    if (!ref.ok || ref.value.member.kind === kind) return ref;
    return bad(wrongMember(ref.value, kind));
  }

  measure(word: string): LookupResult<ResolvedMeasure> {
    let asked = this.#measures.get(word);
    if (asked === undefined) {
      asked = this.#readMeasure(word);
      this.#measures.set(word, asked);
    }
    return asked;
  }

  #readMeasure(word: string): LookupResult<ResolvedMeasure> {
    const metric = this.#metricOf(word);
    if (metric === undefined) {
      const ref = this.refOf(word, 'measure');
      return ref.ok ? { ok: true, value: { kind: 'measure', word, ref: ref.value } } : ref;
    }
    const [, second = 'measure', ...more] = word.split('.');
    const isOwn = ['measure', metric.name.value.toLowerCase()].includes(second.toLowerCase());
    return isOwn && more.length === 0
      ? { ok: true, value: { kind: 'metric', word, metric } }
      : bad(this.#unknownColumn(word, metric));
  }

  /** A dimension, with a granularity as third part or given apart. */
  dimension(word: string, given?: string): LookupResult<ResolvedMember> {
    const key = given === undefined ? word : `${word} ${given}`;
    let asked = this.#dimensions.get(key);
    if (asked === undefined) {
      asked = this.#readDimension(word, given);
      this.#dimensions.set(key, asked);
    }
    return asked;
  }

  #readDimension(word: string, given?: string): LookupResult<ResolvedMember> {
    const parts = word.split('.');
    const granularity = given ?? (parts.length === 3 ? parts[2] : undefined);
    const base = parts.length === 3 && given === undefined ? parts.slice(0, 2).join('.') : word;
    const metric = this.#metricOf(base);
    if (metric !== undefined) return this.#metricDimension(base, metric, { word, granularity });
    const [first = ''] = parts;
    const isTimeOfMetric = /^[^.]+\.ts$/i.test(base) && this.#visibility?.hidesModels !== true;
    if (isTimeOfMetric && namedModel(this.#index, first) === undefined)
      return bad(this.#lone(first, 'measure'));
    const ref = this.refOf(base, 'dimension');
    return ref.ok ? this.#withGrain({ word, ref: ref.value }, granularity) : ref;
  }

  #metricNames(): readonly string[] {
    const { metrics } = this.#index;
    return [...metrics].flatMap(([key, metric]) =>
      this.#visibility === undefined || this.#visibility.metric(key) !== undefined ? [metric.name.value] : [],
    );
  }

  #metricOf(word: string): Metric | undefined {
    const key = (word.split('.')[0] ?? '').toLowerCase();
    if (this.#visibility !== undefined) {
      const metric = this.#visibility.metric(key);
      if (metric !== undefined) this.#named?.add(metric.name.value);
      return metric;
    }
    return this.#index.models.has(key) ? undefined : this.#index.metrics.get(key);
  }

  #metricDimension(
    base: string,
    metric: Metric,
    asked: { readonly word: string; readonly granularity: string | undefined },
  ): LookupResult<ResolvedMember> {
    const [, name = ''] = base.split('.');
    const isKnown = this.#columnsOf(metric).some((each) => each.toLowerCase() === name.toLowerCase());
    const target = isKnown ? metricColumn(this.#index, metric, name) : undefined;
    if (target === undefined) return bad(this.#unknownColumn(asked.word, metric));
    const ref = this.defined.refOf(target, 'dimension');
    if (!ref.ok) return ref;
    const isTime = name.toLowerCase() === 'ts';
    const granularity = asked.granularity ?? (isTime ? metricGranularity(this.#index, metric) : undefined);
    return this.#withGrain(
      { word: asked.word, ref: ref.value, metricColumn: name.toLowerCase() },
      granularity,
    );
  }

  #withGrain(member: ResolvedMember, granularity: string | undefined): LookupResult<ResolvedMember> {
    if (granularity === undefined) return { ok: true, value: member };
    const grain = grainOf(member.ref, granularity);
    if (grain !== undefined) return { ok: true, value: { ...member, grain, granularity } };
    return bad(
      diagnostic(
        'semantic.unknown-granularity',
        { name: granularity, dimension: member.ref.word },
        {
          hint: didYouMean(granularity, [
            ...GRANULARITIES,
            ...ownGrains(member.ref).map(({ name }) => name.value),
          ]),
        },
      ),
    );
  }

  #columnsOf(metric: Metric): readonly string[] {
    return this.#visibility === undefined
      ? ['ts', 'measure', ...metric.dimensions.map(({ name }) => name)]
      : visibleColumns(this.#index, this.#visibility, metric);
  }

  #unknownColumn(word: string, metric: Metric): Diagnostic {
    const known = this.#columnsOf(metric);
    const [first = '', second = ''] = word.split('.');
    const hint = didYouMean(second, known);
    return diagnostic(
      'semantic.unknown-member',
      { member: word, model: metric.name.value },
      { hint: hint?.replace('mean ', `mean ${first}.`) },
    );
  }
}

/** Names of the columns of a metric's table that the caller may know. */
export function visibleColumns(
  index: SemanticIndex,
  visibility: Visibility,
  metric: Metric,
): readonly string[] {
  return visibility.metricColumns(metric, (each) => metricColumn(index, each, 'ts'));
}

/** What a metric means by a column name: `model.member`. Derived metrics take their time from their inputs. */
export function metricColumn(index: SemanticIndex, metric: Metric, name: string): string | undefined {
  const key = name.toLowerCase();
  if (key !== 'ts') return metric.dimensions.find((each) => each.name.toLowerCase() === key)?.ref.value;
  return firstOf(index, metric, ({ ts }) => ts?.value);
}

function metricGranularity(index: SemanticIndex, metric: Metric): string | undefined {
  return firstOf(index, metric, ({ granularity }) => granularity?.value);
}

function firstOf(
  index: SemanticIndex,
  metric: Metric,
  read: (metric: Metric) => string | undefined,
  depth = 0,
): string | undefined {
  const own = read(metric);
  if (own !== undefined || metric.calculation.kind !== 'derived' || depth > DEPTH_MAX) return own;
  for (const { ref } of metric.calculation.inputs) {
    const input = index.metrics.get(ref.value.toLowerCase());
    const found = input && firstOf(index, input, read, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

const DEPTH_MAX = 50;

function ownGrains({ member }: MemberRef) {
  return member.kind === 'dimension' ? (member.dimension?.granularities ?? []) : [];
}

function grainOf(ref: MemberRef, name: string): Grain | undefined {
  const key = name.toLowerCase();
  const granularity = ownGrains(ref).find((each) => each.name.value.toLowerCase() === key);
  if (granularity !== undefined) return { kind: 'custom', granularity };
  const unit = GRANULARITIES.find((each) => each === key);
  return unit && { kind: 'calendar', unit };
}

function wrongMember({ word, member, named }: MemberRef, expected: string): Diagnostic {
  return diagnostic('semantic.wrong-member', {
    name: word,
    found: `a ${member.kind}`,
    model: named.model.name,
    expected: `a ${expected}`,
  });
}
