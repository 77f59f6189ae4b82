import { describe, expect, test } from 'vitest';
import { channelUrlProblem, mailPortProblem, mayReach, plainHost } from './channel-address.ts';

const strict = { allowPrivate: false };
const open = { allowPrivate: true };

describe('a URL', () => {
  test.each([
    'https://hooks.example.com/x',
    'https://hooks.example.com./x',
    'https://hooks.example.com:8443/x',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'https://[64:ff9b::8.8.8.8]/',
    'https://bücher.example/',
    'https://EXAMPLE.com/',
  ])('%s may be a receiver', (url) => expect(channelUrlProblem(url, strict)).toBeUndefined());

  test.each([
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.01/',
    'https://017700000001/',
    'https://１２７.０.０.１/',
    'https://127。0。0。1/',
    'https://0/',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://[64:ff9b::a00:1]/',
    'https://[64:ff9b:1::a00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:4136:e378:8000:63bf:f5ff:fffe]/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://203.0.113.1/',
  ])('%s has an address that is not public', (url) =>
    expect(channelUrlProblem(url, strict)).toBe('the host does not have a public address'),
  );

  test.each([
    ['', 'the address is not a URL'],
    ['hooks.example.com/x', 'the address is not a URL'],
    ['https://[fe80::1%25eth0]/', 'the address is not a URL'],
    ['https://1.2.3.4.5/', 'the address is not a URL'],
    [`https://example.com/${'x'.repeat(2048)}`, 'the address is not a URL'],
    ['ftp://example.com/', 'the address begins with neither https nor http'],
    ['file:///etc/passwd', 'the address begins with neither https nor http'],
    ['https://user@example.com/', 'the address contains a user or a password'],
    ['https://:secret@example.com/', 'the address contains a user or a password'],
    ['https://example.com:25/', 'the port 25 is not one of a receiver'],
    ['https://example.com:22/', 'the port 22 is not one of a receiver'],
    ['https://example.com:6379/', 'the port 6379 is not one of a receiver'],
    ['https://-x.example.com/', 'the host is not a name and not an address'],
    ['https://a..b/', 'the host is not a name and not an address'],
    ['http://example.com/', 'the address begins with http, and only a server'],
  ])('%j cannot be one: %s', (url, problem) => expect(channelUrlProblem(url, strict)).toContain(problem));

  test.each(['http://127.0.0.1:9000/', 'http://10.0.0.1/', 'http://[::1]:9000/', 'http://100.64.0.1/'])(
    '%s may be one where the server allows private addresses',
    (url) => expect(channelUrlProblem(url, open)).toBeUndefined(),
  );
  test.each(['http://0.0.0.0/', 'http://224.0.0.1/', 'http://255.255.255.255/', 'http://[::127.0.0.1]/'])(
    '%s may not even then',
    (url) => expect(channelUrlProblem(url, open)).toBe('the host does not have a public address'),
  );
});

test.each([
  ['mail.example.com', 'mail.example.com'],
  ['MAIL.example.com.', 'mail.example.com'],
  ['münchen.example', 'xn--mnchen-3ya.example'],
  ['0x7f.1', '127.0.0.1'],
  ['::1', '::1'],
  ['[::1]', '::1'],
  ['a b', undefined],
  ['a/b', undefined],
  ['a@b', undefined],
  ['a:25', undefined],
  ['fe80::1%lo', undefined],
  ['a\r\nb', undefined],
  ['', undefined],
])('the host %j is %j', (text, host) => expect(plainHost(text)).toBe(host));

test('what is not an address may not be reached', () => {
  for (const text of ['', 'localhost', '127.1', 'fe80::1%lo']) expect(mayReach(text, strict)).toBe(false);
  expect(mayReach('fe80::1%lo', open)).toBe(true);
});

test.each([
  [25, true],
  [465, true],
  [587, true],
  [2525, true],
  [22, false],
  [80, false],
  [6379, false],
  [0, false],
  [70_000, false],
  [587.5, false],
])('mail to port %s: %s', (port, isOne) => expect(mailPortProblem(port) === undefined).toBe(isOne));
