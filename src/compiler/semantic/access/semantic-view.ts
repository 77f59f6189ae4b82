import type { Environment } from '../../../domain/environment.ts';
import type { Metric } from '../../../domain/metric.ts';
import type { ViewNaming } from '../../../domain/relation.ts';
import { GRANULARITIES } from '../../../domain/semantic-model.ts';
import type { Caller } from '../../../domain/semantic-query.ts';
import type { Semantics } from '../../../domain/semantics.ts';
import type { VisibleMember, VisibleMetric, VisibleSemantics } from '../../../domain/visible-semantics.ts';
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { isTime } from '../bind-filter.ts';
import { compileSemantic } from '../compile-semantic.ts';
import type { IndexedMember, IndexedModel } from '../indexed-model.ts';
import { metricColumn, visibleColumns } from '../member-lookup.ts';
import { namedModel } from '../name-paths.ts';
import { indexOf, type SemanticIndex } from '../semantic-index.ts';
import { readerOf, type Visibility, visibilityOf } from './visibility.ts';
import { visibleJoins } from './visible-joins.ts';

/** Where the views are, and what relative dates count from. */
export interface ViewPlace {
  readonly naming: ViewNaming;
  readonly dialect: Dialect;
  readonly now: number;
}

/** Works out what a caller sees of semantics: members with their types, joins as a tree from each semantic model, metrics. */
export class SemanticView {
  readonly #semantics: Semantics;
  readonly #place: ViewPlace;
  readonly #caller: Caller;
  readonly #index: SemanticIndex;
  readonly #visibility: Visibility;

  constructor(semantics: Semantics, caller: Caller, place: ViewPlace) {
    this.#semantics = semantics;
    this.#place = place;
    this.#caller = caller;
    this.#index = indexOf(semantics);
    this.#visibility = visibilityOf(this.#index, caller);
  }

  whole({ name, promotionId }: Pick<Environment, 'name' | 'promotionId'>): VisibleSemantics {
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
    const { naming, dialect, now } = this.#place;
    for (const dimension of [() => undefined, time]) {
      const word = dimension();
      const result = compileSemantic(
        this.#semantics,
        {
          query: { measures: [measure], dimensions: word === undefined ? [] : [word] },
          caller: this.#caller,
          now,
        },
        { naming, dialect },
      );
      if (result.ok) return result.compiled.columns.at(-1)?.type ?? 'UNKNOWN';
    }
    return 'UNKNOWN';
  }
}

const described = (description: string | undefined): { readonly description?: string } =>
  description === undefined ? {} : { description };
