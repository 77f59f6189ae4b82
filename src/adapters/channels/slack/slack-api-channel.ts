import type { Channel, ChannelTarget, SendOutcome } from '../../../domain/channel.ts';
import { attempt } from '../connection/attempt.ts';
import type { Reaching } from '../connection/guarded-connection.ts';
import { guardedPost, type Posted } from '../connection/guarded-post.ts';
import { httpOutcome } from '../connection/http-outcome.ts';
import { slackError } from './slack-error.ts';
import { slackMessage } from './slack-message.ts';

const POST_MESSAGE = 'https://slack.com/api/chat.postMessage';

/** What may be otherwise a moment later; every other error of Slack is of the message, the token or the channel. */
const PASSING: ReadonlySet<string | undefined> = new Set([
  'ratelimited',
  'rate_limited',
  'message_limit_exceeded',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
]);

/** A token of a Slack app and a channel it may write to. `url`: where Slack is, for tests. */
export const slackApiChannel = (
  { token, channel }: Extract<ChannelTarget, { readonly kind: 'slack-api' }>,
  reaching: Reaching,
  url = POST_MESSAGE,
): Channel => ({
  send: (message, { signal, at }) =>
    attempt({ signal, totalMs: reaching.totalMs }, async (limited) => {
      const body = JSON.stringify({
        channel,
        unfurl_links: false,
        unfurl_media: false,
        ...slackMessage(message),
      });
      const headers = { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${token}` };
      const posted = await guardedPost({ url, headers, body }, reaching, limited);
      return posted.status === 200
        ? answered(posted)
        : httpOutcome(posted, { at, refuses: true, detail: slackError(errorOf(posted)?.error) });
    }),
});

/** Slack answers 200 to what it refuses, too. */
function answered(posted: Posted): SendOutcome {
  const answer = errorOf(posted);
  if (answer?.ok === true) return { kind: 'delivered', status: posted.status };
  const error = slackError(answer?.error);
  const reason = `Slack ${error === undefined ? 'gave an answer that is not one of its own' : `refused the message (${error})`}`;
  return {
    kind: 'failed',
    status: posted.status,
    reason,
    isPermanent: error !== undefined && !PASSING.has(error),
  };
}

function errorOf({ text }: Posted): { readonly ok?: unknown; readonly error?: unknown } | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}
