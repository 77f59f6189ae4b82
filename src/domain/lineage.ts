/** Where data comes from and goes to, as a graph that every door can draw. */
import type { ColumnLineage, Model } from './model.ts';

/** A model, a table that no file defines, a semantic model, a metric; with `column` one column of a model. */
export interface LineageNode {
  /** Unique in the graph: the name, `name.column`, `semantic:name` or `metric:name`. */
  readonly id: string;
  readonly name: string;
  readonly column?: string;
  /** A model's kind, or `undeclared`, `semantic`, `metric`. */
  readonly kind: string;
  readonly type?: string;
  readonly owner?: string;
}

/** Data flows from one node into the other. */
export interface LineageEdge {
  readonly from: string;
  readonly to: string;
  readonly transformation?: ColumnLineage['transformation'];
}

export interface LineageGraph {
  readonly level: 'model' | 'column';
  /** What was asked about; absent for the whole project. */
  readonly focus?: string;
  /** Sources first. */
  readonly nodes: readonly LineageNode[];
  readonly edges: readonly LineageEdge[];
}

/** Which part of the graph is wanted; without a focus all of it. */
export interface LineageRequest {
  /** A semantic model or metric, by its id in the graph, in the place of a model. */
  readonly node?: string;
  readonly model?: Model;
  readonly column?: string;
  readonly direction: 'both' | 'upstream' | 'downstream';
  readonly depthMax: number;
}
