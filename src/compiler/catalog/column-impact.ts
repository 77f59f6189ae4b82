/*
 * What would become of everything below a thing, if that thing changed: columns, members, metrics.
 *
 *   column ─▶ columns made of it (lineage) ─▶ … ─▶ members of semantic models that name them ─▶ metrics of those members
 *          └▶ all columns of a model that filters, groups or joins by it (its rows are others), and of every model over such rows
 *
 * A column that is dropped or renamed breaks every model and member that names it: a model that reads it cannot be built, so all its columns
 * break with it. A model that takes every column there is loses that one only.
 */
import type { ImpactFocus, ImpactGraph, ImpactNode, SupposedChange } from '../../domain/impact.ts';
import type { Model } from '../../domain/model.ts';
import type { Project } from '../../domain/project.ts';
import type { SemanticModel } from '../../domain/semantic-model.ts';
import { membersReached, metricsReading, referencesOf } from './impact.ts';

/** Nodes by column, and models of which all rows may be others. */
type Touched = Map<string, Map<string, ImpactNode>>;
type Whole = Set<string>;

/** Everything below the focus, the nearest first; not what changes itself. */
export function columnImpact(
  project: Pick<Project, 'models' | 'semanticModels' | 'metrics'>,
  { focus, change }: { readonly focus: ImpactFocus; readonly change: SupposedChange },
): ImpactGraph {
  const effect = change === 'drop' || change === 'rename' ? 'breaks' : 'changes';
  const edges = new Map<string, { readonly from: string; readonly to: string }>();
  const link = (from: string, to: string): void => void edges.set(`${from}\0${to}`, { from, to });
  const touched: Touched = new Map();
  const whole: Whole = new Set();
  const { columns } = focus;
  if (columns !== undefined)
    touched.set(
      columns.model,
      new Map(
        columns.names.map((name) => [
          name.toLowerCase(),
          columnNode(columns.model, name, { effect, distance: 0 }),
        ]),
      ),
    );
  for (const model of project.models)
    if (model.name !== columns?.model) touchModel(model, { touched, whole }, link);
  const found = [...touched.values()].flatMap((nodes) => [...nodes.values()]);
  const members = memberNodes(project.semanticModels, { touched, whole, focus, effect, link });
  const byMember = new Map(members.map((node) => [`${node.name}.${node.member}`, node]));
  const metrics = metricNodes(project.metrics, { byMember, metric: focus.metric, effect, link });
  const nodes = [...found, ...members, ...metrics].filter(({ distance }) => distance > 0);
  return {
    nodes: nodes.sort((a, b) => a.distance - b.distance || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)),
    edges: [...edges.values()],
  };
}

const columnNode = (
  name: string,
  column: string,
  more: Pick<ImpactNode, 'effect' | 'distance'>,
): ImpactNode => ({ id: `${name}.${column.toLowerCase()}`, kind: 'column', name, column, ...more });

type Link = (from: string, to: string) => void;

function touchModel(
  model: Model,
  { touched, whole }: { readonly touched: Touched; readonly whole: Whole },
  link: Link,
): void {
  const own = new Map<string, ImpactNode>();
  const add = (column: string, from: ImpactNode, effect: ImpactNode['effect']): void => {
    const key = column.toLowerCase();
    const before = own.get(key);
    const node = columnNode(model.name, column, {
      effect: effect === 'breaks' || before?.effect === 'breaks' ? 'breaks' : 'changes',
      distance: Math.min(before?.distance ?? Number.MAX_SAFE_INTEGER, from.distance + 1),
    });
    own.set(key, node);
    link(from.id, node.id);
  };
  for (const [dependency, read] of Object.entries(model.reads)) {
    const above = touched.get(dependency);
    if (above === undefined) continue;
    for (const [name, from] of above) {
      const made = model.lineage.filter(({ sources }) =>
        sources.some((source) => source.model === dependency && source.column.toLowerCase() === name),
      );
      const isNamed = read !== '*' && read.some((column) => column.toLowerCase() === name);
      const decides = model.deciding?.[dependency] ?? [];
      const isDecided = decides === '*' || decides.some((column) => column.toLowerCase() === name);
      // It cannot be built any more, or has other rows.
      const isWhole =
        isDecided || whole.has(dependency) || (isNamed && (from.effect === 'breaks' || made.length === 0));
      for (const { column } of made) add(column, from, from.effect);
      if (!isWhole) continue;
      whole.add(model.name);
      for (const { name: column } of model.columns) add(column, from, from.effect);
    }
  }
  if (own.size > 0) touched.set(model.name, own);
}

