/** Every channel passes the suite of its port, against receivers on this machine. */
import { describe } from 'vitest';
import { openChannel } from '../../src/adapters/channels/open-channel.ts';
import { slackApiChannel } from '../../src/adapters/channels/slack/slack-api-channel.ts';
import { newSigningKey } from '../../src/domain/signing-key.ts';
import { httpReceiver } from '../support/receivers/http-receiver.ts';
import { smtpReceiver } from '../support/receivers/smtp-receiver.ts';
import { type ChannelKit, channelConformance } from './channel.ts';

const SECRET_PATH = '/services/T0SECRET/B0SECRET?sig=qwertz';
const key = newSigningKey('hmac', { id: 'k1', random: Buffer.alloc(32, 7), at: 0 });

const overHttp = (answer = 'ok', status = 200): Pick<ChannelKit, 'receiver' | 'lacks'> => ({
  receiver: (behaviour, location = '') => httpReceiver(behaviour, { answer, status, location }),
  lacks: [],
});

describe('a webhook', () =>
  channelConformance({
    ...overHttp(''),
    open: (port, reaching) =>
      openChannel(
        {
          kind: 'webhook',
          url: `http://127.0.0.1:${port}${SECRET_PATH}`,
          signingKeys: [key],
          headers: { 'x-team': 'sekret-header' },
        },
        reaching,
      ),
    secrets: ['SECRET', 'qwertz', key.secret.slice(6), 'sekret-header'],
    statusCounts: true,
  }));

describe('a webhook of Slack', () =>
  channelConformance({
    ...overHttp(),
    open: (port, reaching) =>
      openChannel({ kind: 'slack-webhook', url: `http://127.0.0.1:${port}${SECRET_PATH}` }, reaching),
    secrets: ['SECRET', 'qwertz'],
    statusCounts: true,
  }));

describe('the API of Slack', () =>
  channelConformance({
    ...overHttp('{"ok":true}'),
    open: (port, reaching) =>
      slackApiChannel(
        { kind: 'slack-api', token: 'xoxb-sekret-token', channel: '#data' },
        reaching,
        `http://127.0.0.1:${port}/api/chat.postMessage`,
      ),
    secrets: ['xoxb-sekret-token'],
    statusCounts: false,
  }));

describe('a workflow of Teams', () =>
  channelConformance({
    ...overHttp('', 202),
    open: (port, reaching) =>
      openChannel({ kind: 'teams', url: `http://127.0.0.1:${port}${SECRET_PATH}` }, reaching),
    secrets: ['SECRET', 'qwertz'],
    statusCounts: true,
  }));

describe('email', () =>
  channelConformance({
    receiver: (behaviour) => smtpReceiver(behaviour),
    open: (port, reaching) =>
      openChannel(
        {
          kind: 'email',
          host: '127.0.0.1',
          port,
          security: 'none',
          sender: 'Plinth <plinth@example.com>',
          recipients: ['ada@example.com'],
        },
        reaching,
      ),
    secrets: [],
    statusCounts: false,
    lacks: ['redirects', 'asks-to-wait'],
  }));
