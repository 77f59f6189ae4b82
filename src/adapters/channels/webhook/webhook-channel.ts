/** Events as CloudEvents in JSON, signed as Standard Webhooks says. */
import type { Channel, ChannelMessage, ChannelTarget } from '../../../domain/channel.ts';
import { signaturesOf, signingKeysAt } from '../../../domain/signing-key.ts';
import { attempt } from '../connection/attempt.ts';
import type { Reaching } from '../connection/guarded-connection.ts';
import { guardedPost } from '../connection/guarded-post.ts';
import { httpOutcome } from '../connection/http-outcome.ts';
import { SendProblem } from '../connection/send-problem.ts';

type WebhookTarget = Extract<ChannelTarget, { readonly kind: 'webhook' }>;

export const webhookChannel = (target: WebhookTarget, reaching: Reaching): Channel => ({
  send: (message, { signal, at }) =>
    attempt({ signal, totalMs: reaching.totalMs }, async (limited) => {
      const { contentType, body } = bodyOf(message);
      const headers = { ...withLowNames(target.headers ?? {}), 'content-type': contentType };
      const signed = { ...headers, ...signedHeaders(target, { id: message.id, at, body }) };
      return httpOutcome(await guardedPost({ url: target.url, headers: signed, body }, reaching, limited), {
        at,
        refuses: false,
      });
    }),
});

function bodyOf({ body }: ChannelMessage): { readonly contentType: string; readonly body: string } {
  return body.kind === 'event'
    ? { contentType: 'application/cloudevents+json; charset=utf-8', body: JSON.stringify(body.event) }
    : { contentType: 'application/cloudevents-batch+json; charset=utf-8', body: JSON.stringify(body.events) };
}

function signedHeaders(
  { signingKeys }: WebhookTarget,
  { id, at, body }: { readonly id: string; readonly at: number; readonly body: string },
): Readonly<Record<string, string>> {
  const keys = signingKeysAt(signingKeys, at);
  if (keys.length === 0) throw new SendProblem('every key of the channel has retired', { isPermanent: true });
  const timestamp = Math.floor(at / 1000);
  return {
    'user-agent': 'Plinth',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signaturesOf(keys, { id, timestamp, body }),
  };
}

const withLowNames = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
