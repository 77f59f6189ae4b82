/*
 * The semantics of an environment as one caller may know them: members with their types, joins as a tree from each semantic
 * model, metrics. What a policy denies is absent; masked members are there. Doors that describe themselves are made from it.
 */
import { metricColumn } from '../compiler/semantic/asked-members.ts';
import { isTime } from '../compiler/semantic/bind-filter.ts';
import { readerOf } from '../compiler/semantic/compile-query.ts';
import type { IndexedMember, IndexedModel } from '../compiler/semantic/indexed-model.ts';
import { namedModel } from '../compiler/semantic/name-paths.ts';
import { accessOf } from '../compiler/semantic/policies.ts';
import type { SemanticIndex } from '../compiler/semantic/semantic-index.ts';
import type { Metric } from '../domain/metric.ts';
import type { Identity } from '../domain/principal.ts';
import { GRANULARITIES } from '../domain/semantic-model.ts';
import type { Caller } from '../domain/semantic-query.ts';
import { appliedEnvironment, environmentOf } from './open-world.ts';
import type { Product } from './platform.ts';
import { indexOf, type Semantics } from './query.ts';
import { compileSemantic } from './query-semantic.ts';
import { callerOf } from './readable-models.ts';
import type { StatementContext } from './statement-context.ts';
import { homeOf } from './statement-home.ts';
import { type VisibleJoin, visibleJoins } from './visible-joins.ts';

/** The same object for callers who see the same of the same promotion. */
export interface VisibleSemantics {
  readonly environment: string;
  readonly promotionId: string;
  readonly models: readonly VisibleModel[];
  readonly metrics: readonly VisibleMetric[];
}

export interface VisibleModel {
  readonly name: string;
  readonly description?: string;
  readonly members: readonly VisibleMember[];
  readonly joins: readonly VisibleJoin[];
}

export interface VisibleMember {
  readonly name: string;
  readonly kind: IndexedMember['kind'];
  /** As the engine spells it; UNKNOWN when only the rows can tell. */
  readonly type: string;
  readonly description?: string;
  /** Of times: the names of all buckets; else empty. */
  readonly granularities: readonly string[];
}

export interface VisibleMetric {
  readonly name: string;
  readonly description?: string;
  readonly type: string;
  readonly ts?: VisibleMember;
  /** By the names they have in the metric. */
  readonly dimensions: readonly VisibleMember[];
}

/** Callers see things in at most so many ways before the first ones are forgotten. */
const VIEWS_MAX = 200;

const views = new WeakMap<Semantics, Map<string, VisibleSemantics>>();

/** What the caller may know of an environment as it is now; `environment.unknown` when there is none. */
export async function visibleSemantics(
  product: Product,
  asker: Identity,
  environment?: string,
): Promise<VisibleSemantics> {
  const { contexts } = homeOf(product);
  const { world } = product;
  const { name, promotionId } = await appliedEnvironment(world, environmentOf(world.config, environment));
  const known = await contexts.of(name);
  const context = known.environment.promotionId === promotionId ? known : await contexts.fresh(name);
  const { semantics } = context;
  let own = views.get(semantics);
  if (own === undefined) {
    own = new Map();
    views.set(semantics, own);
  }
  const caller = callerOf(asker);
  const key = viewKey(semantics, caller);
  let view = own.get(key);
  if (view === undefined) {
    view = new SemanticView(product, context, caller).whole();
    own.set(key, view);
    const [oldest] = own.keys();
    if (own.size > VIEWS_MAX && oldest !== undefined) own.delete(oldest);
  }
  return view;
}

/** Groups that no policy names make no difference. */
function viewKey({ semanticModels }: Semantics, { groups, isUnrestricted }: Caller): string {
  if (isUnrestricted) return 'all';
  const named = new Set(semanticModels.flatMap(({ policies }) => policies.map(({ group }) => group.value)));
  return JSON.stringify([...new Set(groups)].filter((group) => named.has(group)).sort());
}

class SemanticView {
  readonly #product: Product;
  readonly #context: StatementContext;
  readonly #caller: Caller;
  readonly #index: SemanticIndex;

  constructor(product: Product, context: StatementContext, caller: Caller) {
    this.#product = product;
    this.#context = context;
    this.#caller = caller;
    this.#index = indexOf(context.semantics);
  }

