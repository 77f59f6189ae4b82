/*
 * The tree of semantic models that one part of a query walks: the fact, and what its dimensions, filters and expressions name.
 * Paths are laid over each other, so a common beginning is the same node.
 */
import type { Expression } from '../../foundation/sql/tree.ts';
import { rewrite } from '../../foundation/sql/walk.ts';
import { edgeKey } from '../load/yaml/join-graph.ts';
import type { Edge, IndexedModel, Path, RowExpression, Slot } from './indexed-model.ts';
import type { JoinNode } from './logical-query.ts';
import type { MemberReader } from './member-reader.ts';
import type { SemanticIndex } from './semantic-index.ts';
import { column } from './tree-nodes.ts';

export class JoinTree {
  readonly fact: IndexedModel;
  readonly #index: SemanticIndex;
  readonly #reader: MemberReader;
  readonly #nodes: JoinNode[];
  readonly #children = new Map<string, JoinNode>();
  readonly #aliases: Set<string>;

  /** `taken` are aliases of trees that stand in the same SELECT. */
  constructor(index: SemanticIndex, reader: MemberReader, fact: IndexedModel, taken: Iterable<string> = []) {
    this.#index = index;
    this.#reader = reader;
    this.fact = fact;
    this.#aliases = new Set(taken);
    this.#nodes = [{ alias: this.#alias(fact.name), model: fact }];
  }

  get nodes(): readonly JoinNode[] {
    return this.#nodes;
  }

  /** Some row of the fact may meet several rows. */
  get isFannedOut(): boolean {
    return this.#nodes.some(({ join }) => join !== undefined && !join.edge.isToOne);
  }

  #alias(wanted: string): string {
    const base = wanted.toLowerCase();
    let alias = base;
    for (let n = 2; this.#aliases.has(alias); n++) alias = `${base}_${n}`;
    this.#aliases.add(alias);
    return alias;
  }

  /** The node at the end of a path, which becomes part of the tree. */
  node(path: Path): JoinNode {
    let at = this.#nodes[0] as JoinNode;
    for (const edge of path) at = this.#child(at, edge);
    return at;
  }

  #child(parent: JoinNode, edge: Edge): JoinNode {
    const key = `${parent.alias}\n${edgeKey(edge)}`;
    let child = this.#children.get(key);
    if (child === undefined) {
      const model = this.#index.models.get(edge.to) as IndexedModel;
      const alias = this.#alias(edge.isReversed ? model.name : edge.role);
      child = { alias, model, join: { parent: parent.alias, edge, on: this.#on(parent, edge, alias) } };
      this.#children.set(key, child);
      this.#nodes.push(child);
    }
    return child;
  }

  #on(parent: JoinNode, edge: Edge, alias: string): Expression {
    const owner = this.#index.models.get(edge.owner) as IndexedModel;
    const [own, other] = edge.isReversed ? [alias, parent.alias] : [parent.alias, alias];
    const { tree, slots } = this.#reader.on(owner, edge);
    return rewrite(tree, (node) => {
      const slot = node.kind === 'column' ? slots.get(node.name.name) : undefined;
      return slot === undefined ? node : column(slot.path.length === 0 ? own : other, slot.column);
    });
  }

  /** The expression of the row at the end of a path, over aliases of this tree. */
  bind({ tree, slots }: RowExpression, path: Path = []): Expression {
    if (slots.size === 0) return tree;
    const placed = (slot: Slot): Expression => column(this.node([...path, ...slot.path]).alias, slot.column);
    const only = tree.kind === 'column' ? slots.get(tree.name.name) : undefined;
    if (only !== undefined) return placed(only);
    return rewrite(tree, (node) => {
      const slot = node.kind === 'column' ? slots.get(node.name.name) : undefined;
      return slot === undefined ? node : placed(slot);
    });
  }
}
