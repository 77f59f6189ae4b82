/**
 * What a change reaches beyond models:
 *
 *   changed columns ─▶ columns and rows made of them (reached-models.ts) ─▶ members of semantic models that name them ─▶ metrics of those members
 */
import type { Impact, ReachByModel } from '../../domain/impact.ts';
import type { Metric } from '../../domain/metric.ts';
import type { Model } from '../../domain/model.ts';
import type { Change } from '../../domain/plan.ts';
import type { Project } from '../../domain/project.ts';
import type { SemanticModel } from '../../domain/semantic-model.ts';
import { type ReachStart, reachedModels } from './reached-models.ts';

/** Columns and rows of models that the changes reach. */
export const reachOfChanges = (models: readonly Model[], changes: readonly Change[]): ReachByModel =>
  reachedModels(models, startsOf(changes));

/** Members of semantic models that a change of columns or members reaches, and what reaches metrics by the members that they name. */
export function impactOf(
  { semanticModels, metrics }: Pick<Project, 'semanticModels' | 'metrics'>,
  { members: own, metrics: ownMetrics }: ChangedNames,
  reach: ReachByModel,
): { readonly members: readonly Impact[]; readonly metrics: readonly Impact[] } {
  const { columns, whole } = touchedBy(reach);
  const reached = membersReached(semanticModels, { touched: columns, whole, changed: own });
  const members = semanticModels.flatMap((semantic): readonly Impact[] => {
    const name = semantic.name.value;
    const found = [...reached.keys()]
      .filter((key) => key.startsWith(`${name}.`) && !own.has(key))
      .map((key) => key.slice(name.length + 1));
    if (found.length === 0) return [];
    const through = new Set(found.flatMap((member) => [...(reached.get(`${name}.${member}`) ?? [])]));
    return [{ kind: 'semantic', name, members: found, through: [...through] }];
  });
  return { members, metrics: metricsReading(metrics, reached, ownMetrics) };
}

/** Names of columns by model, and models of which all rows may be others. */
function touchedBy(reach: ReachByModel): {
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  readonly whole: ReadonlySet<string>;
} {
  return {
    columns: new Map([...reach].map(([name, { columns }]) => [name.toLowerCase(), new Set(columns.keys())])),
    whole: new Set(
      [...reach].flatMap(([name, { rows }]) => (rows === undefined ? [] : [name.toLowerCase()])),
    ),
  };
}

/** What changes by itself: `semantic.member`, and metrics. */
interface ChangedNames {
  readonly members: ReadonlySet<string>;
  readonly metrics: ReadonlySet<string>;
}

export const changedNames = (changes: readonly Change[]): ChangedNames => ({
  members: changedMembers(changes),
  metrics: changedMetrics(changes),
});

/** Members of semantic models that say something else now, or are gone. */
function changedMembers(changes: readonly Change[]): ReadonlySet<string> {
  return new Set(
    changes.flatMap(({ kind, name, columns }) =>
      kind === 'semantic'
        ? [...columns.changed, ...columns.removed].map(
            (label) => `${name}.${label.slice(label.indexOf(' ') + 1)}`,
          )
        : [],
    ),
  );
}

const changedMetrics = (changes: readonly Change[]): ReadonlySet<string> =>
  new Set(
    changes.flatMap(({ kind, name, change }) => (kind === 'metric' && change === 'direct' ? [name] : [])),
  );

/** What each change of a model does to it by itself, or together with what comes from above where that is proven. */
function startsOf(changes: readonly Change[]): ReadonlyMap<string, ReachStart> {
  return new Map(
    changes
      .filter(({ kind, change }) => kind === 'model' && change !== 'added')
      .map((change) => [change.name, startOf(change)]),
  );
}

function startOf({ change, category, columns: { removed }, proof }: Change): ReachStart {
  const gone = removed.map((name) => [name.toLowerCase(), 'removed'] as const);
  if (change === 'removed') return { rows: 'removed', columns: new Map(gone), isProven: true };
  if (proof === undefined) {
    if (change === 'metadata' || category === 'metadata') return { columns: new Map(), isProven: true };
    const isOwn = change === 'direct';
    return { ...(isOwn ? { rows: 'rows' } : {}), columns: new Map(gone), isProven: false };
  }
  const others = proof.columns.map((name) => [name.toLowerCase(), 'value'] as const);
  return {
    ...(proof.kind === 'rows' ? { rows: 'rows' } : {}),
    columns: new Map([...others, ...gone]),
    isProven: true,
  };
}

