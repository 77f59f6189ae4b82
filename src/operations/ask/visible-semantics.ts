/*
 * The semantics of an environment as one caller may know them: members with their types, joins as a tree from each semantic
 * model, metrics. What a policy denies is absent; masked members are there. Doors that describe themselves are made from it.
 */
import { readerOf, type Visibility, visibilityOf } from '../../compiler/semantic/access/visibility.ts';
import { metricColumn, visibleColumns } from '../../compiler/semantic/asked-members.ts';
import { isTime } from '../../compiler/semantic/bind-filter.ts';
import type { IndexedMember, IndexedModel } from '../../compiler/semantic/indexed-model.ts';
import { namedModel } from '../../compiler/semantic/name-paths.ts';
import type { SemanticIndex } from '../../compiler/semantic/semantic-index.ts';
import type { Metric } from '../../domain/metric.ts';
import type { Identity } from '../../domain/principal.ts';
import { GRANULARITIES } from '../../domain/semantic-model.ts';
import type { Caller } from '../../domain/semantic-query.ts';
import { askedEnvironment, callerOf } from '../access/callers.ts';
import type { Product } from '../platform.ts';
import { indexOf, type Semantics } from './query.ts';
import { compileSemantic } from './query-semantic.ts';
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
  /** As the engine spells it; UNKNOWN when only the rows show it. */
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
  const context = await homeOf(product).contexts.current(askedEnvironment(product, asker, environment));
  const { semantics } = context;
  let own = views.get(semantics);
  if (own === undefined) {
    own = new Map();
    views.set(semantics, own);
  }
  const caller = callerOf(product, asker);
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

/** Groups that no policy names make no difference; models that are opened do where another environment's policies hold. */
function viewKey(semantics: Semantics, { groups, isUnrestricted, models = new Set() }: Caller): string {
  if (isUnrestricted) return 'all';
  const indexed = [...indexOf(semantics).models.values()];
  if (indexed.some(({ isClosedTo }) => isClosedTo !== undefined))
    return JSON.stringify([[...groups].sort(), [...models].sort()]);
  const named = new Set(
    indexed.flatMap(({ policySets }) => policySets.flat().map(({ group }) => group.value)),
  );
  return JSON.stringify([...new Set(groups)].filter((group) => named.has(group)).sort());
}

class SemanticView {
  readonly #product: Product;
  readonly #context: StatementContext;
  readonly #caller: Caller;
  readonly #index: SemanticIndex;
  readonly #visibility: Visibility;

  constructor(product: Product, context: StatementContext, caller: Caller) {
    this.#product = product;
    this.#context = context;
    this.#caller = caller;
    this.#index = indexOf(context.semantics);
    this.#visibility = visibilityOf(this.#index, caller);
  }

  whole(): VisibleSemantics {
    const { name, promotionId } = this.#context.environment;
    const models = [...this.#index.models.values()].filter((model) => !this.#visibility.isHidden(model));
    const joins = visibleJoins(this.#index, models);
    return {
      environment: name,
      promotionId,
      models: models.map((model) => ({
        name: model.name,
        ...described(model.semantic.description),
        members: [...this.#visibility.members(model).values()].map((member) => this.#member(model, member)),
        joins: joins.get(model.name) ?? [],
      })),
      metrics: [...this.#index.metrics.keys()].flatMap((name) => {
        const metric = this.#visibility.metric(name);
        return metric === undefined ? [] : [this.#metric(metric)];
      }),
    };
  }

  #member(model: IndexedModel, member: IndexedMember): VisibleMember {
    if (member.kind === 'dimension') return this.#dimension(model, member);
    const facts = member.kind === 'measure' ? member.measure : member.segment;
    const named = { name: member.name, kind: member.kind, ...described(facts?.description) };
    if (member.kind === 'segment') return { ...named, type: 'BOOLEAN', granularities: [] };
    const type = this.#typeOf(`${model.name}.${member.name}`, () => {
      const time = [...this.#visibility.members(model).values()].find(
        ({ kind, name }) => kind === 'dimension' && isTime(this.#rowType(model, name)),
      );
      return time && `${model.name}.${time.name}.day`;
    });
    return { ...named, type, granularities: [] };
  }

  #dimension(
    model: IndexedModel,
    member: Extract<IndexedMember, { readonly kind: 'dimension' }>,
  ): VisibleMember {
    const type = this.#rowType(model, member.name);
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

  #rowType(model: IndexedModel, name: string): string {
    return readerOf(this.#index, { caller: this.#caller }).dimension(model, name).type;
  }

  #metric(metric: Metric): VisibleMetric {
    const name = metric.name.value;
    const columns = new Set(visibleColumns(this.#index, this.#visibility, metric));
    const ts = columns.has('ts') ? metricColumn(this.#index, metric, 'ts') : undefined;
    const type = this.#typeOf(name, () => (ts === undefined ? undefined : `${name}.ts`));
    const time = ts === undefined ? undefined : this.#ref(ts, 'ts');
    return {
      name,
      ...described(metric.description),
      type,
      ...(time === undefined ? {} : { ts: time }),
      dimensions: metric.dimensions.flatMap(({ name: column, ref }) =>
        columns.has(column) ? (this.#ref(ref.value, column) ?? []) : [],
      ),
    };
  }

  #ref(ref: string, name: string): VisibleMember | undefined {
    const [word = '', member = ''] = ref.split('.');
    const model = namedModel(this.#index, word)?.model;
    const found = model?.members.get(member.toLowerCase());
    if (model === undefined || found?.kind !== 'dimension') return undefined;
    return { ...this.#dimension(model, found), name };
  }

  /** The type that asking for it would have, by the day where it needs a time. */
  #typeOf(measure: string, time: () => string | undefined): string {
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
    }
    return 'UNKNOWN';
  }
}

const described = (description: string | undefined): { readonly description?: string } =>
  description === undefined ? {} : { description };
