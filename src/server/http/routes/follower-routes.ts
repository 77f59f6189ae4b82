/** Who follows what. */
import type { EventSeverity } from '../../../domain/event-types.ts';
import type { FollowingParty } from '../../../domain/follower.ts';
import { follow } from '../../../operations/notify/follow.ts';
import { following, listFollowers, ownFollow } from '../../../operations/notify/followers.ts';
import { knownTarget } from '../../../operations/notify/known-target.ts';
import { peopleOf } from '../../../operations/notify/people.ts';
import { unfollow } from '../../../operations/notify/unfollow.ts';
import { listSchemaOf } from '../answers/list-schema.ts';
import { followerBody } from '../answers/notification-body.ts';
import { PAGE_QUERY, page } from '../answers/page.ts';
import type { ProductCall, Route } from '../route.ts';
import { FOLLOW_BODY, FOLLOW_CHANGE, FOLLOWER, FOLLOWERS, TARGET } from '../schemas/notification-schemas.ts';

const about = { tag: 'followers', access: 'metadata:read' } as const;
const ME = '/followers/me';
const targetIn = ({ query }: ProductCall): string => String(query['target'] ?? 'product');

interface Written {
  readonly target: string;
  readonly events?: readonly string[];
  readonly channels?: readonly string[];
  readonly min_severity?: EventSeverity;
  readonly follower?: FollowingParty;
}

async function followed(
  call: ProductCall,
  { target, events, channels, follower, ...how }: Written,
): Promise<unknown> {
  const { platform, product, identity } = call;
  // An app is the principal of its name: what it may see counts.
  const app =
    follower?.kind === 'group' || follower === undefined
      ? undefined
      : (await peopleOf(platform, product, product.world.clock.now())).named(follower.name)[0];
  const { min_severity: minSeverity = 'warning' } = how;
  return followerBody(
    await follow(product, identity, { target, events, channels, minSeverity, party: follower, ownerId: app }),
  );
}

export const followerRoutes: readonly Route<ProductCall>[] = [
  {
    ...about,
    method: 'GET',
    path: '/followers',
    operationId: 'listFollowers',
    summary: 'How many follow a target; by name for owners of the product',
    query: { target: TARGET },
    answers: { 200: { description: 'followers', schema: FOLLOWERS } },
    handle: async (call) => {
      const target = await knownTarget(call.product, call.identity, targetIn(call));
      const { count, followers } = await listFollowers(call.product, call.identity, target);
      return { target, count, items: followers.map(followerBody) };
    },
  },
  {
    ...about,
    method: 'POST',
    path: '/followers',
    operationId: 'follow',
    summary: 'Follow a target; groups and apps, an owner of the product has them follow',
    body: FOLLOW_BODY,
    canRepeat: true,
    answers: { 201: { description: 'the follower', schema: FOLLOWER } },
    handle: async (call) => {
      const made = await followed(call, call.body as Written);
      call.reply.code(201);
      return made;
    },
  },
  {
    ...about,
    method: 'GET',
    path: ME,
    operationId: 'getFollow',
    summary: 'How the caller follows a target',
    query: { target: TARGET },
    answers: { 200: { description: 'the follower', schema: FOLLOWER } },
    handle: async (call) => followerBody(await ownFollow(call.product, call.identity, targetIn(call))),
  },
  {
    ...about,
    method: 'PUT',
    path: ME,
    operationId: 'putFollow',
    summary: 'Follow a target in the own name, or change how',
    query: { target: TARGET },
    body: FOLLOW_CHANGE,
    answers: { 200: { description: 'the follower', schema: FOLLOWER } },
    handle: (call) => followed(call, { ...(call.body as Omit<Written, 'target'>), target: targetIn(call) }),
  },
  {
    ...about,
    method: 'DELETE',
    path: ME,
    operationId: 'unfollow',
    summary: 'Follow a target no longer',
    query: { target: TARGET },
    answers: { 204: { description: 'it is not followed' } },
    handle: async (call) => {
      await unfollow(call.product, call.identity, { target: targetIn(call) });
      return call.reply.code(204).send();
    },
  },
  {
    ...about,
    method: 'GET',
    path: '/following',
    operationId: 'listFollowing',
    summary: 'What the caller follows, in their own name and through groups',
    query: PAGE_QUERY,
    answers: { 200: { description: 'followers', schema: listSchemaOf(FOLLOWER) } },
    handle: async ({ product, identity, query }) =>
      page((await following(product, identity)).map(followerBody), {
        query,
        keyOf: ({ follower, target }) => `${follower.kind}:${follower.name} ${target}`,
      }),
  },
];
