/**
 * Which tables a query reads from outside itself. A name of one part that a WITH in scope defines is that common table;
 * it is visible after its own definition, or everywhere in its WITH when that is RECURSIVE. Qualified names never are.
 */
import { eachChild, type SqlNode } from './each-child.ts';
import type { CommonTable, Identifier, Query, Span } from './tree.ts';
import { reverseFrom } from './walk.ts';

/** One mention of a table; replace `nameSpan` to point it elsewhere. */
export interface TableUse {
  readonly parts: readonly Identifier[];
  readonly nameSpan: Span;
  readonly isFile: boolean;
  /** Without one, what replaces the name must be given the table's own name. */
  readonly hasAlias: boolean;
}

/** One WITH as some place in it sees it: the first `visible` of its common tables, then the WITHs around it. */
interface NameScope {
  /** Lower-case name → position of its first definition. */
  readonly positions: ReadonlyMap<string, number>;
  readonly visible: number;
  readonly outer: NameScope | undefined;
}

/** Every mention of a table that is not a common table of the query, in the order of the text. */
export function tableUses(query: Query): readonly TableUse[] {
  const uses: TableUse[] = [];
  const nodes: SqlNode[] = [query];
  const scopes: (NameScope | undefined)[] = [undefined];
  while (nodes.length > 0) {
    const node = nodes.pop() as SqlNode;
    const scope = scopes.pop();
    if (node.kind === 'table') {
      const isCommon =
        node.parts.length === 1 && !node.isFile && isDefined(scope, node.parts[0] as Identifier);
      if (!isCommon)
        uses.push({
          parts: node.parts,
          nameSpan: node.nameSpan,
          isFile: node.isFile,
          hasAlias: node.alias !== undefined,
        });
      continue;
    }
    pushChildren(node, scope, nodes, scopes);
  }
  return uses;
}

function isDefined(scope: NameScope | undefined, name: Identifier): boolean {
  const folded = name.name.toLowerCase();
  for (let at = scope; at !== undefined; at = at.outer)
    if ((at.positions.get(folded) ?? at.visible) < at.visible) return true;
  return false;
}

/** Pushes the children last first, each with the scope it sees. */
function pushChildren(
  node: SqlNode,
  scope: NameScope | undefined,
  nodes: SqlNode[],
  scopes: (NameScope | undefined)[],
): void {
  const from = nodes.length;
  eachChild(node, (child) => nodes.push(child));
  const count = nodes.length - from;
  const tables = node.kind === 'query' ? node.with : undefined;
  if (tables === undefined) {
    for (let i = 0; i < count; i++) scopes.push(scope);
  } else {
    // The first children of a query are its common tables, in order; all that follow see every one of them.
    const positions = positionsOf(tables.tables);
    const all: NameScope = { positions, visible: tables.tables.length, outer: scope };
    for (let i = 0; i < count; i++) {
      const seesAll = tables.recursive || i >= tables.tables.length;
      scopes.push(seesAll ? all : { positions, visible: i, outer: scope });
    }
  }
  reverseFrom(nodes, from);
  reverseFrom(scopes, from);
}

function positionsOf(tables: readonly CommonTable[]): ReadonlyMap<string, number> {
  const positions = new Map<string, number>();
  tables.forEach((table, i) => {
    const name = table.name.name.toLowerCase();
    if (!positions.has(name)) positions.set(name, i);
  });
  return positions;
}
