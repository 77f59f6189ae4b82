import type { Perspective, PerspectiveQuery } from '../../../domain/perspective.ts';
import type { MemberFacts, SemanticModel } from '../../../domain/semantic-model.ts';
import type { Semantics } from '../../../domain/semantics.ts';
import { splice } from '../../../foundation/sql/splice.ts';
import { identifierText, tokenize } from '../../../foundation/sql/tokenize.ts';
import { canonicalContent } from '../../../foundation/yaml/canonical-content.ts';
import { ASKED_DIALECT } from '../sql/asked-dialect.ts';

/** A member that has another name and the same definition. */
export interface RenamedMember {
  /** Of the semantic model. */
  readonly model: string;
  readonly from: string;
  readonly to: string;
}

/** Members that are gone, each with the only new member of the same kind and definition in its model. */
export function renamedMembers(before: Semantics, after: Semantics): readonly RenamedMember[] {
  const later = new Map(after.semanticModels.map((model) => [model.name.value.toLowerCase(), model]));
  return before.semanticModels.flatMap((model) => {
    const other = later.get(model.name.value.toLowerCase());
    return other === undefined ? [] : renamedIn(model, other);
  });
}

function renamedIn(before: SemanticModel, after: SemanticModel): readonly RenamedMember[] {
  return (['dimensions', 'measures', 'segments'] as const).flatMap((kind) => {
    const [old, now] = [before[kind] ?? [], after[kind] ?? []] as readonly (readonly MemberFacts[])[];
    const gone = missingIn(old ?? [], now ?? []);
    const added = missingIn(now ?? [], old ?? []);
    return gone.flatMap((member) => {
      const same = (each: MemberFacts): boolean => meaningOf(each) === meaningOf(member);
      const candidates = added.filter(same);
      const [only] = candidates;
      // A column without an expression is what its name says.
      const isNamed = meaningOf(member).includes('"expression"');
      const isOnly = isNamed && candidates.length === 1 && gone.filter(same).length === 1;
      return only === undefined || !isOnly
        ? []
        : [{ model: before.name.value, from: member.name.value, to: only.name.value }];
    });
  });
}

const missingIn = (some: readonly MemberFacts[], others: readonly MemberFacts[]): readonly MemberFacts[] => {
  const names = new Set(others.map(({ name }) => name.value.toLowerCase()));
  return some.filter(({ name }) => !names.has(name.value.toLowerCase()));
};

/** What a member computes, whatever it is called. */
function meaningOf(member: MemberFacts): string {
  const {
    name: _,
    title: __,
    description: ___,
    tags: ____,
    terms: _____,
    aiContext: ______,
    ...meaning
  } = member;
  return canonicalContent(meaning);
}

/** A question with the new names; the same one when it has none of the old ones. */
export function withRenames(
  { query }: Pick<Perspective, 'query'>,
  renames: readonly RenamedMember[],
): PerspectiveQuery {
  return query.kind === 'sql'
    ? { kind: 'sql', sql: renamedText(query.sql, renames) }
    : { kind: 'semantic', query: renamedData(query.query, renames) };
}

/** Names of members are texts and keys of a query: `model.member`, perhaps with a unit of time. Values of filters stay. */
function renamedData(data: unknown, renames: readonly RenamedMember[]): unknown {
  const named = (text: string): string => {
    for (const { model, from, to } of renames) {
      const old = `${model}.${from}`.toLowerCase();
      const rest = text.toLowerCase().startsWith(old) ? text.slice(old.length) : undefined;
      if (rest === '' || rest?.startsWith('.')) return `${text.slice(0, model.length)}.${to}${rest}`;
    }
    return text;
  };
  const walk = (each: unknown): unknown => {
    if (typeof each === 'string') return named(each);
    if (Array.isArray(each)) return each.map(walk);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(
      Object.entries(each).map(([key, value]) => [
        named(key),
        key === 'values' || key === 'dateRange' || key === 'compareDateRange' ? value : walk(value),
      ]),
    );
  };
  return walk(data);
}

/** Identifiers of SQL; the name after AS is that of a column of the answer, and stays. */
function renamedText(sql: string, renames: readonly RenamedMember[]): string {
  const { tokens } = tokenize(sql, ASKED_DIALECT);
  const edits = tokens.flatMap((token, at) => {
    if (token.kind !== 'word' && token.kind !== 'name') return [];
    const name = identifierText(token).toLowerCase();
    const found = renames.find(({ from }) => from.toLowerCase() === name);
    const isAlias = tokens[at - 1]?.text.toUpperCase() === 'AS';
    return found === undefined || isAlias ? [] : [{ start: token.start, end: token.end, text: found.to }];
  });
  return splice(sql, edits);
}
