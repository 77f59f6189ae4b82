/*
 * The rows a policy leaves, as a set of conditions that all hold. Two conditions have the same text only when they surely mean the same
 * rows: the text has the definition of every dimension that the condition names.
 *
 *   [{member: region, operator: equals, values: [EU]}, {and: [a, b]}]  ──▶  { region…EU, a, b }
 *
 * More conditions are fewer rows, so a policy whose set has every text of another one's shows no row that the other one hides.
 */
import type { Dimension, MemberFilter, SemanticModel } from '../../../domain/semantic-model.ts';
import { canonicalContent } from '../../../foundation/yaml/canonical-content.ts';

/** A semantic model beside the others that its filters may name. */
export interface SemanticBesideOthers {
  readonly semantic: SemanticModel;
  readonly others: readonly SemanticModel[];
}

export function conditionsOf(
  filters: readonly MemberFilter[],
  scope: SemanticBesideOthers,
): ReadonlySet<string> {
  return new Set(
    filters.flatMap((filter) =>
      filter.kind === 'and' ? [...conditionsOf(filter.filters, scope)] : [conditionText(filter, scope)],
    ),
  );
}

function conditionText(filter: MemberFilter, scope: SemanticBesideOthers): string {
  if (filter.kind !== 'member')
    return `${filter.kind}(${[...new Set(filter.filters.map((each) => conditionText(each, scope)))].sort().join(',')})`;
  const { operator, values } = filter;
  const member = memberText(filter.member.value, scope);
  return canonicalContent([operator, values.map((value) => canonicalContent(value)).sort(), member]);
}

/** A member with all that decides its value. One behind a join depends on the joins and on what they lead to. */
function memberText(written: string, { semantic, others }: SemanticBesideOthers): string {
  const parts = written.toLowerCase().split('.');
  const isOwn = parts.length === 1 || parts[0] === semantic.name.value.toLowerCase();
  const model = semantic.model.value;
  if (isOwn) return canonicalContent([model, dimensionText(parts.at(-1) ?? '', semantic, new Set())]);
  return canonicalContent([
    written,
    [semantic, ...others].map(({ name, model: below, joins, dimensions, primaryKey }) => ({
      name,
      below,
      joins,
      primaryKey,
      dimensions: dimensions?.map((dimension) => computedPart(dimension)) ?? null,
    })),
  ]);
}

const computedPart = ({ name, expression, type }: Dimension): unknown => ({ name, expression, type });

/** A dimension's own definition and those of the dimensions that its expression may name. */
function dimensionText(name: string, semantic: SemanticModel, seen: Set<string>): string {
  seen.add(name);
  const found = semantic.dimensions?.find((dimension) => dimension.name.value.toLowerCase() === name);
  if (found?.expression === undefined) return `column ${name}`;
  const named = wordsIn(found.expression.value).filter((word) => !seen.has(word));
  return canonicalContent([
    computedPart(found),
    named.flatMap((word) =>
      semantic.dimensions?.some((dimension) => dimension.name.value.toLowerCase() === word)
        ? [dimensionText(word, semantic, seen)]
        : [],
    ),
  ]);
}

/** Every word of a text in lower case, once: all names are among them, whatever else is. */
export function wordsIn(text: string): readonly string[] {
  return [...new Set(text.toLowerCase().match(/[\p{L}_][\p{L}\p{N}_$]*/gu) ?? [])];
}
