import type { EventSeverity } from '../../domain/event-types.ts';
import { type Follower, partyKey } from '../../domain/follower.ts';
import { follow } from '../../operations/notify/follow.ts';
import { following, ownParty } from '../../operations/notify/followers.ts';
import { unfollow } from '../../operations/notify/unfollow.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { openFollowing } from '../open-following.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { product, identity } = await openFollowing(context);
  const [target] = context.arguments;
  if (target === undefined) {
    const all = await following(product, identity);
    return {
      data: { following: all.map(followerJson) },
      print: ({ out, note }) => {
        for (const { target: followed, party, minSeverity } of all)
          out(`${followed}  from ${minSeverity} on  (${partyKey(party)})`);
        if (all.length === 0) note(`${identity.name} follows nothing.`);
      },
    };
  }
  const group = context.values.get('group');
  const party = group === undefined ? ownParty(identity) : { kind: 'group' as const, name: group };
  if (context.switches.has('remove')) {
    await unfollow(product, identity, { target, party });
    return { data: { target }, print: ({ note }) => note(`${party.name} follows ${target} no longer.`) };
  }
  const events = context.lists.get('event');
  const minSeverity = (context.values.get('severity') ?? 'warning') as EventSeverity;
  const made = await follow(product, identity, { target, party, minSeverity, events });
  return { data: followerJson(made), print: ({ note }) => note(`${party.name} follows ${made.target}.`) };
}

const followerJson = ({ party, target, events, minSeverity }: Follower) => ({
  ...{ follower: party, target, min_severity: minSeverity, events: events ?? null },
});
