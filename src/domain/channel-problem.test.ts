import { describe, expect, test } from 'vitest';
import type { ChannelTarget } from './channel.ts';
import { channelProblem } from './channel-problem.ts';
import { parseMailAddress } from './mail-address.ts';
import { newSigningKey } from './signing-key.ts';

const key = newSigningKey('hmac', { id: 'k', random: Buffer.alloc(32, 1), at: 0 });
const webhook = { kind: 'webhook', url: 'https://example.com/', signingKeys: [key] } as const;
const email = {
  kind: 'email',
  host: 'mail.example.com',
  sender: 'plinth@example.com',
  recipients: ['ada@example.com'],
} as const;
const slack = { kind: 'slack-api', token: 'xoxb-1', channel: 'C0123' } as const;

describe('a channel', () => {
  test.each<[string, ChannelTarget, string | undefined]>([
    ['webhook', webhook, undefined],
    ['with headers', { ...webhook, headers: { Authorization: 'Bearer x', 'x-team': 'a\tb' } }, undefined],
    ['without keys', { ...webhook, signingKeys: [] }, 'there is no key to sign with'],
    ['with a short key', { ...webhook, signingKeys: [{ ...key, secret: 'AAAA' }] }, 'it has 3 bytes'],
    [
      'that would end a header',
      { ...webhook, headers: { a: 'b\r\nhost: c' } },
      'the value of the header a is not one',
    ],
    [
      'with a name of two lines',
      { ...webhook, headers: { 'a\r\nb': '' } },
      'a name that HTTP does not allow',
    ],
    [
      'with a name that is not one',
      { ...webhook, headers: { 'a b': '' } },
      'a name that HTTP does not allow',
    ],
    ['with another host', { ...webhook, headers: { Host: 'a' } }, 'the header Host is set by Plinth'],
    ['with a length', { ...webhook, headers: { 'Content-Length': '1' } }, 'is set by Plinth'],
    ['with chunks', { ...webhook, headers: { 'transfer-encoding': 'chunked' } }, 'is set by Plinth'],
    ['with a signature', { ...webhook, headers: { 'Webhook-Signature': 'v1,x' } }, 'is set by Plinth'],
    ['Slack', slack, undefined],
    ['Slack with a line', { ...slack, token: 'x\r\nhost: a' }, 'the token is not one of Slack'],
    ['Slack without a channel', { ...slack, channel: '' }, 'the channel is not a name or an id'],
    ['Teams', { kind: 'teams', url: 'https://10.0.0.1/' }, 'the host does not have a public address'],
    ['email', email, undefined],
    ['email to localhost', { ...email, host: '127.1' }, 'the host does not have a public address'],
    ['email to another port', { ...email, port: 22 }, 'the port 22 is not one of a mail server'],
    ['email in the clear', { ...email, security: 'none' }, 'without encryption'],
    ['email with half a login', { ...email, user: 'a' }, 'a user and a password belong together'],
    ['email with a line', { ...email, subject: 'a\r\nBcc: b@c.de' }, 'the subject has a control character'],
    ['email from a line', { ...email, sender: 'a@b.de\r\nBcc: b@c.de' }, 'the sender is not an address'],
    [
      'email from a name of two lines',
      { ...email, sender: 'A\r\nBcc: b@c.de <a@b.de>' },
      'the sender is not an address',
    ],
    ['email to none', { ...email, recipients: [] }, 'there is no recipient'],
    ['email to two in one', { ...email, recipients: ['a@b.de, c@d.de'] }, 'a recipient is not an address'],
    [
      'email to a command',
      { ...email, recipients: ['a@b.de>\r\nRCPT TO:<c@d.de'] },
      'a recipient is not an address',
    ],
  ])('%s', (_, target, problem) => {
    const found = channelProblem(target, { allowPrivate: false });
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  });
});

test.each([
  ['ada@example.com', { name: '', address: 'ada@example.com' }],
  [' ada@example.com ', { name: '', address: 'ada@example.com' }],
  ['Ada L. <ada+x@example.com>', { name: 'Ada L.', address: 'ada+x@example.com' }],
  ['"Lovelace, Ada" <ada@example.com>', { name: 'Lovelace, Ada', address: 'ada@example.com' }],
  ['ada@BÜCHER.example', { name: '', address: 'ada@xn--bcher-kva.example' }],
  ['root@localhost', { name: '', address: 'root@localhost' }],
  ['ada', undefined],
  ['@example.com', undefined],
  ['ada@', undefined],
  ['a@b@c.de', undefined],
  ['ada@127.0.0.1', undefined],
  ['ada@[127.0.0.1]', undefined],
  ['ada@example.com.', undefined],
  ['"a b"@example.com', undefined],
  ['"a@evil.example"@example.com', undefined],
  ['a(comment)@example.com', undefined],
  ['.a@example.com', undefined],
  ['a..b@example.com', undefined],
  ['<a@b.de> <c@d.de>', undefined],
  ['ädä@example.com', undefined],
  ['a@b.de;c@d.de', undefined],
  ['a@b.de\n', undefined],
  [`${'a'.repeat(65)}@example.com`, undefined],
])('the address %j is %j', (text, address) => expect(parseMailAddress(text)).toEqual(address));
