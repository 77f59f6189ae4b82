import type { Channel, ChannelTarget } from '../../../domain/channel.ts';
import { attempt } from '../connection/attempt.ts';
import type { Reaching } from '../connection/guarded-connection.ts';
import { guardedPost } from '../connection/guarded-post.ts';
import { httpOutcome } from '../connection/http-outcome.ts';
import { slackError } from './slack-error.ts';
import { slackMessage } from './slack-message.ts';

/** The address that Slack gives to one of its channels; it is a secret. */
export const slackWebhookChannel = (
  { url }: Extract<ChannelTarget, { readonly kind: 'slack-webhook' }>,
  reaching: Reaching,
): Channel => ({
  send: (message, { signal, at }) =>
    attempt({ signal, totalMs: reaching.totalMs }, async (limited) => {
      const body = JSON.stringify(slackMessage(message));
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      const posted = await guardedPost({ url, headers, body }, reaching, limited);
      return httpOutcome(posted, { at, refuses: true, detail: slackError(posted.text) });
    }),
});
