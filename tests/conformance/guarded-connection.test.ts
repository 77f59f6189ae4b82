/** The address that is checked is the address that is connected to: names that change, redirects, certificates of other names. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Reaching } from '../../src/adapters/channels/connection/guarded-connection.ts';
import { openChannel } from '../../src/adapters/channels/open-channel.ts';
import type { SendOutcome } from '../../src/domain/channel.ts';
import { newSigningKey } from '../../src/domain/signing-key.ts';
import { makeCertificate } from '../support/make-certificate.ts';
import { AT, exampleMessage } from '../support/receivers/example-message.ts';
import {
  type HttpReceiver,
  type HttpReceiverOptions,
  httpReceiver,
} from '../support/receivers/http-receiver.ts';

const key = newSigningKey('hmac', { id: 'k1', random: Buffer.alloc(32, 7), at: 0 });
const NOT_PUBLIC = { kind: 'failed', reason: 'the host does not have a public address' };

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function receiver(options: HttpReceiverOptions = {}): Promise<HttpReceiver> {
  const started = await httpReceiver('takes', options);
  closing.push(started.close);
  return started;
}

const post = (url: string, reaching: Reaching): Promise<SendOutcome> =>
  openChannel({ kind: 'webhook', url, signingKeys: [key] }, { totalMs: 3000, ...reaching }).send(
    exampleMessage(),
    {
      signal: new AbortController().signal,
      at: AT,
    },
  );

/** A DNS server of our own: each question for an address of IPv4 gets the next answer, and the last one for ever. */
async function nameServer(answers: readonly (readonly string[])[]): Promise<{
  readonly asked: readonly string[];
  readonly lookup: NonNullable<Reaching['lookup']>;
}> {
  const asked: string[] = [];
  const server: UdpSocket = createSocket('udp4');
  server.on('message', (question, from) => {
    const end = question.indexOf(0, 12) + 5;
    const isA = question.readUInt16BE(end - 4) === 1;
    const found = isA ? (answers[Math.min(asked.length, answers.length - 1)] ?? []) : [];
    if (isA) asked.push(question.subarray(13, end - 5).toString('latin1'));
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(found.length, 6);
    head.writeUInt16BE(0, 10);
    const records = found.map((address) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
    );
    server.send(Buffer.concat([head, question.subarray(12, end), ...records]), from.port, from.address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  closing.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const resolver = new dns.Resolver();
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
  return { asked, lookup: (host) => resolver.resolve4(host) };
}

describe('a name', () => {
  /** For these tests 127.0.0.2 is the address of the internet, and 127.0.0.1 the private one. */
  const mayReach = (address: string): boolean => address === '127.0.0.2';

  test('that leads elsewhere after it was checked is connected to where it led', async () => {
    const outside = await receiver({ host: '127.0.0.2' });
    const inside = createServer((socket) => {
      reached += 1;
      socket.destroy();
    });
    let reached = 0;
    await new Promise<void>((resolve) => inside.listen(outside.port, '127.0.0.1', resolve));
    closing.push(() => new Promise<void>((resolve) => inside.close(() => resolve())));
    const names = await nameServer([['127.0.0.2'], ['127.0.0.1']]);
    const url = `http://rebind.example:${outside.port}/hook`;
    const reaching = { allowPrivate: true, mayReach, lookup: names.lookup };
    expect(await post(url, reaching)).toEqual({ kind: 'delivered', status: 200 });
    expect(names.asked).toHaveLength(1);
    expect(outside.received[0]?.headers.host).toBe(`rebind.example:${outside.port}`);
    // The next attempt asks again, and is refused.
    expect(await post(url, reaching)).toMatchObject({ ...NOT_PUBLIC, isPermanent: false });
    expect([names.asked.length, outside.received.length, reached]).toEqual([2, 1, 0]);
  });

  test('with one private address among others is not connected to at all', async () => {
    const outside = await receiver({ host: '127.0.0.2' });
    for (const answers of [
      ['127.0.0.2', '127.0.0.1'],
      ['127.0.0.1', '127.0.0.2'],
    ]) {
      const { lookup } = await nameServer([answers]);
      const reaching = { allowPrivate: true, mayReach, lookup };
      expect(await post(`http://two.example:${outside.port}/`, reaching)).toMatchObject(NOT_PUBLIC);
    }
    expect(outside.connections.made).toBe(0);
  });

  test('whose first address does not answer is reached at the next', async () => {
    const target = await receiver({ host: '127.0.0.2' });
    const { lookup } = await nameServer([['127.0.0.3', '127.0.0.2']]);
    const reaching = { allowPrivate: true, lookup };
    expect(await post(`http://two.example:${target.port}/`, reaching)).toEqual({
      kind: 'delivered',
      status: 200,
    });
  });

  test('that leads nowhere, or whose server does not answer, is tried again later', async () => {
    const { lookup } = await nameServer([[]]);
    expect(await post('https://none.example/', { allowPrivate: false, lookup })).toEqual({
      kind: 'failed',
      reason: 'the host none.example cannot be found (ENODATA)',
      isPermanent: false,
    });
    const never = { allowPrivate: false, totalMs: 200, lookup: () => new Promise<never>(() => undefined) };
    expect(await post('https://none.example/', never)).toMatchObject({
      reason: 'there was no answer within 0.2 s',
      isPermanent: false,
    });
  });

  test.each(['localhost', 'localhost.', 'LOCALHOST', 'ip6-localhost'])(
    'of this machine is looked up as the system does: %s',
    async (host) => {
      const target = await receiver();
      const outcome = await post(`https://${host}:${target.port}/`, { allowPrivate: false });
      expect(outcome).toMatchObject({ kind: 'failed' });
      if (host !== 'ip6-localhost') expect(outcome).toMatchObject(NOT_PUBLIC);
      expect(target.connections.made).toBe(0);
    },
  );

  test.each([
    '10.0.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '::1',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'fe80::1%lo',
    'not an address',
  ])('that leads to %s is refused', async (address) => {
    const lookup = async () => [address];
    expect(await post('https://x.example/', { allowPrivate: false, lookup })).toMatchObject(NOT_PUBLIC);
  });
});

test('an address of IPv6 is connected to as it is written', async (context) => {
  const target = await receiver({ host: '::1' }).catch(() => undefined);
  if (target === undefined) return context.skip('this machine has no IPv6');
  expect(await post(`http://[0:0::1]:${target.port}/`, { allowPrivate: true })).toEqual({
    kind: 'delivered',
    status: 200,
  });
  expect(target.received[0]?.headers.host).toBe(`[::1]:${target.port}`);
  expect(await post(`https://[::1]:${target.port}/`, { allowPrivate: false })).toEqual({
    ...NOT_PUBLIC,
    isPermanent: true,
  });
});

test('an attempt of a server that stops makes no connection', async () => {
  const target = await receiver();
  const channel = openChannel(
    { kind: 'webhook', url: `http://stopped.example:${target.port}/`, signingKeys: [key] },
    { allowPrivate: true, lookup: () => new Promise<never>(() => undefined) },
  );
  expect(await channel.send(exampleMessage(), { signal: AbortSignal.abort(), at: AT })).toMatchObject({
    reason: 'the attempt was interrupted',
  });
  expect(target.connections.made).toBe(0);
});

describe('a certificate', () => {
  let folder: string;
  const pair = (name: string) => ({
    key: readFileSync(join(folder, `${name}.key`), 'utf8'),
    cert: readFileSync(join(folder, `${name}.pem`), 'utf8'),
  });
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'plinth-guard-'));
    makeCertificate(folder, 'right', 'DNS:hooks.example,IP:127.0.0.1');
    makeCertificate(folder, 'other', 'DNS:other.example');
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const lookup = async () => ['127.0.0.1'];

  test.each(['hooks.example', 'hooks.example.', 'HOOKS.example', '127.0.0.1'])(
    'of the name that was asked for is accepted: %s',
    async (host) => {
      const target = await receiver({ tls: pair('right') });
      const reaching = { allowPrivate: true, lookup, authorities: pair('right').cert };
      expect(await post(`https://${host}:${target.port}/`, reaching)).toEqual({
        kind: 'delivered',
        status: 200,
      });
    },
  );
  test('of another name is not, though its authority is trusted', async () => {
    const target = await receiver({ tls: pair('other') });
    const reaching = { allowPrivate: true, lookup, authorities: pair('other').cert };
    expect(await post(`https://hooks.example:${target.port}/`, reaching)).toEqual({
      kind: 'failed',
      reason: 'the host cannot be reached (ERR_TLS_CERT_ALTNAME_INVALID)',
      isPermanent: false,
    });
    expect(target.received).toEqual([]);
  });
  test('of an unknown authority is not', async () => {
    const target = await receiver({ tls: pair('right') });
    expect(await post(`https://hooks.example:${target.port}/`, { allowPrivate: true, lookup })).toMatchObject(
      {
        kind: 'failed',
        reason: expect.stringContaining('SELF_SIGNED'),
      },
    );
    expect(target.received).toEqual([]);
  });
});
