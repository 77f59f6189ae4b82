import type { ConfiguredSubscriber, Subscriptions } from '../../compiler/notify/fan-out-event.ts';
import type { Reach } from '../../compiler/notify/reach.ts';
import { environmentName } from '../../domain/environment.ts';
import { type Follower, targetOf } from '../../domain/follower.ts';
import type { PerspectiveViewer } from '../../domain/perspective.ts';
import { viewerOf } from '../perspectives/viewer-of.ts';
import type { Product } from '../platform.ts';
import type { People } from './people.ts';

/** Everything that was set up in a product, with who is who at this moment. */
export async function subscriptionsOf(
  product: Product,
  {
    people,
    reach,
    configured,
  }: {
    readonly people: People;
    readonly reach: Pick<Reach, 'models' | 'metrics'>;
    readonly configured: readonly ConfiguredSubscriber[];
  },
): Promise<Subscriptions> {
  const { slug, world } = product;
  const { config } = world;
  const { notifications } = world.state;
  const [channels, rules, followers, preferences] = await Promise.all([
    notifications.settings('channel', {}),
    notifications.settings('rule', {}),
    notifications.settings('follower', {}),
    notifications.settings('preference', {}),
  ]);
  const isKnown = ({ ownerId }: { readonly ownerId: string }): boolean => people.byId(ownerId) !== undefined;
  return {
    product: slug,
    defaultEnvironment: environmentName(config.environments.defaultTarget),
    channels: new Map(channels.map((each) => [each.id, each])),
    rules: rules.filter(isKnown),
    followers: await visibleFollowers(product, followers.filter(isKnown), people),
    preferences: new Map(preferences.map((each) => [each.id, each])),
    configured,
    membersOf: (group) => people.membersOf(group),
    ownersOf: (targets) => ownersOf(targets, people, reach),
  };
}

/** Without those of perspectives that they may not see now; a group goes by what is visible to all its members. */
async function visibleFollowers(
  product: Product,
  followers: readonly Follower[],
  people: People,
): Promise<readonly Follower[]> {
  const found: Follower[] = [];
  for (const follower of followers) {
    const target = targetOf(follower.target);
    const owner = people.byId(follower.ownerId);
    if (target?.kind === 'perspective') {
      const { party } = follower;
      const viewer: PerspectiveViewer | undefined =
        party.kind === 'group'
          ? { principalId: '', shareKeys: [`group:${party.name}`], isAdmin: false }
          : owner && viewerOf(product, owner);
      if (viewer === undefined) continue;
      if ((await product.world.state.perspectives.perspective(target.name, viewer)) === undefined) continue;
    }
    found.push(follower);
  }
  return found;
}

function ownersOf(
  targets: Iterable<string>,
  people: People,
  { models, metrics }: Pick<Reach, 'models' | 'metrics'>,
): readonly string[] {
  const found = new Set(people.owners);
  for (const key of targets) {
    const target = targetOf(key);
    if (target === undefined || target.kind === 'product' || target.kind === 'perspective') continue;
    const owner =
      target.kind === 'model'
        ? models.find(({ name }) => name === target.name)?.owner
        : metrics.find(({ name }) => name.value === target.name)?.owner;
    for (const id of owner === undefined ? [] : people.named(owner)) found.add(id);
  }
  return [...found];
}