/** By `model.member`: the columns, or changed members, through which it is reached; members over members however deep. */
export function membersReached(
  semantics: readonly SemanticModel[],
  {
    touched,
    whole = new Set(),
    changed = new Set(),
  }: {
    readonly touched: ReadonlyMap<string, ReadonlySet<string>>;
    /** Models of which all rows may be others. */
    readonly whole?: ReadonlySet<string>;
    readonly changed?: ReadonlySet<string>;
  },
): ReadonlyMap<string, ReadonlySet<string>> {
  const reached = new Map<string, Set<string>>([...changed].map((key) => [key, new Set([key])]));
  const add = (key: string, through: Iterable<string>): boolean => {
    const known = reached.get(key) ?? new Set();
    const before = known.size;
    for (const each of through) known.add(each);
    if (known.size > 0) reached.set(key, known);
    return known.size > before;
  };
  const members = semantics.flatMap((semantic) => {
    const model = semantic.model.value.toLowerCase();
    const columns = touched.get(model) ?? new Set<string>();
    if (semantic.dimensions === undefined)
      for (const column of columns) add(`${semantic.name.value}.${column}`, [`${model}.${column}`]);
    return textsOf(semantic).map(([name, texts]) => {
      const key = `${semantic.name.value}.${name}`;
      const own = [...columns].filter((column) => isNamed(column.toLowerCase(), texts));
      const through = own.map((column) => `${model}.${column}`);
      add(key, whole.has(model) ? [...through, model] : through);
      const used = texts.flatMap((text) =>
        [...text.matchAll(/\{([^{}]+)\}/g)].map(([, word = '']) => word.trim()),
      );
      // A member may be called like the column it is made of.
      const over = used
        .map((word) => (word.includes('.') ? word : `${semantic.name.value}.${word}`))
        .filter((word) => word !== key);
      return { key, over };
    });
  });
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false;
    for (const { key, over } of members)
      for (const word of over) if (add(key, reached.get(word) ?? [])) isGrowing = true;
  }
  return reached;
}

/** Whether texts may mean a column: as a word, or in quotes. */
function isNamed(column: string, texts: readonly string[]): boolean {
  return texts.some((text) => {
    const lower = text.toLowerCase();
    return /[^\p{L}\p{N}_$]/u.test(column)
      ? lower.includes(column)
      : new Set(lower.match(/[\p{L}\p{N}_$]+/gu) ?? []).has(column);
  });
}

/** The SQL of each member, with the members by which it is folded; of a dimension without any, the column it is. */
function textsOf({
  dimensions = [],
  measures,
  segments,
}: SemanticModel): readonly (readonly [string, readonly string[]])[] {
  return [
    ...dimensions.map(({ name, expression }) => [name.value, [expression?.value ?? name.value]] as const),
    ['count', []] as const,
    ...measures.map(({ name, expression, filters, behavior }) => {
      const folding = [
        ...(behavior?.per ?? []),
        ...(behavior?.timeDimension ? [behavior.timeDimension] : []),
      ];
      const texts = [
        ...(expression === undefined ? [] : [expression.value]),
        ...filters.map(({ value }) => value),
      ];
      return [name.value, [...texts, ...folding.map(({ value }) => `{${value}}`)]] as const;
    }),
    ...segments.map(({ name, expression }) => [name.value, [expression.value]] as const),
  ];
}

/** Metrics over metrics are reached through them, however deep. */
export function metricsReading(
  metrics: readonly Metric[],
  members: ReadonlyMap<string, ReadonlySet<string>>,
  changed: ReadonlySet<string>,
): readonly Impact[] {
  const reached = new Map<string, readonly string[]>([...changed].map((name) => [name, [name]]));
  for (let before = -1; before < reached.size; ) {
    before = reached.size;
    for (const metric of metrics) {
      if (reached.has(metric.name.value)) continue;
      const through = referencesOf(metric).flatMap((ref) => [
        ...(members.get(ref) ?? reached.get(ref) ?? []),
      ]);
      if (through.length > 0) reached.set(metric.name.value, [...new Set(through)]);
    }
  }
  return [...reached]
    .filter(([name]) => !changed.has(name))
    .map(([name, through]) => ({ kind: 'metric', name, members: [], through }));
}

/** Everything a metric names: members and other metrics. */
export function referencesOf({ calculation, ts, dimensions, segments }: Metric): readonly string[] {
  const neighbours = [
    ...(ts === undefined ? [] : [ts.value]),
    ...dimensions.map(({ ref }) => ref.value),
    ...segments.map(({ value }) => value),
  ];
  switch (calculation.kind) {
    case 'simple':
    case 'cumulative':
      return [...neighbours, calculation.measure.value];
    case 'ratio':
      return [...neighbours, calculation.numerator.value, calculation.denominator.value];
    case 'derived':
      return [...neighbours, ...calculation.inputs.map(({ ref }) => ref.value)];
    case 'conversion':
      return [...neighbours, calculation.base.value, calculation.conversion.value, calculation.entity.value];
  }
}
