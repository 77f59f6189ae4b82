/*
 * What compiling needs to know of a project, looked up once per load and shared by all queries.
 *
 *   semantic models ──▶ members, columns, keys by lower-case name
 *   joins ────────────▶ edges, in both directions; a many-to-many is the two edges of its bridge
 *   expressions ──────▶ read when a query first needs them (read-member.ts), then kept
 */
import type { Metric } from '../../domain/metric.ts';
import type { Project } from '../../domain/project.ts';
import type { SemanticModel } from '../../domain/semantic-model.ts';
import type { Guard, Semantics } from '../../domain/semantics.ts';
import { joinGraph, type Role } from '../load/yaml/join-graph.ts';
import { JoinPaths } from '../load/yaml/join-paths.ts';
import { nodesBetween } from '../load/yaml/simple-paths.ts';
import type { IndexedColumn, IndexedMember, IndexedModel } from './indexed-model.ts';

/** Everything a member of a query can lead to. Names are lower case. */
export interface SemanticIndex {
  readonly models: ReadonlyMap<string, IndexedModel>;
  readonly metrics: ReadonlyMap<string, Metric>;
  /** The joins that have a name, with the ends of the paths it means: one edge, or the two of a bridge. */
  readonly roles: ReadonlyMap<string, readonly Role[]>;
  /** Finds the paths between semantic models. */
  readonly joinPaths: JoinPaths;
  /** Every semantic model on a path between two that visits none twice, the two included. */
  readonly between: (from: string, to: string) => ReadonlySet<string>;
  /** Room for what readers of this index have worked out, by who they are. */
  readonly memory: Map<string, unknown>;
}

type Indexed = { -readonly [Key in keyof IndexedModel]: IndexedModel[Key] };

const indexes = new WeakMap<Semantics, SemanticIndex>();

/** The index of semantics, which do not change, made once for all queries of one load. */
export function indexOf(semantics: Semantics): SemanticIndex {
  const index = indexes.get(semantics) ?? semanticIndex(semantics);
  indexes.set(semantics, index);
  return index;
}

export function semanticIndex(project: Semantics): SemanticIndex {
  const tables = new Map(project.models.map((model) => [model.name, model]));
  const models = new Map<string, Indexed>();
  for (const semantic of project.semanticModels) {
    const key = semantic.name.value.toLowerCase();
    const table = tables.get(semantic.model.value) ?? tables.get(semantic.model.value.toLowerCase());
    if (key !== '' && !models.has(key))
      models.set(key, indexModel(semantic, table, project.guards?.get(key)));
  }
  const graph = joinGraph(new Map([...models].map(([name, { semantic }]) => [name, semantic.joins])));
  for (const [name, model] of models) model.edges = graph.edges.get(name) ?? [];
  const metrics = new Map<string, Metric>();
  for (const metric of project.metrics) metrics.set(metric.name.value.toLowerCase(), metric);
  return {
    models,
    metrics,
    roles: graph.roles,
    joinPaths: new JoinPaths(graph),
    between: (from, to) => nodesBetween((name) => graph.edges.get(name) ?? [], from, to),
    memory: new Map(),
  };
}

function indexModel(
  semantic: SemanticModel,
  table: Project['models'][number] | undefined,
  guard: Guard | undefined,
): Indexed {
  const columns = new Map<string, IndexedColumn>();
  for (const { name, type } of table?.columns ?? []) columns.set(name.toLowerCase(), { name, type });
  const grain = table?.grains[0] ?? [];
  return {
    name: semantic.name.value,
    semantic,
    model: table?.name ?? semantic.model.value,
    dialect: table?.dialect ?? 'duckdb',
    columns,
    knowsColumns: table?.hasAllColumns === true,
    key: semantic.primaryKey.length > 0 ? semantic.primaryKey.map(({ value }) => value) : grain,
    members: membersOf(semantic, columns),
    edges: [],
    policySets: [semantic.policies, ...(typeof guard === 'object' ? [guard] : [])].filter(
      ({ length }) => length > 0,
    ),
    ...(typeof guard === 'function' ? { isClosedTo: guard } : {}),
  };
}

function membersOf(
  semantic: SemanticModel,
  columns: ReadonlyMap<string, IndexedColumn>,
): ReadonlyMap<string, IndexedMember> {
  const members = new Map<string, IndexedMember>();
  const add = (member: IndexedMember): void => {
    const key = member.name.toLowerCase();
    if (key !== '' && !members.has(key)) members.set(key, member);
  };
  for (const measure of semantic.measures) add({ kind: 'measure', name: measure.name.value, measure });
  for (const dimension of semantic.dimensions ?? [])
    add({
      kind: 'dimension',
      name: dimension.name.value,
      dimension,
      ...(dimension.type === undefined ? {} : { declaredType: dimension.type }),
    });
  for (const segment of semantic.segments) add({ kind: 'segment', name: segment.name.value, segment });
  if (semantic.dimensions === undefined)
    for (const { name } of columns.values()) add({ kind: 'dimension', name });
  add({ kind: 'measure', name: 'count' });
  return members;
}
