/*
 * What a channel is made of: what may be shown (`settings`) and what may not (`sealed`, one text). Addresses of Slack and Teams are
 * secrets themselves, because they are all that is needed to write there.
 */
import { randomBytes } from 'node:crypto';
import type { ChannelReach, ChannelTarget } from '../../domain/channel.ts';
import { channelProblem } from '../../domain/channel-problem.ts';
import { failure } from '../../domain/failure.ts';
import type { NotificationChannel } from '../../domain/notification.ts';
import type { Sealer } from '../../domain/sealer.ts';
import { newSigningKey, type SigningAlgorithm, type SigningKey } from '../../domain/signing-key.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a caller says of a channel, by kind; names of fields are those of the API. */
export interface WrittenChannel {
  readonly kind: NotificationChannel['kind'];
  readonly config: Fields;
}

const SHOWN: Readonly<Record<NotificationChannel['kind'], readonly string[]>> = {
  webhook: ['url', 'signature'],
  slack: ['channel'],
  teams: [],
  email: ['host', 'port', 'security', 'user', 'sender', 'recipients', 'subject'],
  inbox: [],
};

const SECRET: Readonly<Record<NotificationChannel['kind'], readonly string[]>> = {
  webhook: ['headers', 'signing_keys'],
  slack: ['url', 'token'],
  teams: ['url'],
  email: ['password'],
  inbox: [],
};

const purposeOf = (id: string): string => `channel ${id}`;

export function newKey(config: Fields, at: number): SigningKey {
  const algorithm = config['signature'] === 'ed25519' ? 'ed25519' : 'hmac';
  return newSigningKey(algorithm as SigningAlgorithm, {
    id: `key_${randomBytes(6).toString('hex')}`,
    random: randomBytes(32),
    at,
  });
}

/** Throws `notification.bad-channel`. Answers with what is stored; secrets that are not written again stay. */
export function storedChannel(
  id: string,
  { kind, config }: WrittenChannel,
  {
    sealer,
    reach,
    before = {},
  }: { readonly sealer: Sealer; readonly reach: ChannelReach; readonly before?: Fields | undefined },
): Pick<NotificationChannel, 'settings' | 'sealed'> {
  const unknown = Object.keys(config).find((name) => ![...SHOWN[kind], ...SECRET[kind]].includes(name));
  if (unknown !== undefined)
    throw failure('notification.bad-channel', { detail: `a ${kind} channel has no ${unknown}` });
  const secrets = { ...picked(before, SECRET[kind]), ...picked(config, SECRET[kind]) };
  const settings = picked(config, SHOWN[kind]);
  const target = targetFrom(kind, { ...settings, ...secrets });
  const problem = typeof target === 'string' ? target : target && channelProblem(target, reach);
  if (problem !== undefined) throw failure('notification.bad-channel', { detail: problem });
  if (Object.keys(secrets).length === 0) return { settings };
  return { settings, sealed: sealer.seal(JSON.stringify(secrets), purposeOf(id)) };
}

/** Throws `secret.*`. */
export function secretsOf({ id, sealed }: NotificationChannel, sealer: Sealer): Fields {
  return sealed === undefined ? {} : (JSON.parse(sealer.open(sealed, purposeOf(id))) as Fields);
}

/** As it is sent to; undefined for an inbox. Throws `secret.*`. */
export function targetOfChannel(channel: NotificationChannel, sealer: Sealer): ChannelTarget | undefined {
  const target = targetFrom(channel.kind, { ...channel.settings, ...secretsOf(channel, sealer) });
  if (typeof target === 'string') throw failure('notification.bad-channel', { detail: target });
  return target;
}

/** A text says what is missing. */
export function targetFrom(
  kind: NotificationChannel['kind'],
  fields: Fields,
): ChannelTarget | string | undefined {
  const text = (name: string): string | undefined =>
    typeof fields[name] === 'string' ? (fields[name] as string) : undefined;
  const url = text('url');
  switch (kind) {
    case 'inbox':
      return undefined;
    case 'webhook': {
      if (url === undefined) return 'a webhook needs a url';
      const headers = fields['headers'] as Readonly<Record<string, string>> | undefined;
      return {
        ...{ kind, url, signingKeys: (fields['signing_keys'] as readonly SigningKey[] | undefined) ?? [] },
        ...(headers === undefined ? {} : { headers }),
      };
    }
    case 'teams':
      return url === undefined ? 'Teams needs a url' : { kind, url };
    case 'slack': {
      if (url !== undefined) return { kind: 'slack-webhook', url };
      const [token, channel] = [text('token'), text('channel')];
      if (token === undefined || channel === undefined) return 'Slack needs a url, or a token and a channel';
      return { kind: 'slack-api', token, channel };
    }
    case 'email':
      return emailFrom(fields, text);
  }
}

function emailFrom(fields: Fields, text: (name: string) => string | undefined): ChannelTarget | string {
  const [host, sender, user, password, subject] = ['host', 'sender', 'user', 'password', 'subject'].map(text);
  const recipients = (fields['recipients'] ?? []) as readonly string[];
  if (host === undefined || sender === undefined) return 'email needs a host, a sender and recipients';
  return {
    ...{ kind: 'email', host, sender, recipients },
    ...(typeof fields['port'] === 'number' ? { port: fields['port'] } : {}),
    ...(text('security') === undefined ? {} : { security: text('security') as 'tls' | 'starttls' | 'none' }),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(subject === undefined ? {} : { subject }),
  };
}

const picked = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(
    names.flatMap((name) =>
      fields[name] === undefined || fields[name] === null ? [] : [[name, fields[name]]],
    ),
  );
