/** Macros that go through items: `@EACH`, `@FILTER`, `@REDUCE`. */
import { lambdaOf, listItems } from '../arguments.ts';
import type { Expander, MacroCall, MacroLambda, Operator } from '../call.ts';
import { isTruthy } from '../constant.ts';
import { EMPTY, type Fragment, joined, trimmed } from '../fragment.ts';
import { badArguments } from '../problems.ts';

/** Items and lambda of a call: the items are one list, or all arguments before the lambda. */
function itemsAndLambda(
  call: MacroCall,
  expander: Expander,
  example: string,
): { readonly items: readonly Fragment[]; readonly lambda: MacroLambda } {
  const last = call.arguments.at(-1);
  const lambda = last === undefined ? undefined : lambdaOf(last);
  if (lambda === undefined || call.arguments.some(({ name }) => name !== undefined))
    return badArguments(call.name, `items and then a lambda: ${example}`, call.place);
  const given = call.arguments.slice(0, -1).map((argument) => expander.items(argument, call.scope));
  const only = given.length === 1 ? given[0] : undefined;
  const single = only !== undefined && !only.isSpliced ? only.items[0] : undefined;
  if (single !== undefined)
    return { items: listItems(trimmed(single), expander) ?? [trimmed(single)], lambda };
  return { items: given.flatMap(({ items }) => items), lambda };
}

/** `@EACH([a, b], x -> …)`: one text per item. */
export const each: Operator = (call, expander) => {
  const { items, lambda } = itemsAndLambda(call, expander, '@EACH([a, b], x -> x + 1)');
  return items.flatMap((item) => several(expander.apply(lambda, [item], call.scope)));
};

/** `@FILTER([1, 2], x -> x > 1)`: the items for which the lambda is true. */
export const filter: Operator = (call, expander) => {
  const { items, lambda } = itemsAndLambda(call, expander, '@FILTER([1, 2], x -> x > 1)');
  return items.filter((item) => {
    const condition = joined(
      several(expander.apply(lambda, [item], { ...call.scope, isEvaluated: true })),
      ', ',
      call.place,
    );
    return condition.text !== '' && isTruthy(expander.evaluate(condition, call));
  });
};

/** `@REDUCE([a, b, c], (x, y) -> x + y)`: the lambda applied from the left until one text is left. */
export const reduce: Operator = (call, expander) => {
  const { items, lambda } = itemsAndLambda(call, expander, '@REDUCE([a, b], (x, y) -> x + y)');
  if (items.length === 0) return badArguments(call.name, 'at least one item', call.place);
  return items.reduce((sum, item) => several(expander.apply(lambda, [sum, item], call.scope))[0] ?? EMPTY);
};

function several(result: ReturnType<Expander['apply']>): readonly Fragment[] {
  if (result === undefined) return [];
  return Array.isArray(result) ? result : [result as Fragment];
}
