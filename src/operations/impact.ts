/**
 * What a change reaches beyond models:
 *
 *   changed columns ─▶ columns made of them (lineage) ─▶ members of semantic models that name them ─▶ metrics of those members
 */
import type { Metric } from '../domain/metric.ts';
import type { Model } from '../domain/model.ts';
import type { Change } from '../domain/plan.ts';
import type { Project } from '../domain/project.ts';
import type { SemanticModel } from '../domain/semantic-model.ts';

/** A semantic model or metric whose numbers a change may move, and the columns through which it does. */
export interface Impact {
  readonly kind: 'semantic' | 'metric';
  readonly name: string;
  /** Members of a semantic model; empty for metrics. */
  readonly members: readonly string[];
  /** `model.column` as changed or computed from what changed, at the semantic model's own table. */
  readonly through: readonly string[];
}

/** Everything named by people that the changes of models reach, by columns and not merely by tables. */
export function impactOf(project: Project, changes: readonly Change[]): readonly Impact[] {
  const touched = touchedColumns(project, changes);
  if (touched.size === 0) return [];
  const members = new Map<string, readonly string[]>();
  const semantics = project.semanticModels.flatMap((semantic): readonly Impact[] => {
    const model = semantic.model.value.toLowerCase();
    const columns = touched.get(model);
    if (columns === undefined) return [];
    const found = membersReading(semantic, columns);
    if (found.members.length === 0) return [];
    for (const member of found.members)
      members.set(
        `${semantic.name.value}.${member}`,
        found.columns.map((column) => `${model}.${column}`),
      );
    const through = found.columns.map((column) => `${model}.${column}`);
    return [{ kind: 'semantic', name: semantic.name.value, members: found.members, through }];
  });
  return [...semantics, ...metricsReading(project.metrics, members)];
}

/** Columns that a change alters or removes, and those computed from them, by model. */
function touchedColumns(project: Project, changes: readonly Change[]): Map<string, Set<string>> {
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

function membersReading(
  semantic: SemanticModel,
  touched: ReadonlySet<string>,
): { readonly members: readonly string[]; readonly columns: readonly string[] } {
  const members: string[] = [];
  const columns = new Set<string>();
  const look = (name: string, texts: readonly string[]): void => {
    const words = new Set(texts.flatMap((text) => text.toLowerCase().match(/[a-z_][a-z0-9_$]*/g) ?? []));
    const found = [...touched].filter((column) => words.has(column.toLowerCase()));
    if (found.length === 0) return;
    members.push(name);
    for (const column of found) columns.add(column);
  };
  if (semantic.dimensions === undefined) for (const column of touched) look(column, [column]);
  for (const { name, expression } of semantic.dimensions ?? [])
    look(name.value, [expression?.value ?? name.value]);
  for (const { name, expression, filters } of semantic.measures)
    look(name.value, [
      ...(expression === undefined ? [] : [expression.value]),
      ...filters.map(({ value }) => value),
    ]);
  return { members, columns: [...columns] };
}

/** Metrics over metrics are reached through them, however deep. */
function metricsReading(
  metrics: readonly Metric[],
  members: ReadonlyMap<string, readonly string[]>,
): readonly Impact[] {
  const reached = new Map<string, readonly string[]>();
  for (let before = -1; before < reached.size; ) {
    before = reached.size;
    for (const metric of metrics) {
      if (reached.has(metric.name.value)) continue;
      const through = referencesOf(metric).flatMap((ref) => members.get(ref) ?? reached.get(ref) ?? []);
      if (through.length > 0) reached.set(metric.name.value, [...new Set(through)]);
    }
  }
  return [...reached].map(([name, through]) => ({ kind: 'metric', name, members: [], through }));
}

function referencesOf({ calculation, ts, dimensions, segments }: Metric): readonly string[] {
  const around = [
    ...(ts === undefined ? [] : [ts.value]),
    ...dimensions.map(({ ref }) => ref.value),
    ...segments.map(({ value }) => value),
  ];
  switch (calculation.kind) {
    case 'simple':
    case 'cumulative':
      return [...around, calculation.measure.value];
    case 'ratio':
      return [...around, calculation.numerator.value, calculation.denominator.value];
    case 'derived':
      return [...around, ...calculation.inputs.map(({ ref }) => ref.value)];
    case 'conversion':
      return [...around, calculation.base.value, calculation.conversion.value, calculation.entity.value];
  }
}
