import { type BlockProperty, type BlockReader, report } from './block.ts';
import { isSymbol, itemsOf, rangeOf, type Slice, splitAtCommas, textOf, unwrap } from './slice.ts';
import { substituteVariables, type Variables } from './substitute-variables.ts';
import { oneLine, pairOf } from './values.ts';

const BLUEPRINTS_MAX = 10_000;
const BLUEPRINT_TOKENS_MAX = 2_000_000;

/** SQL texts by lower-case variable. */
export type Blueprint = Readonly<Record<string, string>>;

/**
 * The blueprints of a block: `((a := 1, b := x), (a := 2, b := y))`. A block without any is one blueprint without variables;
 * what is not a blueprint is reported and left out.
 */
export function readBlueprints(
  property: BlockProperty | undefined,
  variables: Variables,
  reader: BlockReader,
): readonly Blueprint[] {
  if (property === undefined) return [{}];
  const value = substituteVariables(property.value, variables, reader);
  if (value === undefined) return [];
  // A macro may give the blueprints one after the other, without parentheses around all of them.
  const inner = unwrap(value) ?? (value === property.value ? undefined : value);
  const expected = 'a list of variables such as (schema := a, region := b)';
  if (inner === undefined) {
    report(
      reader,
      'model.wrong-blueprint',
      { value: oneLine(textOf(value)), expected: 'a list of blueprints in parentheses' },
      rangeOf(value),
    );
    return [];
  }
  // `blueprints (a := 1, b := 2)` without inner parentheses: each variable is a blueprint, as in SQLMesh.
  const blueprints: Blueprint[] = [];
  for (const item of splitAtCommas(inner)) {
    const blueprint = variablesOf(item, reader);
    if (blueprint === undefined)
      report(reader, 'model.wrong-blueprint', { value: oneLine(textOf(item)), expected }, rangeOf(item));
    else blueprints.push(blueprint);
  }
  const most = mostBlueprints(property.value);
  if (blueprints.length > most)
    report(reader, 'model.too-many-blueprints', { count: blueprints.length, most }, rangeOf(property.value));
  return blueprints.slice(0, most);
}

/** Every blueprint is a model with the whole query, so a long query allows fewer of them. */
function mostBlueprints({ tokens, to }: Slice): number {
  return Math.max(1, Math.min(BLUEPRINTS_MAX, Math.floor(BLUEPRINT_TOKENS_MAX / (tokens.length - to + 1))));
}

function variablesOf(item: Slice, reader: BlockReader): Blueprint | undefined {
  const entries: [string, string][] = [];
  const items =
    isSymbol(item.tokens[item.from], '(') || isSymbol(item.tokens[item.from], '[') ? itemsOf(item) : [item];
  for (const variable of items) {
    const pair = pairOf(variable, reader);
    if (pair === undefined) return undefined;
    entries.push([pair.key.toLowerCase(), textOf(pair.value)]);
  }
  return Object.fromEntries(entries);
}
