/** Reads the arguments of a call: where they begin and end, their names, lambdas, lists. */

import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import type { Token } from '../../foundation/sql/token.ts';
import { closingIndex, commaRanges } from '../../foundation/sql/token-ranges.ts';
import { identifierText } from '../../foundation/sql/tokenize.ts';
import type { CallArgument, Expander, MacroCall, MacroLambda, TokenRange } from './call.ts';
import { EMPTY, type Fragment, sliceFragment, trimmed } from './fragment.ts';
import { badArguments, MacroProblem, range } from './problems.ts';

/** Parts between commas that are in no bracket, without the one after a trailing comma; an empty range has no parts. */
function splitAtCommas(range: TokenRange): readonly TokenRange[] {
  const { source, to } = range;
  const parts = commaRanges(source.tokens, range).map((part) => ({ source, ...part }));
  return parts.at(-1)?.from === to || range.from >= to ? parts.slice(0, -1) : parts;
}

/** The arguments between two parentheses. */
export function readArguments(inside: TokenRange): readonly CallArgument[] {
  return splitAtCommas(inside).map((part) => {
    const { source, from, to } = part;
    const sign = source.tokens[from + 1];
    const first = source.tokens[from];
    if (first?.kind === 'word' && from + 1 < to && (sign?.text === ':=' || sign?.text === '=>'))
      return { source, from: from + 2, to, name: first.text.toLowerCase() };
    return part;
  });
}

/** The lambda an argument is, or undefined. */
export function lambdaOf({ source, from, to }: TokenRange): MacroLambda | undefined {
  const { tokens } = source;
  const first = tokens[from];
  if (first === undefined || from >= to) return undefined;
  if ((first.kind === 'word' || first.kind === 'name') && tokens[from + 1]?.text === '->')
    return { parameters: [identifierText(first).toLowerCase()], body: { source, from: from + 2, to } };
  if (first.text !== '(') return undefined;
  const close = closingIndex(tokens, from, to);
  if (close < 0 || tokens[close + 1]?.text !== '->') return undefined;
  const parameters = splitAtCommas({ source, from: from + 1, to: close }).map((part) =>
    identifierText(tokens[part.from] as Token).toLowerCase(),
  );
  return { parameters, body: { source, from: close + 2, to } };
}

/** Elements of `[a, b]`, `(a, b)`, `ARRAY[a, b]` or `ARRAY(a, b)`; undefined when the text is none of these. */
export function listItems(
  fragment: Fragment,
  expander: Pick<Expander, 'sourceOf'>,
): readonly Fragment[] | undefined {
  if (!/[)\]]\s*$/.test(fragment.text)) return undefined;
  const source = expander.sourceOf(fragment);
  const { tokens } = source;
  const end = tokens.length - 1;
  const open = tokens[0]?.kind === 'word' && tokens[0].text.toUpperCase() === 'ARRAY' ? 1 : 0;
  const bracket = tokens[open];
  if (bracket?.text !== '[' && bracket?.text !== '(') return undefined;
  if (closingIndex(tokens, open, end) !== end - 1) return undefined;
  const inner = tokens[open + 1];
  if (bracket.text === '(' && inner?.kind === 'word' && /^(select|with|from|values)$/i.test(inner.text))
    return undefined;
  return splitAtCommas({ source, from: open + 1, to: end - 1 }).map(rangeFragment);
}

/** The text of a range as it stands, macros and all. */
export function rangeFragment({ source, from, to }: TokenRange): Fragment {
  if (from >= to) return EMPTY;
  return trimmed(
    sliceFragment(source, (source.tokens[from] as Token).start, (source.tokens[to - 1] as Token).end),
  );
}

/** Arguments put to the parameters of an operator: by place, then by name. */
export function bindArguments(
  call: MacroCall,
  parameters: readonly string[],
  expected: string,
): ReadonlyMap<string, CallArgument> {
  const bound = new Map<string, CallArgument>();
  let position = 0;
  for (const argument of call.arguments) {
    if (argument.name === undefined) {
      const parameter = parameters[position++];
      if (parameter === undefined || bound.size >= position)
        return badArguments(call.name, expected, call.place);
      bound.set(parameter, argument);
      continue;
    }
    const name = argument.name === 'except_' || argument.name === 'except' ? 'exclude' : argument.name;
    if (!parameters.includes(name))
      throw new MacroProblem(
        diagnostic(
          'macro.unknown-argument',
          { macro: `@${call.name.toUpperCase()}`, argument: argument.name },
          {
            at: range(call.place),
            hint: didYouMean(argument.name, parameters) ?? `it takes ${parameters.join(', ')}`,
          },
        ),
      );
    bound.set(name, argument);
  }
  return bound;
}