function memberNodes(
  semantics: readonly SemanticModel[],
  {
    touched,
    whole,
    focus,
    effect,
    link,
  }: {
    readonly touched: Touched;
    readonly whole: Whole;
    readonly focus: ImpactFocus;
    readonly effect: ImpactNode['effect'];
    readonly link: Link;
  },
): readonly ImpactNode[] {
  const names = new Map([...touched].map(([model, nodes]) => [model, new Set(nodes.keys())]));
  const changed = new Set(focus.members ?? []);
  const reached = membersReached(semantics, { touched: names, whole, changed });
  const kinds = new Map(semantics.flatMap((semantic) => kindsOf(semantic)));
  const nodeOf = (through: string): Pick<ImpactNode, 'id' | 'effect' | 'distance'> | undefined => {
    if (whole.has(through))
      return [...(touched.get(through)?.values() ?? [])].sort((a, b) => a.distance - b.distance)[0];
    const dot = through.lastIndexOf('.');
    const column = touched.get(through.slice(0, dot))?.get(through.slice(dot + 1).toLowerCase());
    return column ?? (changed.has(through) ? { id: `semantic:${through}`, effect, distance: 0 } : undefined);
  };
  return [...reached].map(([key, through]): ImpactNode => {
    const [name = '', member = ''] = key.split('.');
    const from = [...through].flatMap((each) => nodeOf(each) ?? []);
    const id = `semantic:${key}`;
    if (!changed.has(key)) for (const each of from) link(each.id, id);
    return {
      id,
      kind: kinds.get(key) ?? 'dimension',
      name,
      member,
      effect: from.some((each) => each.effect === 'breaks') ? 'breaks' : 'changes',
      distance: changed.has(key) ? 0 : Math.min(...from.map(({ distance }) => distance)) + 1,
    };
  });
}

const kindsOf = ({
  name,
  measures,
  segments,
}: SemanticModel): readonly (readonly [string, 'measure' | 'segment'])[] => [
  ...measures.map((measure) => [`${name.value}.${measure.name.value}`, 'measure'] as const),
  ...segments.map((segment) => [`${name.value}.${segment.name.value}`, 'segment'] as const),
];

function metricNodes(
  metrics: Project['metrics'],
  {
    byMember,
    metric,
    effect,
    link,
  }: {
    readonly byMember: ReadonlyMap<string, ImpactNode>;
    readonly metric: string | undefined;
    readonly effect: ImpactNode['effect'];
    readonly link: Link;
  },
): readonly ImpactNode[] {
  const members = new Map([...byMember.keys()].map((key) => [key, new Set([key])]));
  const start = new Set(metric === undefined ? [] : [metric]);
  const reached = new Set([...start, ...metricsReading(metrics, members, start).map(({ name }) => name)]);
  const nodes = new Map<string, ImpactNode>();
  const nodeOf = (name: string): ImpactNode => {
    const known = nodes.get(name);
    if (known !== undefined) return known;
    const id = `metric:${name}`;
    const own = { id, kind: 'metric' as const, name };
    if (start.has(name)) {
      nodes.set(name, { ...own, effect, distance: 0 });
      return nodes.get(name) as ImpactNode;
    }
    const found = metrics.find((each) => each.name.value === name);
    const from = (found === undefined ? [] : referencesOf(found)).flatMap((ref) => {
      const member = byMember.get(ref);
      if (member !== undefined) return [member];
      return ref !== name && reached.has(ref) ? [nodeOf(ref)] : [];
    });
    for (const each of from) link(each.id, id);
    const node: ImpactNode = {
      ...own,
      effect: from.some((each) => each.effect === 'breaks') ? 'breaks' : 'changes',
      distance: Math.min(...from.map(({ distance }) => distance)) + 1,
    };
    nodes.set(name, node);
    return node;
  };
  return [...reached].map(nodeOf);
}
