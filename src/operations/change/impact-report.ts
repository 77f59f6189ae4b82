import { changeImpact, type KnownChange } from '../../compiler/impact/change-impact.ts';
import { targetKey } from '../../domain/follower.ts';
import type { ImpactReport, ReachedFollower } from '../../domain/impact.ts';
import type { Perspective } from '../../domain/perspective.ts';
import type { Project } from '../../domain/project.ts';
import { everyPerspective } from '../../runtime/execute/every-perspective.ts';
import type { WorldReader } from '../../runtime/world.ts';
import { consumersOf } from './consumers-of.ts';

type World = Pick<WorldReader, 'state' | 'clock'>;

/** What a change reaches, with who follows it and who asked for it of late, for all readers together. */
export async function impactReport(
  { state, clock }: World,
  project: Pick<Project, 'models' | 'semanticModels' | 'metrics'>,
  change: KnownChange & { readonly environment: string },
): Promise<ImpactReport> {
  const perspectives: Perspective[] = [];
  for await (const page of everyPerspective(state.perspectives)) perspectives.push(...page);
  const found = changeImpact(project, change, perspectives);
  const { sides } = change;
  const [followers, consumers] = await Promise.all([
    followersOf({ state }, found),
    sides === undefined ? [] : consumersOf({ state, clock }, { ...change, sides }),
  ]);
  return { ...found, followers, consumers };
}

async function followersOf(
  { state }: Pick<World, 'state'>,
  { models, semantics, perspectives }: Pick<ImpactReport, 'models' | 'semantics' | 'perspectives'>,
): Promise<readonly ReachedFollower[]> {
  const targets = new Set([
    ...models.map(({ name }) => targetKey({ kind: 'model', name })),
    ...semantics.flatMap(({ kind, name }) => (kind === 'metric' ? [targetKey({ kind, name })] : [])),
    ...perspectives.map(({ perspective: { id } }) => targetKey({ kind: 'perspective', name: id })),
  ]);
  if (targets.size === 0) return [];
  const followers = await state.notifications.settings('follower', {});
  return followers
    .filter(({ target }) => target === 'product' || targets.has(target))
    .map(({ party, target }) => ({ party, target }));
}
