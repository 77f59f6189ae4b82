/**
 * Where data comes from and goes to, as a graph that every door can draw.
 *
 *   models   tables no file defines ─▶ models ─▶ semantic models ─▶ metrics
 *   columns  one column of a model with every column it is made of, and every column made of it
 */
import type { LineageEdge, LineageGraph, LineageNode, LineageRequest } from '../../domain/lineage.ts';
import { type Metric, membersOfCalculation } from '../../domain/metric.ts';
import type { Project } from '../../domain/project.ts';

/** What lineage is drawn from: of a project folder, or as an environment was applied with. */
export type LineageProject = Pick<Project, 'models' | 'semanticModels' | 'metrics'>;

/** The part of the project's lineage that was asked for. */
export function lineage(project: LineageProject, request: LineageRequest): LineageGraph {
  const { model, column } = request;
  const level = column === undefined ? 'model' : 'column';
  const whole = level === 'model' ? modelGraph(project) : columnGraph(project);
  const focus =
    request.node ??
    (model === undefined || column === undefined ? model?.name : columnId(model.name, column));
  if (focus === undefined) return whole;
  const kept = new Set([focus]);
  if (request.direction !== 'downstream') collect(whole.edges, focus, request.depthMax, 'from', kept);
  if (request.direction !== 'upstream') collect(whole.edges, focus, request.depthMax, 'to', kept);
  return {
    level,
    focus,
    nodes: whole.nodes.filter(({ id }) => kept.has(id)),
    edges: whole.edges.filter((edge) => kept.has(edge.from) && kept.has(edge.to)),
  };
}

/** Adds everything within `depthMax` steps, breadth first. */
function collect(
  edges: readonly LineageEdge[],
  focus: string,
  depthMax: number,
  end: 'from' | 'to',
  kept: Set<string>,
): void {
  const next = Map.groupBy(edges, (edge) => (end === 'from' ? edge.to : edge.from));
  const seen = new Set([focus]);
  let front = [focus];
  for (let depth = 0; depth < depthMax && front.length > 0; depth++) {
    front = front.flatMap((id) =>
      (next.get(id) ?? []).map((edge) => edge[end]).filter((other) => !seen.has(other) && seen.add(other)),
    );
    for (const id of front) kept.add(id);
  }
}

function modelGraph(project: LineageProject): LineageGraph {
  const nodes = new Map<string, LineageNode>();
  const known = new Set(project.models.map(({ name }) => name));
  const edges: LineageEdge[] = [];
  for (const { dependencies } of project.models)
    for (const name of dependencies)
      if (!known.has(name)) nodes.set(name, { id: name, name, kind: 'undeclared' });
  for (const model of project.models) {
    nodes.set(model.name, { id: model.name, name: model.name, kind: model.kind.kind, ...owned(model.owner) });
    for (const from of model.dependencies) edges.push({ from, to: model.name });
  }
  for (const semantic of project.semanticModels) {
    const id = `semantic:${semantic.name.value}`;
    nodes.set(id, { id, name: semantic.name.value, kind: 'semantic', ...owned(semantic.owner) });
    const model = semantic.model.value.toLowerCase();
    if (nodes.has(model)) edges.push({ from: model, to: id });
  }
  const metrics = new Set(project.metrics.map(({ name }) => name.value));
  for (const metric of project.metrics) {
    const id = `metric:${metric.name.value}`;
    nodes.set(id, { id, name: metric.name.value, kind: 'metric', ...owned(metric.owner) });
    for (const from of metricSources(metric, metrics)) edges.push({ from, to: id });
  }
  return {
    level: 'model',
    nodes: [...nodes.values()],
    edges: edges.filter(({ from, to }) => nodes.has(from) && nodes.has(to)),
  };
}

/** The semantic models and metrics a metric is computed from. */
function metricSources({ calculation }: Metric, metrics: ReadonlySet<string>): ReadonlySet<string> {
  const references = membersOfCalculation(calculation);
  return new Set(
    references.map((ref) => (metrics.has(ref) ? `metric:${ref}` : `semantic:${ref.split('.')[0]}`)),
  );
}

function columnGraph({ models }: LineageProject): LineageGraph {
  const nodes = new Map<string, LineageNode>();
  const edges: LineageEdge[] = [];
  for (const model of models)
    for (const { name, type } of model.columns) {
      const id = columnId(model.name, name);
      nodes.set(id, {
        id,
        name: model.name,
        column: name,
        kind: model.kind.kind,
        type,
        ...owned(model.owner),
      });
    }
  const external = new Map<string, LineageNode>();
  for (const model of models)
    for (const { column, transformation, sources } of model.lineage)
      for (const source of sources) {
        const from = columnId(source.model, source.column);
        if (!nodes.has(from))
          external.set(from, { id: from, name: source.model, column: source.column, kind: 'undeclared' });
        edges.push({ from, to: columnId(model.name, column), transformation });
      }
  const known = new Set([...nodes.keys(), ...external.keys()]);
  return {
    level: 'column',
    nodes: [...external.values(), ...nodes.values()],
    edges: edges.filter(({ from, to }) => known.has(from) && known.has(to)),
  };
}

/** Columns compare without regard to case, so their ids are in lower case. */
const columnId = (model: string, column: string): string => `${model}.${column.toLowerCase()}`;

const owned = (owner: string | undefined): { readonly owner?: string } =>
  owner === undefined ? {} : { owner };
