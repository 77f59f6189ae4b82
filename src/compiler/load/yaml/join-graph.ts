/*
 * The joins of all semantic models as a graph. Names are lower case.
 *
 *   orders.customers, many_to_one   ──▶  orders → customers (to-one), customers → orders (fan-out)
 *   posts.tags, many_to_many        ──▶  no edge of its own: the two edges of its bridge, which the role `tags` ends with
 */
import type { SemanticJoin } from '../../../domain/semantic-model.ts';

/** A join crossed in one direction. A many-to-many join is none: it is the two edges of its bridge. */
export interface Edge {
  /** Name of the join, whichever way it is crossed. */
  readonly role: string;
  readonly join: SemanticJoin;
  /** Lower-case names of semantic models. */
  readonly from: string;
  readonly to: string;
  /** Lower-case name of the semantic model whose file has the join. */
  readonly owner: string;
  readonly isReversed: boolean;
  readonly isToOne: boolean;
}

/** A way from a semantic model: edges one after the other. */
export type Path = readonly Edge[];

/** A join by its name. */
export interface Role {
  readonly name: string;
  /** The semantic model it leads to. */
  readonly to: string;
  readonly owner: string;
  /** What a path to it may end with: one edge, or the two of a bridge. */
  readonly endings: readonly Path[];
}

export interface JoinGraph {
  /** The edges that leave each semantic model; every one has an entry. */
  readonly edges: ReadonlyMap<string, readonly Edge[]>;
  readonly roles: ReadonlyMap<string, readonly Role[]>;
}

/** The graph of joins that lead somewhere, by the semantic models that have them. */
export function joinGraph(joins: ReadonlyMap<string, readonly SemanticJoin[]>): JoinGraph {
  const edges = new Map<string, Edge[]>([...joins.keys()].map((name) => [name, []]));
  for (const [owner, own] of joins) for (const join of own) addEdges(edges, owner, join);
  const roles = new Map<string, Role[]>();
  for (const [owner, own] of joins)
    for (const join of own) {
      const key = join.name.value.toLowerCase();
      const endings = endingsOf(edges, owner, join);
      if (key === '' || endings.length === 0) continue;
      const role: Role = { name: join.name.value, to: join.model.value.toLowerCase(), owner, endings };
      const known = roles.get(key);
      if (known === undefined) roles.set(key, [role]);
      else known.push(role);
    }
  return { edges, roles };
}

function addEdges(edges: ReadonlyMap<string, Edge[]>, from: string, join: SemanticJoin): void {
  const to = join.model.value.toLowerCase();
  const target = edges.get(to);
  if (target === undefined || to === from || isBridged(join)) return;
  const edge = { role: join.name.value, join, owner: from };
  const { type } = join;
  const isToOne = type === 'many_to_one' || type === 'one_to_one';
  edges.get(from)?.push({ ...edge, from, to, isReversed: false, isToOne });
  const isBackToOne = type === 'one_to_many' || type === 'one_to_one';
  target.push({ ...edge, from: to, to: from, isReversed: true, isToOne: isBackToOne });
}

/** Over a bridge there may be several ways, when it joins a side twice. */
function endingsOf(
  edges: ReadonlyMap<string, readonly Edge[]>,
  owner: string,
  join: SemanticJoin,
): readonly Path[] {
  const own = edges.get(owner) ?? [];
  if (!isBridged(join))
    return own.filter((edge) => edge.join === join && !edge.isReversed).map((edge) => [edge]);
  const bridge = join.through?.value.toLowerCase() ?? '';
  const to = join.model.value.toLowerCase();
  const second = (edges.get(bridge) ?? []).filter((edge) => edge.to === to);
  return own.filter((edge) => edge.to === bridge).flatMap((a) => second.map((b) => [a, b]));
}

/** Whether a join is not an edge of its own, but the two joins of its bridge crossed one after the other. */
export function isBridged(join: SemanticJoin): boolean {
  return join.type === 'many_to_many' && join.through !== undefined;
}

/** Two edges are the same crossing when they have the same text. */
export function edgeKey({ owner, role, isReversed }: Edge): string {
  return `${owner}.${role}${isReversed ? '<' : '>'}`;
}

/** Whether a path ends with one of these joins. */
export function endsWithRole(path: Path, roles: readonly Role[]): boolean {
  return roles.some(({ endings }) =>
    endings.some((ending) => {
      const from = path.length - ending.length;
      return (
        from >= 0 &&
        ending.every((edge, i) => {
          const crossed = path[from + i];
          return crossed?.join === edge.join && crossed.isReversed === edge.isReversed;
        })
      );
    }),
  );
}
