import type { Call, Expression } from '../../foundation/sql/tree.ts';
import type { Component } from './logical-query.ts';
import { column } from './tree-nodes.ts';

/** A column of a sub-query. */
export interface LiftedValue {
  readonly name: string;
  readonly value: Expression;
}

/** Aggregates whose inputs are columns of a sub-query that has one line for each row to aggregate. */
export interface LiftedComponents {
  readonly inputs: readonly LiftedValue[];
  readonly components: readonly Component[];
}

/** Takes what aggregates are computed from out of them, so that rows can be distinguished (or chosen) before they are aggregated. `taken` are names of other columns. */
export function liftInputs(components: readonly Component[], taken: Iterable<string>): LiftedComponents {
  const names = new Set([...taken].map((name) => name.toLowerCase()));
  const inputs: LiftedValue[] = [];
  const lift = (value: Expression): Expression => {
    if (value.kind === 'literal') return value;
    const name = freshName('input', names);
    inputs.push({ name, value });
    return column(undefined, name);
  };
  return { components: components.map((each) => ({ ...each, call: lifted(each.call, lift) })), inputs };
}

/** A name that no other column has, which it then is. */
export function freshName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${wanted}_${n}`;
  taken.add(name.toLowerCase());
  return name;
}

function lifted(call: Call, lift: (value: Expression) => Expression): Call {
  const { filter } = call;
  return {
    ...call,
    arguments: call.arguments.map((argument) => ({ ...argument, value: lift(argument.value) })),
    orderBy: call.orderBy.map((item) => ({ ...item, expression: lift(item.expression) })),
    withinGroup: call.withinGroup.map((item) => ({ ...item, expression: lift(item.expression) })),
    ...(filter === undefined ? {} : { filter: lift(filter) }),
  };
}
