import { eachChild, type SqlNode } from './each-child.ts';
import type { Query, Select } from './tree.ts';
import { reverseFrom } from './walk.ts';

type NodeOf<Kind extends SqlNode['kind']> = Extract<SqlNode, { readonly kind: Kind }>;

/** Every node of a query, found in one walk for all who look for some of them. */
export interface QueryNodes {
  /** All nodes of a kind, in the order of the text. */
  readonly of: <Kind extends SqlNode['kind']>(kind: Kind) => readonly NodeOf<Kind>[];
  /** A SELECT and what is under it, without the queries inside it, in the order of the text. */
  readonly own: (select: Select) => readonly SqlNode[];
}

export function queryNodes(query: Query): QueryNodes {
  const byKind = new Map<SqlNode['kind'], SqlNode[]>();
  const bySelect = new Map<SqlNode, SqlNode[]>();
  const stack: SqlNode[] = [query];
  /** Of each node on the stack: the nodes of its SELECT. */
  const owners: (SqlNode[] | undefined)[] = [undefined];
  const push = (child: SqlNode): void => {
    stack.push(child);
  };
  while (stack.length > 0) {
    const node = stack.pop() as SqlNode;
    let owner = owners.pop();
    const same = byKind.get(node.kind);
    if (same === undefined) byKind.set(node.kind, [node]);
    else same.push(node);
    if (node.kind === 'query') owner = undefined;
    else if (node.kind === 'select') {
      owner = [];
      bySelect.set(node, owner);
    }
    owner?.push(node);
    const from = stack.length;
    eachChild(node, push);
    reverseFrom(stack, from);
    while (owners.length < stack.length) owners.push(owner);
  }
  return {
    of: (kind) => (byKind.get(kind) ?? []) as unknown as readonly NodeOf<typeof kind>[],
    own: (select) => bySelect.get(select) ?? [],
  };
}
