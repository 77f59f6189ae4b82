/*
 * Which policies hold in an environment, and how far they reach.
 *
 *   the default environment   its own
 *   any other                 its own and those of the default one: each restricts
 *
 * What the default environment says of a semantic model holds for the one of the same name over the same model. One that it does not
 * know is closed to callers from whom the default environment's policies hide the rows of its model.
 */

import { ColumnFlow, type FlowModel } from '../../compiler/semantic/access/column-flow.ts';
import { hiddenBy, type Protection } from '../../compiler/semantic/access/protected-data.ts';
import { accessOf, isRestricted } from '../../compiler/semantic/policies.ts';
import type { SemanticIndex } from '../../compiler/semantic/semantic-index.ts';
import { indexOf } from '../../compiler/semantic/semantic-index.ts';
import type { EnvironmentPolicies } from '../../compiler/semantic/statement-context.ts';
import { type Environment, isRollup } from '../../domain/environment.ts';
import type { MemberFilter, SemanticModel } from '../../domain/semantic-model.ts';
import type { Guard, Semantics } from '../../domain/semantics.ts';
import { canonicalContent } from '../../foundation/yaml/canonical-content.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** An environment with the semantics it was applied with. */
export interface ReadEnvironment {
  readonly environment: Environment;
  readonly semantics: Semantics | 'unreadable';
}

const EMPTY: Semantics = { semanticModels: [], metrics: [], models: [] };

/** `home` is the default environment where that is another one. */
export async function environmentPolicies(
  world: OpenedWorldReader,
  asked: ReadEnvironment,
  home: ReadEnvironment | undefined,
): Promise<EnvironmentPolicies> {
  const all = home === undefined ? [asked] : [asked, home];
  const indexes = all.map(({ semantics }) => (semantics === 'unreadable' ? undefined : indexOf(semantics)));
  let reading: Promise<Protection> | undefined;
  const protection = (): Promise<Protection> => {
    reading ??= readProtection(world, all, indexes).catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
  const semantics = asked.semantics === 'unreadable' ? EMPTY : asked.semantics;
  const isUnreadable = indexes.includes(undefined);
  if (home === undefined || home.semantics === 'unreadable' || !hasPolicies(indexes[1]))
    return { semantics, protection, isUnreadable };
  const { flow, indexes: known } = await protection();
  const guards = guardsOf(semantics, { semantics: home.semantics, index: indexes[1], flow });
  return {
    semantics: guards.size === 0 ? semantics : { ...semantics, guards },
    protection,
    isUnreadable: known.includes(undefined),
  };
}

const hasPolicies = (index: SemanticIndex | undefined): index is SemanticIndex =>
  index !== undefined && [...index.models.values()].some(({ policySets }) => policySets.length > 0);

/** Made of what is stored of the models that the environments show; a model of which nothing is stored could lead anywhere. */
async function readProtection(
  { state }: OpenedWorldReader,
  environments: readonly ReadEnvironment[],
  indexes: Protection['indexes'],
): Promise<Protection> {
  const entries = environments.flatMap(({ environment }) => environment.entries);
  const rollups = new Set(entries.filter(isRollup).map(({ model }) => model));
  if (!indexes.some(hasPolicies)) return { flow: new ColumnFlow([]), indexes, rollups };
  const fingerprints = new Set(
    entries.filter((entry) => !isRollup(entry)).map(({ fingerprint }) => fingerprint),
  );
  const contents = await state.snapshots.contents([...fingerprints]);
  const models = [...contents.values()].map(({ model, audits }): FlowModel => ({ model, audits }));
  const isWhole = contents.size === fingerprints.size;
  return { flow: new ColumnFlow(models), indexes: isWhole ? indexes : indexes.map(() => undefined), rollups };
}

interface Home {
  readonly semantics: Semantics;
  readonly index: SemanticIndex;
  readonly flow: ColumnFlow;
}

function guardsOf(semantics: Semantics, home: Home): ReadonlyMap<string, Guard> {
  const guards = new Map<string, Guard>();
  const named = new Map(home.semantics.semanticModels.map((each) => [each.name.value.toLowerCase(), each]));
  for (const semantic of semantics.semanticModels) {
    const key = semantic.name.value.toLowerCase();
    const guard = guardOf(semantic, named.get(key), { asked: semantics, home });
    if (guard !== undefined) guards.set(key, guard);
  }
  return guards;
}

function guardOf(
  semantic: SemanticModel,
  other: SemanticModel | undefined,
  { asked, home }: { readonly asked: Semantics; readonly home: Home },
): Guard | undefined {
  const model = semantic.model.value.toLowerCase();
  if (other === undefined || other.model.value.toLowerCase() !== model)
    return (caller) =>
      caller.models?.has(model) !== true && hiddenBy(home, home.index, { caller, model }) !== 'none';
  if (other.policies.length === 0) return undefined;
  if (canonicalContent(other.policies) === canonicalContent(semantic.policies)) return undefined;
  if (hasSameMembers(semantic, other, { asked, home })) return other.policies;
  // What its policies name means something else here, so what they would leave is unknown.
  const indexed = home.index.models.get(other.name.value.toLowerCase());
  return (caller) => indexed === undefined || isRestricted(accessOf(indexed, caller));
}

/** Whether the members that the policies of `other` name are defined alike in both. */
function hasSameMembers(
  semantic: SemanticModel,
  other: SemanticModel,
  { asked, home }: { readonly asked: Semantics; readonly home: Home },
): boolean {
  const words = other.policies.flatMap(({ filter, mask }) => [
    ...filter.flatMap(membersIn),
    ...mask.map(({ value }) => value),
  ]);
  return words.every((word) => {
    const [first = '', second] = word.toLowerCase().split('.');
    if (second === undefined) return isSameMember(semantic, other, first);
    if (canonicalContent(semantic.joins) !== canonicalContent(other.joins)) return false;
    const [one, two] = [asked, home.semantics].map(({ semanticModels }) =>
      canonicalContent(semanticModels.map(({ file: _, policies: __, ...each }) => each)),
    );
    return one === two;
  });
}

const isSameMember = (one: SemanticModel, other: SemanticModel, name: string): boolean => {
  const [own, others] = [one, other].map(({ dimensions }) =>
    canonicalContent(dimensions?.find((each) => each.name.value.toLowerCase() === name) ?? null),
  );
  return own === others;
};

function membersIn(filter: MemberFilter): readonly string[] {
  return filter.kind === 'member' ? [filter.member.value] : filter.filters.flatMap(membersIn);
}
