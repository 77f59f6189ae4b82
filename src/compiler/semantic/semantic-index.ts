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
import { isBridged } from '../load/yaml/join-paths.ts';
import { type FoundPaths, nodesBetween, nodesTowards, simplePaths } from '../load/yaml/simple-paths.ts';
import type { Edge, IndexedColumn, IndexedMember, IndexedModel, Path } from './indexed-model.ts';

/** Everything a member of a query can lead to. Names are lower case. */
export interface SemanticIndex {
  readonly models: ReadonlyMap<string, IndexedModel>;
  readonly metrics: ReadonlyMap<string, Metric>;
  /** The joins that have a name, with the ends of the paths it means: one edge, or the two of a bridge. */
  readonly roles: ReadonlyMap<string, readonly Role[]>;
  /** Ways between two semantic models that visit none twice, the shortest first; remembered. */
  readonly paths: (from: string, to: string) => FoundPaths<Edge>;
  /** Those of them that are to-one all the way, found without the others; remembered. */
  readonly toOnePaths: (from: string, to: string) => FoundPaths<Edge>;
  /** Every semantic model on such a way, the two included. */
  readonly between: (from: string, to: string) => ReadonlySet<string>;
  /** Room for what readers of this index have worked out, by who they are. */
  readonly memory: Map<string, unknown>;
}

export interface Role {
  readonly name: string;
  /** The semantic model it leads to. */
  readonly to: string;
  readonly owner: string;
  /** Edges a path to it may end with. */
  readonly endings: readonly Path[];
}

type Indexed = { -readonly [Key in keyof IndexedModel]: IndexedModel[Key] } & { readonly edges: Edge[] };

export function semanticIndex(
  project: Pick<Project, 'semanticModels' | 'metrics' | 'models'>,
): SemanticIndex {
  const tables = new Map(project.models.map((model) => [model.name, model]));
  const models = new Map<string, Indexed>();
  for (const semantic of project.semanticModels) {
    const key = semantic.name.value.toLowerCase();
    const table = tables.get(semantic.model.value) ?? tables.get(semantic.model.value.toLowerCase());
    if (key !== '' && !models.has(key)) models.set(key, indexModel(semantic, table));
  }
  for (const [from, { semantic }] of models) for (const join of semantic.joins) addEdges(models, from, join);
  const metrics = new Map<string, Metric>();
  for (const metric of project.metrics) metrics.set(metric.name.value.toLowerCase(), metric);
  const remembering = (
    stepsOf: (name: string) => readonly Edge[],
    within: typeof nodesBetween,
  ): SemanticIndex['paths'] => {
    const known = new Map<string, FoundPaths<Edge>>();
    return (start, goal) => {
      const key = `${start}\n${goal}`;
      let found = known.get(key);
      if (found === undefined) {
        found = simplePaths(stepsOf, { start, goal, within: within(stepsOf, start, goal) });
        known.set(key, found);
      }
      return found;
    };
  };
  const edgesOf = (name: string): readonly Edge[] => models.get(name)?.edges ?? [];
  const toOne = new Map([...models].map(([name, { edges }]) => [name, edges.filter((edge) => edge.isToOne)]));
  return {
    models,
    metrics,
    roles: rolesOf(models),
    paths: remembering(edgesOf, nodesBetween),
    toOnePaths: remembering((name) => toOne.get(name) ?? [], nodesTowards),
    between: (from, to) => nodesBetween(edgesOf, from, to),
    memory: new Map(),
  };
}

function indexModel(semantic: SemanticModel, table: Project['models'][number] | undefined): Indexed {
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

function addEdges(
  models: ReadonlyMap<string, Indexed>,
  from: string,
  join: SemanticModel['joins'][number],
): void {
  const to = join.model.value.toLowerCase();
  const target = models.get(to);
  if (target === undefined || to === from || isBridged(join)) return;
  const edge = { role: join.name.value, join, owner: from };
  const { type } = join;
  const isToOne = type === 'many_to_one' || type === 'one_to_one';
  models.get(from)?.edges.push({ ...edge, from, to, isReversed: false, isToOne });
  const isBackToOne = type === 'one_to_many' || type === 'one_to_one';
  target.edges.push({ ...edge, from: to, to: from, isReversed: true, isToOne: isBackToOne });
}

function rolesOf(models: ReadonlyMap<string, IndexedModel>): ReadonlyMap<string, readonly Role[]> {
  const roles = new Map<string, Role[]>();
  for (const [owner, { semantic, edges }] of models)
    for (const join of semantic.joins) {
      const key = join.name.value.toLowerCase();
      const to = join.model.value.toLowerCase();
      const endings = isBridged(join)
        ? bridgeEndings(models, owner, join)
        : edges.filter((edge) => edge.join === join && !edge.isReversed).map((edge) => [edge]);
      if (key === '' || endings.length === 0) continue;
      const known = roles.get(key);
      const role: Role = { name: join.name.value, to, owner, endings };
      if (known === undefined) roles.set(key, [role]);
      else known.push(role);
    }
  return roles;
}

/** Over the bridge there may be several ways, when it joins a side twice. */
function bridgeEndings(
  models: ReadonlyMap<string, IndexedModel>,
  owner: string,
  join: SemanticModel['joins'][number],
): readonly Path[] {
  const bridge = join.through?.value.toLowerCase() ?? '';
  const to = join.model.value.toLowerCase();
  const first = (models.get(owner)?.edges ?? []).filter((edge) => edge.to === bridge);
  const second = (models.get(bridge)?.edges ?? []).filter((edge) => edge.to === to);
  return first.flatMap((a) => second.map((b) => [a, b]));
}

/** Two edges are the same crossing when they have the same text. */
export function edgeKey({ owner, role, isReversed }: Edge): string {
  return `${owner}.${role}${isReversed ? '<' : '>'}`;
}
