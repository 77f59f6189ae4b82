/*
 * What the conditions and masks of policies mean, as texts: two that are equal keep and hide the same. A condition names members, and
 * what a member means may change while its name stays, so the text has the SQL of each member down to columns.
 */

import type { MemberFilter } from '../../../domain/semantic-model.ts';
import { hash128 } from '../../../foundation/hash128.ts';
import { canonicalContent } from '../../../foundation/yaml/canonical-content.ts';
import type { IndexedModel, RowExpression } from '../indexed-model.ts';
import { namedModel } from '../name-paths.ts';
import type { SemanticIndex } from '../semantic-index.ts';
import { readerOf } from './visibility.ts';

/** Policies see everything that they name. */
const UNRESTRICTED = { caller: { groups: [], isUnrestricted: true } };

/** A condition on the rows of a semantic model. */
export function filterMeaning(index: SemanticIndex, model: IndexedModel, filter: MemberFilter): string {
  const meanings = membersIn(filter).map((word) => dimensionMeaning(index, model, word));
  return `${canonicalContent(filter)} ${hash128(...meanings)}`;
}

/** What is shown in place of a member; empty: nothing. */
export function maskMeaning(index: SemanticIndex, model: IndexedModel, name: string): string {
  const member = model.members.get(name);
  const mask = member?.kind === 'dimension' ? member.dimension?.maskExpression : undefined;
  return mask === undefined ? '' : hash128(rowMeaning(readerOf(index, UNRESTRICTED).row(model, mask)));
}

function dimensionMeaning(index: SemanticIndex, model: IndexedModel, word: string): string {
  const [first = '', second] = word.split('.');
  const named = second === undefined ? undefined : namedModel(index, first);
  const row = readerOf(index, UNRESTRICTED).dimension(named?.model ?? model, second ?? first);
  return `${named?.model.name ?? model.name}: ${rowMeaning(row)}`;
}

/** The expression and the columns that it reads, over which joins. */
function rowMeaning({ tree, slots }: RowExpression): string {
  const columns = [...slots].map(([slot, { path, column }]) => [
    slot,
    column,
    path.map(({ owner, join, isReversed }) => [owner, join, isReversed]),
  ]);
  return canonicalContent([tree, columns]);
}

function membersIn(filter: MemberFilter): readonly string[] {
  return filter.kind === 'member' ? [filter.member.value] : filter.filters.flatMap(membersIn);
}
