/** `notification_targets` of config.yaml: of the product, and of its users. They are not stored, and need no principal. */
import type { Channel, ChannelTarget, OpenChannel } from '../../domain/channel.ts';
import type { Config, NotificationTarget } from '../../domain/config.ts';
import type { StoredEvent } from '../../domain/event.ts';
import { notifiesOn } from '../../domain/notify-on.ts';
import { hash128 } from '../../foundation/hash128.ts';

export interface ConfiguredTarget {
  /** Made of what it says: another target is another subscriber. */
  readonly name: string;
  /** Whose it is; absent: the product's. */
  readonly user?: string;
  readonly target: NotificationTarget;
  readonly notifiesOn: (event: StoredEvent) => boolean;
}

export function configuredTargets({
  notificationTargets,
  users,
}: Pick<Config, 'notificationTargets' | 'users'>): readonly ConfiguredTarget[] {
  const all = [
    ...notificationTargets.map((target) => ({ target })),
    ...users.flatMap(({ username: user, notificationTargets: own }) =>
      own.map((target) => ({ target, user })),
    ),
  ];
  return all.map(({ target, ...whose }) => ({
    name: hash128(JSON.stringify([target, whose])),
    ...whose,
    target,
    notifiesOn: (event) => notifiesOn(event, target.notifyOn),
  }));
}

export function openConfigured(
  { target: { type, options }, name }: ConfiguredTarget,
  {
    openChannel,
    onConsole,
  }: { readonly openChannel: OpenChannel; readonly onConsole: (line: string) => void },
): Channel {
  const opened = type === 'console' ? undefined : channelTarget({ type, options, name });
  if (opened === undefined) return consoleChannel(onConsole);
  if (typeof opened === 'string')
    return { send: async () => ({ kind: 'failed', reason: opened, isPermanent: true }) };
  return openChannel(opened, { allowPrivate: options['allow_private'] === true });
}

const consoleChannel = (write: (line: string) => void): Channel => ({
  send: async ({ title }) => {
    write(title);
    return { kind: 'delivered', status: 0 };
  },
});

/** As a channel knows it; a text says what is missing. */
function channelTarget({
  type,
  options,
  name,
}: Pick<NotificationTarget, 'type' | 'options'> & { readonly name: string }): ChannelTarget | string {
  const text = (key: string): string | undefined =>
    options[key] === undefined ? undefined : String(options[key]);
  const url = text('url');
  switch (type) {
    case 'slack_webhook':
      return url === undefined ? 'the target has no url' : { kind: 'slack-webhook', url };
    case 'teams_webhook':
      return url === undefined ? 'the target has no url' : { kind: 'teams', url };
    case 'slack_api': {
      const [token, channel] = [text('token'), text('channel')];
      return token === undefined || channel === undefined
        ? 'the target needs a token and a channel'
        : { kind: 'slack-api', token, channel };
    }
    case 'webhook':
      return webhookTarget({ url, options, name });
    case 'smtp':
      return smtpTarget(options, text);
    default:
      return `there is no channel of type ${type}`;
  }
}

function webhookTarget({
  url,
  options,
  name,
}: {
  readonly url: string | undefined;
  readonly options: NotificationTarget['options'];
  readonly name: string;
}): ChannelTarget | string {
  const { secret, signature, headers } = options;
  if (url === undefined) return 'the target has no url';
  if (typeof secret !== 'string') return 'the target has no secret to sign with';
  const algorithm = signature === 'ed25519' ? 'ed25519' : 'hmac';
  return {
    ...{ kind: 'webhook', url, signingKeys: [{ id: name, algorithm, secret, createdAt: 0 }] },
    ...(headers === undefined ? {} : { headers: headers as Readonly<Record<string, string>> }),
  };
}

function smtpTarget(
  options: NotificationTarget['options'],
  text: (key: string) => string | undefined,
): ChannelTarget | string {
  const [host, sender, user, password, subject] = ['host', 'sender', 'user', 'password', 'subject'].map(text);
  if (host === undefined || sender === undefined) return 'the target needs a host, a sender and recipients';
  return {
    ...{
      kind: 'email',
      host,
      sender,
      recipients: ((options['recipients'] ?? []) as readonly unknown[]).map(String),
    },
    ...(options['port'] === undefined ? {} : { port: Number(options['port']) }),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(subject === undefined ? {} : { subject }),
  };
}