  whole(): VisibleSemantics {
    const { name, promotionId } = this.#context.environment;
    const models = [...this.#index.models.values()].filter((model) => !this.#isDenied(model));
    const joins = visibleJoins(this.#index, models);
    const isOfModel = (metric: Metric): boolean => this.#index.models.has(metric.name.value.toLowerCase());
    return {
      environment: name,
      promotionId,
      models: models.map((model) => ({
        name: model.name,
        ...described(model.semantic.description),
        members: [...model.members.values()].flatMap((member) => this.#member(model, member) ?? []),
        joins: joins.get(model.name) ?? [],
      })),
      // A semantic model hides a metric of its name everywhere.
      metrics: [...this.#index.metrics.values()]
        .filter((metric) => !isOfModel(metric))
        .flatMap((metric) => this.#metric(metric) ?? []),
    };
  }

  #isDenied(model: IndexedModel): boolean {
    return accessOf(model, this.#caller).isDenied;
  }

  #member(model: IndexedModel, member: IndexedMember): VisibleMember | undefined {
    const facts =
      member.kind === 'measure'
        ? member.measure
        : member.kind === 'segment'
          ? member.segment
          : member.dimension;
    if (facts?.isPublic === false) return undefined;
    const named = { name: member.name, kind: member.kind, ...described(facts?.description) };
    if (member.kind === 'segment') return { ...named, type: 'BOOLEAN', granularities: [] };
    if (member.kind === 'dimension') return this.#dimension(model, member.name);
    const type = this.#typeOf(`${model.name}.${member.name}`, () => {
      const time = [...model.members.values()].find(
        ({ kind, name }) => kind === 'dimension' && isTime(this.#rowType(model, name) ?? ''),
      );
      return time && `${model.name}.${time.name}.day`;
    });
    return type === undefined ? undefined : { ...named, type, granularities: [] };
  }

  #dimension(model: IndexedModel, name: string): VisibleMember | undefined {
    const member = model.members.get(name.toLowerCase());
    if (member?.kind !== 'dimension') return undefined;
    const type = this.#rowType(model, name);
    if (type === undefined) return undefined;
    const own = member.dimension?.granularities.map((each) => each.name.value) ?? [];
    const calendar = GRANULARITIES.filter((each) => !own.some((other) => other.toLowerCase() === each));
    return {
      name: member.name,
      kind: 'dimension',
      type,
      ...described(member.dimension?.description),
      granularities: isTime(type) ? [...calendar, ...own] : [],
    };
  }

  /** Undefined when it is computed from something that the caller may not see. */
  #rowType(model: IndexedModel, name: string): string | undefined {
    const row = readerOf(this.#index, { caller: this.#caller }).dimension(model, name);
    const crossed = [...row.slots.values()].flatMap(({ path }) => path.map(({ to }) => to));
    const isHidden = crossed.some((to) => {
      const other = this.#index.models.get(to);
      return other !== undefined && this.#isDenied(other);
    });
    return isHidden ? undefined : row.type;
  }

  #metric(metric: Metric): VisibleMetric | undefined {
    const name = metric.name.value;
    const ts = metricColumn(this.#index, metric, 'ts');
    const type = this.#typeOf(name, () => (ts === undefined ? undefined : `${name}.ts`));
    if (type === undefined) return undefined;
    const time = ts === undefined ? undefined : this.#ref(ts, 'ts');
    return {
      name,
      ...described(metric.description),
      type,
      ...(time === undefined ? {} : { ts: time }),
      dimensions: metric.dimensions.flatMap(({ name: column, ref }) => this.#ref(ref.value, column) ?? []),
    };
  }

  #ref(ref: string, name: string): VisibleMember | undefined {
    const [word = '', member = ''] = ref.split('.');
    const model = namedModel(this.#index, word)?.model;
    if (model === undefined || this.#isDenied(model)) return undefined;
    const dimension = this.#dimension(model, member);
    return dimension && { ...dimension, name };
  }

  /** The type that asking for it would have, by the day where it needs a time; undefined when the caller may not ask. */
  #typeOf(measure: string, time: () => string | undefined): string | undefined {
    for (const dimension of [() => undefined, time]) {
      const word = dimension();
      const result = compileSemantic(
        this.#context.semantics,
        {
          query: { measures: [measure], dimensions: word === undefined ? [] : [word] },
          caller: this.#caller,
          now: this.#product.world.clock.now(),
        },
        { naming: this.#context.naming, dialect: this.#product.world.engine.dialect },
      );
      if (result.ok) return result.compiled.columns.at(-1)?.type ?? 'UNKNOWN';
      if (result.diagnostics.some(({ code }) => code.startsWith('policy.'))) return undefined;
    }
    return 'UNKNOWN';
  }
}

const described = (description: string | undefined): { readonly description?: string } =>
  description === undefined ? {} : { description };
