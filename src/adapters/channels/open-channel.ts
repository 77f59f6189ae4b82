/** Opens the channel that a target describes; the code of a kind is loaded when its first message is sent. */
import type { Attempt, Channel, ChannelMessage, ChannelTarget, SendOutcome } from '../../domain/channel.ts';
import { channelProblem } from '../../domain/channel-problem.ts';
import { unreachable } from '../../foundation/unreachable.ts';
import type { Reaching } from './connection/guarded-connection.ts';

/** A channel that cannot work says so in the outcome of each attempt. */
export function openChannel(target: ChannelTarget, reaching: Reaching): Channel {
  const problem = channelProblem(target, reaching);
  if (problem !== undefined)
    return { send: async () => ({ kind: 'failed', reason: problem, isPermanent: true }) };
  let opened: Promise<Channel> | undefined;
  return {
    async send(message: ChannelMessage, attempt: Attempt): Promise<SendOutcome> {
      opened ??= channelOf(target, reaching);
      return (await opened).send(message, attempt);
    },
  };
}

async function channelOf(target: ChannelTarget, reaching: Reaching): Promise<Channel> {
  switch (target.kind) {
    case 'webhook':
      return (await import('./webhook/webhook-channel.ts')).webhookChannel(target, reaching);
    case 'slack-webhook':
      return (await import('./slack/slack-webhook-channel.ts')).slackWebhookChannel(target, reaching);
    case 'slack-api':
      return (await import('./slack/slack-api-channel.ts')).slackApiChannel(target, reaching);
    case 'teams':
      return (await import('./teams/teams-channel.ts')).teamsChannel(target, reaching);
    case 'email':
      return (await import('./email/email-channel.ts')).emailChannel(target, reaching);
    default:
      return unreachable(target);
  }
}
