/*
 * Which columns of models carry something of which others, from what is stored of applied models: by value, by condition, or blurred
 * (`model-flow.ts`). What is not known to be harmless carries.
 */
import type { Audit } from '../../../domain/audit.ts';
import type { LineageSource, Model } from '../../../domain/model.ts';
import { modelFlow } from '../../../domain/model-flow.ts';
import { reachable } from '../../../foundation/graph.ts';

/** A model as it was applied. */
export interface FlowModel {
  readonly model: Model;
  /** The project's own audits that it uses. */
  readonly audits: readonly Audit[];
}

/** Columns by model, in lower case; `all` stands for every one, unknown ones included. */
export type ColumnsByModel = ReadonlyMap<string, 'all' | ReadonlySet<string>>;

interface Node {
  readonly parents: Set<string>;
  readonly children: Set<string>;
  readonly values: Map<string, readonly LineageSource[]>;
  readonly deciding: Map<string, 'all' | Set<string>>;
  readonly blurred: Set<string>;
}

export class ColumnFlow {
  readonly #nodes = new Map<string, Node>();
  readonly #models: readonly FlowModel[];

  /** Of several environments: a model is what any of them says of it. */
  constructor(models: readonly FlowModel[]) {
    this.#models = models;
    const names = [...new Set(models.map(({ model }) => model.name))];
    const known = new Set(models.flatMap(({ model }) => (model.hasAllColumns ? [model.name] : [])));
    for (const { model } of models) if (!model.hasAllColumns) known.delete(model.name);
    for (const each of models) this.#add(each, names, known);
    for (const [name, { parents }] of [...this.#nodes])
      for (const parent of parents) this.#node(parent).children.add(name);
  }

  /** With these versions of models, too. */
  with(models: readonly FlowModel[]): ColumnFlow {
    return new ColumnFlow([...this.#models, ...models]);
  }

  /** Everything that feeds a model. */
  above(...models: readonly string[]): ReadonlySet<string> {
    return reachable(models, (name) => this.#nodes.get(name)?.parents ?? []);
  }

  /** Everything that is derived from it. */
  below(...models: readonly string[]): ReadonlySet<string> {
    return reachable(models, (name) => this.#nodes.get(name)?.children ?? []);
  }

  /**
   * These columns and every column they come from: by value, or also by what decides about their rows. A column that is made of
   * no other (`count(*)`) comes from what decides.
   */
  origins(start: ColumnsByModel, by: 'value' | 'row'): ColumnsByModel {
    const found = new Found(start);
    for (let name = found.next(); name !== undefined; name = found.next()) {
      const node = this.#nodes.get(name);
      if (node === undefined) continue;
      const wanted = found.of(name);
      const columns = wanted === 'all' || wanted === undefined ? node.values.keys() : wanted;
      let isDecided = by === 'row' || wanted === 'all';
      for (const column of columns) {
        const sources = node.values.get(column) ?? [];
        for (const source of sources) found.add(source.model, source.column);
        isDecided ||= sources.length === 0;
      }
      if (isDecided)
        for (const [parent, deciding] of node.deciding)
          if (deciding === 'all') found.addAll(parent);
          else for (const column of deciding) found.add(parent, column);
      for (const parent of node.blurred) found.addAll(parent);
    }
    return found.columns;
  }

  /** These columns and every column that carries something of one of them. */
  carriers(start: ColumnsByModel): ColumnsByModel {
    const found = new Found(start);
    for (let name = found.next(); name !== undefined; name = found.next())
      // Also into itself: a model may read its own past.
      for (const child of [name, ...(this.#nodes.get(name)?.children ?? [])]) this.#carry(child, found);
    return found.columns;
  }

  #carry(name: string, found: Found): void {
    const { blurred, deciding, values } = this.#node(name);
    const isDecided = [...deciding].some(([parent, columns]) =>
      columns === 'all'
        ? found.of(parent) !== undefined
        : [...columns].some((each) => found.has(parent, each)),
    );
    if (isDecided || [...blurred].some((parent) => found.of(parent) !== undefined)) {
      found.addAll(name);
      return;
    }
    for (const [column, sources] of values)
      if (sources.some((source) => found.has(source.model, source.column))) found.add(name, column);
  }

  #node(name: string): Node {
    let node = this.#nodes.get(name);
    if (node === undefined) {
      node = {
        parents: new Set(),
        children: new Set(),
        values: new Map(),
        deciding: new Map(),
        blurred: new Set(),
      };
      this.#nodes.set(name, node);
    }
    return node;
  }

  #add({ model, audits }: FlowModel, names: readonly string[], known: ReadonlySet<string>): void {
    const node = this.#node(model.name);
    const flow = modelFlow(model, { names, known, audits });
    for (const parent of flow.parents) node.parents.add(parent);
    for (const [column, sources] of flow.values)
      node.values.set(column, [...(node.values.get(column) ?? []), ...sources]);
    for (const [parent, columns] of flow.deciding) {
      const before = node.deciding.get(parent);
      const isAll = columns === 'all' || before === 'all';
      node.deciding.set(parent, isAll ? 'all' : new Set([...(before ?? []), ...columns]));
    }
    for (const parent of flow.blurred) node.blurred.add(parent);
  }
}

/** Columns by model while they are being found. */
class Found {
  readonly columns: Map<string, 'all' | Set<string>>;
  readonly #waiting: Set<string>;

  constructor(start: ColumnsByModel) {
    this.columns = new Map([...start].map(([name, each]) => [name, each === 'all' ? each : new Set(each)]));
    this.#waiting = new Set(start.keys());
  }

  /** A model of which more is known than when it was asked for last. */
  next(): string | undefined {
    const [name] = this.#waiting;
    if (name !== undefined) this.#waiting.delete(name);
    return name;
  }

  of(model: string): 'all' | ReadonlySet<string> | undefined {
    return this.columns.get(model);
  }

  has(model: string, column: string): boolean {
    const known = this.columns.get(model);
    return known === 'all' || known?.has(column) === true;
  }

  add(model: string, column: string): void {
    if (this.has(model, column)) return;
    const known = this.columns.get(model);
    if (known instanceof Set) known.add(column);
    else this.columns.set(model, new Set([column]));
    this.#waiting.add(model);
  }

  addAll(model: string): void {
    if (this.columns.get(model) === 'all') return;
    this.columns.set(model, 'all');
    this.#waiting.add(model);
  }
}
