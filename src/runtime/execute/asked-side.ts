import type { AskedSide } from '../../compiler/semantic/perspectives/asked-side.ts';
import type { Environment } from '../../domain/environment.ts';
import type { Model } from '../../domain/model.ts';
import type { AppliedSemantics, Plan } from '../../domain/plan.ts';
import type { WorldReader } from '../world.ts';

/** What perspectives are asked of: an environment as it was applied, or as a plan would make it. Undefined when its semantics are not known. */
export async function askedSideOf(
  { state, engine, clock }: Pick<WorldReader, 'state' | 'engine' | 'clock'>,
  environment: Environment,
  plan?: Pick<Plan, 'id' | 'semantics' | 'snapshots'>,
): Promise<AskedSide | undefined> {
  const semantics = await semanticsIn(state, environment, plan);
  if (semantics === undefined) return undefined;
  const wanted = new Set(semantics.semanticModels.map(({ model }) => model.value.toLowerCase()));
  const fingerprints = environment.entries
    .filter(({ model }) => wanted.has(model.toLowerCase()))
    .map(({ fingerprint }) => fingerprint);
  const planned = new Map(
    (plan?.snapshots ?? []).map(({ snapshot, content }) => [snapshot.fingerprint, content.model]),
  );
  const stored = await state.snapshots.contents(fingerprints.filter((each) => !planned.has(each)));
  const models = fingerprints.flatMap((fingerprint): readonly Model[] =>
    planned.has(fingerprint)
      ? [planned.get(fingerprint) as Model]
      : [stored.get(fingerprint)?.model].filter((model) => model !== undefined),
  );
  return {
    semantics: { ...semantics, models },
    columns: new Map(environment.entries.map(({ model, columns }) => [model.toLowerCase(), columns])),
    naming: { environment: environment.name, suffixTarget: 'schema' },
    dialect: engine.dialect,
    now: clock.now(),
  };
}

async function semanticsIn(
  { snapshots }: WorldReader['state'],
  { semantics }: Environment,
  plan: Pick<Plan, 'id' | 'semantics'> | undefined,
): Promise<AppliedSemantics | undefined> {
  if (semantics === undefined) return { semanticModels: [], metrics: [] };
  if (semantics === plan?.id) return plan.semantics;
  return (await snapshots.plan(semantics))?.semantics;
}
