/*
 * Whether the policies of a semantic model let any caller see more than those of before.
 *
 * A caller sees what one of the policies of their groups shows: the rows that it lets pass, with the columns that it does not mask. So
 * no caller sees more when each policy of after shows at most what one of before shows to the same callers:
 *
 *   after  {group: eu, filter: [country, active], mask: [email, phone]}
 *   before {group: eu, filter: [country], mask: [email]}                    not more: every condition is there still, and every mask
 *
 * What is not proven this way counts as more.
 */
import type { MemberFilter, Policy, SemanticModel } from '../../../domain/semantic-model.ts';
import type { VisibleData } from '../../../domain/wider-access.ts';
import { columnsRead, hiddenColumns, membersOf, type SemanticColumns } from './exposed-columns.ts';
import { conditionsOf, type SemanticBesideOthers } from './policy-conditions.ts';

/** All callers, also those in no group. */
export const ALL_CALLERS = '*';

/** A semantic model as it is or would be applied. */
export interface PolicedModel extends SemanticColumns, SemanticBesideOthers {
  /** Columns of its model that carry the same values as these. */
  readonly carriers: (columns: ReadonlySet<string>) => ReadonlySet<string>;
}

const OPEN: Policy = { group: { value: ALL_CALLERS, start: 0, end: 0 }, filter: [], mask: [] };

/** Policies that count for members of a group, or for those in none (`*`). Without policies all callers see everything. */
export function policiesFor({ policies }: SemanticModel, group: string): readonly Policy[] {
  if (policies.length === 0) return [OPEN];
  return policies.filter(({ group: { value } }) => value === ALL_CALLERS || value === group);
}

/** The groups that policies name, and all other callers. */
export function groupsOf(...models: readonly (SemanticModel | undefined)[]): readonly string[] {
  const named = models.flatMap((model) => model?.policies.map(({ group }) => group.value) ?? []);
  return [...new Set([...named, ALL_CALLERS])].sort();
}

/** The groups whose members may see more of the one than of the other; empty when there are none. */
export function groupsThatSeeMore(before: PolicedModel, after: PolicedModel): readonly string[] {
  return groupsOf(before.semantic, after.semantic).filter((group) => {
    const old = policiesFor(before.semantic, group);
    return !policiesFor(after.semantic, group).every((policy) =>
      old.some((other) => showsNoMore(policy, other, { before, after })),
    );
  });
}

function showsNoMore(
  policy: Policy,
  other: Policy,
  { before, after }: { readonly before: PolicedModel; readonly after: PolicedModel },
): boolean {
  const conditions = conditionsOf(policy.filter, after);
  for (const condition of conditionsOf(other.filter, before)) if (!conditions.has(condition)) return false;
  const [masked, hadMasked] = [maskedBy(policy), maskedBy(other)];
  if (hadMasked.size === 0) return true;
  const hidden = hiddenColumns(before, hadMasked, (columns) => before.carriers(columns));
  return shownTexts(after, masked).every(({ name, texts, content, isMask }) => {
    const old = shownTexts(before, hadMasked).find((each) => each.name === name && each.isMask === isMask);
    const read = columnsRead(texts, after, { masked, own: name });
    const isSame =
      old?.content === content &&
      isSubset(read, columnsRead(old.texts, before, { masked: hadMasked, own: name }));
    return isSame || isDisjoint(read, hidden);
  });
}

interface ShownText {
  readonly name: string;
  readonly texts: readonly string[];
  readonly content: string;
  readonly isMask: boolean;
}

/** What a reader is shown for each member: its value, or what stands for it. */
function shownTexts(of: PolicedModel, masked: ReadonlySet<string>): readonly ShownText[] {
  const shown = [...membersOf(of)]
    .filter(([name]) => !masked.has(name))
    .map(([name, member]): ShownText => ({ name, ...member, isMask: false }));
  const masks = (of.semantic.dimensions ?? []).flatMap(({ name, maskExpression }): readonly ShownText[] => {
    const key = name.value.toLowerCase();
    if (maskExpression === undefined || !masked.has(key)) return [];
    return [{ name: key, texts: [maskExpression.value], content: maskExpression.value, isMask: true }];
  });
  return [...shown, ...masks];
}

const maskedBy = ({ mask }: Policy): ReadonlySet<string> =>
  new Set(mask.map(({ value }) => (value.split('.').at(-1) ?? value).toLowerCase()));

const isSubset = (some: ReadonlySet<string>, all: ReadonlySet<string>): boolean =>
  [...some].every((each) => all.has(each));

const isDisjoint = (some: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  ![...some].some((each) => others.has(each));

/** How far the policies of a semantic model close it to a group: `rows` also where they show nothing at all. */
export type Closure = 'open' | 'columns' | 'rows';

export function closureOf(semantic: SemanticModel, group: string): Closure {
  const whole = policiesFor(semantic, group).filter(({ filter }) => filter.length === 0);
  if (whole.length === 0) return 'rows';
  return maskedFor(semantic, group).size === 0 ? 'open' : 'columns';
}

/** Names that no policy with all rows leaves clear to a group. */
export function maskedFor(semantic: SemanticModel, group: string): ReadonlySet<string> {
  const whole = policiesFor(semantic, group).filter(({ filter }) => filter.length === 0);
  const [first] = whole;
  if (first === undefined) return new Set();
  return new Set([...maskedBy(first)].filter((name) => whole.every((policy) => maskedBy(policy).has(name))));
}

/** Names that a policy masks for a group in some row. */
export function maskedAnywhere(semantic: SemanticModel, group: string): ReadonlySet<string> {
  return new Set(policiesFor(semantic, group).flatMap((policy) => [...maskedBy(policy)]));
}

/** What a group sees of a semantic model, in words. */
export function seenBy(semantic: SemanticModel, group: string): VisibleData {
  const own = policiesFor(semantic, group);
  if (own.length === 0) return { rows: 'none', masked: [] };
  const isWhole = own.some(({ filter }) => filter.length === 0);
  const [first, ...others] = own.map(maskedBy);
  const masked = [...(first ?? [])].filter((name) => others.every((each) => each.has(name))).sort();
  return { rows: isWhole ? 'all' : own.map(({ filter }) => wordsOf(filter)).join(' or '), masked };
}

const WORDS_MAX = 300;

function wordsOf(filters: readonly MemberFilter[]): string {
  const text = filters.map(filterWords).join(' and ');
  return text.length <= WORDS_MAX ? text : `${text.slice(0, WORDS_MAX)}…`;
}

function filterWords(filter: MemberFilter): string {
  if (filter.kind !== 'member')
    return `(${filter.filters.map(filterWords).join(` ${filter.kind} `) || (filter.kind === 'and' ? 'all' : 'none')})`;
  const { member, operator, values } = filter;
  return [member.value, operator, ...(values.length === 0 ? [] : [values.map(String).join(', ')])].join(' ');
}
