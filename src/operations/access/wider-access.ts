import type { AppliedAccess } from '../../compiler/plan/access/wider-access.ts';
import { widerAccess } from '../../compiler/plan/access/wider-access.ts';
import { widerGrants } from '../../compiler/plan/access/wider-grants.ts';
import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import type { Model } from '../../domain/model.ts';
import type { AppliedSemantics, Plan } from '../../domain/plan.ts';
import type { SemanticModel } from '../../domain/semantic-model.ts';
import type { WiderAccess } from '../../domain/wider-access.ts';
import { semanticsOf } from '../applied-semantics.ts';
import { environmentOf, type OpenedWorldReader } from '../open-world.ts';

/** What callers see more of after a plan than its environment shows now. */
export async function widerAccessOf(world: OpenedWorldReader, plan: Plan): Promise<readonly WiderAccess[]> {
  const { snapshots } = world.state;
  const present = await snapshots.environment(plan.environment);
  const name = environmentOf(world.config, undefined);
  const beside = name === plan.environment ? undefined : await snapshots.environment(name);
  const base = present ?? beside;
  if (base === undefined) return [];
  const grants = base.access === undefined ? [] : widerGrants(base.access, plan.target.access ?? []);
  return [...(await widerData(world, plan, { present, beside })), ...grants];
}

async function widerData(
  world: OpenedWorldReader,
  plan: Plan,
  {
    present,
    beside,
  }: { readonly present: Environment | undefined; readonly beside: Environment | undefined },
): Promise<readonly WiderAccess[]> {
  if (present !== undefined && isSameData(present, plan.target)) return [];
  const after = plan.semantics ??
    (await semanticsOf(world, plan.target)) ?? { semanticModels: [], metrics: [] };
  const [before, other] = await Promise.all(
    [present, beside].map(
      async (each) => each && { environment: each, semanticModels: await policedBy(world, each, after) },
    ),
  );
  const isPoliced = [before, other].some((each) =>
    each?.semanticModels.some(({ policies }) => policies.length > 0),
  );
  if (!isPoliced) return [];
  const models = await modelsOf(
    world,
    plan,
    [present, beside, plan.target].flatMap((each) => each?.entries ?? []),
  );
  const appliedOf = (
    semanticModels: readonly SemanticModel[],
    { entries }: Pick<Environment, 'entries'>,
  ): AppliedAccess => ({
    semanticModels,
    models: entries.flatMap(({ fingerprint }) => models.get(fingerprint) ?? []),
  });
  return widerAccess({
    before: before && appliedOf(before.semanticModels, before.environment),
    beside: other && appliedOf(other.semanticModels, other.environment),
    after: appliedOf(after.semanticModels, plan.target),
  });
}

/** The same semantics over the same models show the same. */
function isSameData(one: Environment, other: Environment): boolean {
  const fingerprints = (of: Environment): string =>
    of.entries
      .map(({ fingerprint }) => fingerprint)
      .sort()
      .join();
  return one.semantics === other.semantics && fingerprints(one) === fingerprints(other);
}

/** Semantic models as they were applied. Those that cannot be read show nothing to any caller: whatever follows them is more. */
async function policedBy(
  world: OpenedWorldReader,
  environment: Environment,
  after: AppliedSemantics,
): Promise<readonly SemanticModel[]> {
  const found = await semanticsOf(world, environment);
  if (found !== undefined) return found.semanticModels;
  const hasSome = Object.keys(environment.definitions).some((key) => key.startsWith('semantic:'));
  if (!hasSome && environment.semantics === undefined) return [];
  const closed = { group: { value: '', start: 0, end: 0 }, filter: [], mask: [] };
  return after.semanticModels.map((semantic) => ({ ...semantic, policies: [closed] }));
}

/** By fingerprint; those that the plan brings are not in state yet. */
async function modelsOf(
  { state }: OpenedWorldReader,
  { snapshots }: Plan,
  entries: readonly EnvironmentEntry[],
): Promise<ReadonlyMap<string, Model>> {
  const fresh = new Map(snapshots.map(({ snapshot, content }) => [snapshot.fingerprint, content.model]));
  const wanted = new Set(entries.map(({ fingerprint }) => fingerprint).filter((each) => !fresh.has(each)));
  const known = await state.snapshots.contents([...wanted]);
  return new Map([...fresh, ...[...known].map(([fingerprint, { model }]) => [fingerprint, model] as const)]);
}
