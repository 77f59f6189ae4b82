/**
 * What a change reaches beyond models:
 *
 *   changed columns ─▶ columns made of them (lineage) ─▶ members of semantic models that name them ─▶ metrics of those members
 */
import type { Impact } from '../../domain/impact.ts';
import type { Metric } from '../../domain/metric.ts';
import type { Model } from '../../domain/model.ts';
import type { Change } from '../../domain/plan.ts';
import type { Project } from '../../domain/project.ts';
import type { SemanticModel } from '../../domain/semantic-model.ts';

/** Everything named by people that the changes reach, by columns and members and not merely by tables. */
export function impactOf(
  project: Pick<Project, 'models' | 'semanticModels' | 'metrics'>,
  changes: readonly Change[],
): readonly Impact[] {
  const reached = membersReached(
    project.semanticModels,
    touchedColumns(project, changes),
    changedMembers(changes),
  );
  if (reached.size === 0 && !changes.some(({ kind }) => kind === 'metric')) return [];
  const own = changedMembers(changes);
  const semantics = project.semanticModels.flatMap((semantic): readonly Impact[] => {
    const name = semantic.name.value;
    const members = [...reached.keys()]
      .filter((key) => key.startsWith(`${name}.`) && !own.has(key))
      .map((key) => key.slice(name.length + 1));
    if (members.length === 0) return [];
    const through = new Set(members.flatMap((member) => [...(reached.get(`${name}.${member}`) ?? [])]));
    return [{ kind: 'semantic', name, members, through: [...through] }];
  });
  return [...semantics, ...metricsReading(project.metrics, reached, changedMetrics(changes))];
}

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

/** Columns that a change alters or removes, and those computed from them, by model. */
function touchedColumns(
  project: Pick<Project, 'models'>,
  changes: readonly Change[],
): Map<string, Set<string>> {
  const touched = new Map<string, Set<string>>();
  const changed = new Map(
    changes.filter(({ kind }) => kind === 'model').map((change) => [change.name, change]),
  );
  for (const model of project.models) {
    const change = changed.get(model.name);
    const own = change === undefined ? [] : ownColumns(model, change);
    const inherited = model.lineage
      .filter(({ sources }) => sources.some(({ model: from, column }) => touched.get(from)?.has(column)))
      .map(({ column }) => column);
    if (own.length + inherited.length > 0) touched.set(model.name, new Set([...own, ...inherited]));
  }
  for (const { name, columns } of changed.values())
    if (columns.removed.length > 0)
      touched.set(name, new Set([...(touched.get(name) ?? []), ...columns.removed]));
  return touched;
}

/** A direct change that names no columns changes rows, so all of them. */
function ownColumns(model: Model, { change, category, columns }: Change): readonly string[] {
  if (change !== 'direct' || category === 'metadata') return [];
  const named = [...columns.changed, ...columns.removed];
  if (named.length > 0 || columns.added.length > 0) return named;
  return category === 'non-breaking' ? [] : model.columns.map(({ name }) => name);
}

/** By `model.member`: the columns, or changed members, through which it is reached; members over members however deep. */
export function membersReached(
  semantics: readonly SemanticModel[],
  touched: ReadonlyMap<string, ReadonlySet<string>>,
  changed: ReadonlySet<string>,
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
      const words = new Set(texts.flatMap((text) => text.toLowerCase().match(/[a-z_][a-z0-9_$]*/g) ?? []));
      const own = [...columns].filter((column) => words.has(column.toLowerCase()));
      add(
        key,
        own.map((column) => `${model}.${column}`),
      );
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

/** The SQL of each member; of a dimension without any, the column it is. */
function textsOf({
  dimensions = [],
  measures,
  segments,
}: SemanticModel): readonly (readonly [string, readonly string[]])[] {
  return [
    ...dimensions.map(({ name, expression }) => [name.value, [expression?.value ?? name.value]] as const),
    ...measures.map(
      ({ name, expression, filters }) =>
        [
          name.value,
          [...(expression === undefined ? [] : [expression.value]), ...filters.map(({ value }) => value)],
        ] as const,
    ),
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
