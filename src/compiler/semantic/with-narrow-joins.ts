/*
 * A node that only filters of measures look at, and all with the same condition, needs only the rows that pass it:
 *
 *   SUM(price) FILTER (WHERE parts.type LIKE 'PROMO%') … LEFT JOIN parts ON lines.part = parts.id
 *     ──▶ SUM(price) FILTER (WHERE parts.id IS NOT NULL) … LEFT JOIN parts ON lines.part = parts.id AND parts.type LIKE 'PROMO%'
 *
 * Rows of the fact all stay, and what is looked up is smaller: engines do not find this themselves.
 */
import { conjunctsOf } from '../../foundation/sql/conjuncts-of.ts';
import type { Expression } from '../../foundation/sql/tree.ts';
import { walk } from '../../foundation/sql/walk.ts';
import type { Component, JoinNode, Part } from './logical-query.ts';
import { untrueWithout } from './required-nodes.ts';
import { allOf, column, isNull } from './tree-nodes.ts';

/** The part with such conditions moved into joins; its components have the same values. */
export function withNarrowJoins(part: Part): Part {
  const { nodes } = part;
  if (nodes.length < 2 || part.components.every(({ call }) => call.filter === undefined)) return part;
  const used = usedElsewhere(part);
  return nodes.reduce<Part>(
    (narrow, { alias, join }) =>
      join?.edge.isToOne === true && !used.has(alias) ? narrowedAt(narrow, alias) : narrow,
    part,
  );
}

function narrowedAt(part: Part, alias: string): Part {
  const filtered = part.components.flatMap(({ call: { filter } }) => {
    const { own } = split(filter, alias);
    return own.length === 0 ? [] : [own];
  });
  const [own] = filtered;
  const node = part.nodes.find((each) => each.alias === alias);
  const key = matchedColumn(node?.join?.on, alias);
  if (own === undefined || node?.join === undefined || key === undefined) return part;
  const isOwn = own.every((each) => aliasesIn(each)?.size === 1);
  if (!isOwn || !own.some((each) => untrueWithout(each).has(alias))) return part;
  const text = textOf(own);
  if (filtered.some((each) => textOf(each) !== text)) return part;
  const on = allOf([node.join.on, ...own]) as Expression;
  const narrow: JoinNode = { ...node, join: { ...node.join, on } };
  return {
    ...part,
    nodes: part.nodes.map((each) => (each === node ? narrow : each)),
    components: part.components.map((component) => withMatch(component, alias, key)),
  };
}

/** The component, with a match of the node in place of conditions on it. */
function withMatch(component: Component, alias: string, key: Expression): Component {
  const { own, others } = split(component.call.filter, alias);
  if (own.length === 0) return component;
  const filter = allOf([...others, isNull(key, true)]) as Expression;
  return { ...component, call: { ...component.call, filter } };
}

/** Aliases that more than filters of measures name. */
function usedElsewhere({ keys, where, buckets, nodes, components }: Part): ReadonlySet<string> {
  const used = new Set<string>();
  const use = (expression: Expression): void => {
    walk(expression, (node) => {
      if (node.kind === 'column' && node.qualifiers[0] !== undefined) used.add(node.qualifiers[0].name);
      return true;
    });
  };
  for (const { value } of keys) use(value);
  for (const condition of where) use(condition);
  if (buckets !== undefined) use(buckets.on);
  for (const { join } of nodes) if (join !== undefined) used.add(join.parent);
  for (const { call } of components) {
    for (const { value } of call.arguments) use(value);
    for (const { expression } of [...call.orderBy, ...call.withinGroup]) use(expression);
  }
  return used;
}

/** What a filter demands of a node, and the rest of it. */
function split(
  filter: Expression | undefined,
  alias: string,
): { readonly own: readonly Expression[]; readonly others: readonly Expression[] } {
  const all = conjunctsOf(filter);
  // What cannot be looked into may be about any node.
  const isOwn = (each: Expression): boolean => aliasesIn(each)?.has(alias) ?? true;
  return { own: all.filter(isOwn), others: all.filter((each) => !isOwn(each)) };
}

/** The aliases a condition names; undefined when it has a sub-query or names a column without alias. */
function aliasesIn(condition: Expression): ReadonlySet<string> | undefined {
  const found = new Set<string>();
  let isKnown = true;
  walk(condition, (node) => {
    if (node.kind === 'column' && node.qualifiers[0] !== undefined) found.add(node.qualifiers[0].name);
    else if (node.kind === 'query' || node.kind === 'column') isKnown = false;
    return isKnown;
  });
  return isKnown ? found : undefined;
}

/** A column of the node that is not NULL in any match. */
function matchedColumn(on: Expression | undefined, alias: string): Expression | undefined {
  for (const each of conjunctsOf(on))
    if (each.kind === 'binary' && each.operator === '=')
      for (const side of [each.left, each.right])
        if (side.kind === 'column' && side.qualifiers.length === 1 && side.qualifiers[0]?.name === alias)
          return column(alias, side.name.name);
  return undefined;
}

/** Where conditions were written makes no difference between them. */
function textOf(conditions: readonly Expression[]): string {
  return JSON.stringify(conditions, (name, value: unknown) => (name === 'span' ? undefined : value));
}
