/** What receivers of others' making read of a delivery: Standard Webhooks, CloudEvents and mail, in JavaScript and in Python. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CloudEvent, HTTP } from 'cloudevents';
import PostalMime from 'postal-mime';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openChannel } from '../../src/adapters/channels/open-channel.ts';
import type { ChannelMessage, ChannelTarget, SendOutcome } from '../../src/domain/channel.ts';
import { newSigningKey, publishedSigningKeys, withRotatedKey } from '../../src/domain/signing-key.ts';
import { pythonWith } from '../e2e/python-venv.ts';
import { makeCertificate } from '../support/make-certificate.ts';
import { AT, exampleEvent, exampleMessage } from '../support/receivers/example-message.ts';
import { httpReceiver, type Received } from '../support/receivers/http-receiver.ts';
import {
  type ReceivedMail,
  type SmtpReceiverOptions,
  smtpReceiver,
} from '../support/receivers/smtp-receiver.ts';

const venv = await pythonWith('receivers', ['standardwebhooks', 'cloudevents', 'pynacl', 'aiosmtpd']);
const PROGRAM = join(import.meta.dirname, 'receive.py');
const inPython = venv.kind === 'ready' ? 'in Python' : `in Python (${venv.reason})`;
const python = venv.kind === 'ready' ? venv.program : '';

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const key = (id: string, algorithm: 'hmac' | 'ed25519', at: number) =>
  newSigningKey(algorithm, { id, random: Buffer.alloc(32, id), at });

interface Sending {
  readonly message?: Partial<ChannelMessage>;
  readonly at?: number;
  readonly authorities?: string;
}

const send = (target: ChannelTarget, { message, at = AT, authorities }: Sending = {}): Promise<SendOutcome> =>
  openChannel(target, { allowPrivate: true, ...(authorities === undefined ? {} : { authorities }) }).send(
    exampleMessage(message),
    { signal: new AbortController().signal, at },
  );

async function posted(make: (url: string) => ChannelTarget, sending: Sending = {}): Promise<Received> {
  const target = await httpReceiver('takes', { answer: '{"ok":true}' });
  closing.push(target.close);
  expect(await send(make(`http://127.0.0.1:${target.port}/hook?a=b`), sending)).toMatchObject({
    kind: 'delivered',
  });
  return target.received[0] as Received;
}

describe('a webhook', () => {
  /** The libraries compare the timestamp with the clock. */
  const at = Date.now();
  const [old, next, asymmetric] = [
    key('old', 'hmac', 0),
    key('new', 'hmac', at - 1000),
    key('e', 'ed25519', 0),
  ];
  const rotated = withRotatedKey([asymmetric, old], { key: next, overlapMs: 86_400_000 });
  const webhook = (url: string): ChannelTarget => ({
    kind: 'webhook',
    url,
    signingKeys: rotated,
    headers: { Authorization: 'Bearer t', 'X-Team': 'data' },
  });

  test('is a POST to the address as it was given, with the headers of its owner', async () => {
    const { method, path, headers } = await posted(webhook, { at });
    expect([method, path, headers.authorization, headers['x-team']]).toEqual([
      'POST',
      '/hook?a=b',
      'Bearer t',
      'data',
    ]);
    expect(headers['webhook-id']).toBe('evt_acme-shop_17_c1');
    expect(headers['webhook-timestamp']).toBe(String(Math.floor(at / 1000)));
  });

  test('is verified with each key of a rotation by the library of npm, and with no other', async () => {
    const { headers, body } = await posted(webhook, { at });
    for (const { secret } of [old, next])
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(exampleEvent(17));
    for (const [secret, text] of [
      [key('x', 'hmac', 0).secret, body],
      [old.secret, body.replace('3', '4')],
    ] as const)
      expect(() => new Webhook(secret).verify(text, headers as Record<string, string>)).toThrow(
        'No matching signature',
      );
    const late = {
      ...(headers as Record<string, string>),
      'webhook-timestamp': String(Math.floor(at / 1000) - 1),
    };
    expect(() => new Webhook(old.secret).verify(body, late)).toThrow('No matching signature');
  });

  test('with keys that have all retired is not sent', async () => {
    const target = await httpReceiver('takes');
    closing.push(target.close);
    const signingKeys = [{ ...old, retiresAt: at }];
    expect(
      await send({ kind: 'webhook', url: `http://127.0.0.1:${target.port}/`, signingKeys }, { at }),
    ).toEqual({
      kind: 'failed',
      reason: 'every key of the channel has retired',
      isPermanent: true,
    });
    expect(target.connections.made).toBe(0);
  });

  test('is an event for the CloudEvents SDK of npm, and several of them are a batch', async () => {
    const one = await posted(webhook, { at });
    const event = HTTP.toEvent<unknown>({ headers: one.headers, body: one.body });
    expect(event).toBeInstanceOf(CloudEvent);
    expect((event as CloudEvent<unknown>).validate()).toBe(true);
    expect(event).toMatchObject({
      id: 'evt_acme-shop_17_c1',
      type: 'audit.failed',
      sequence: '17',
      runid: 'r1',
    });
    const events = [17, 18].map(exampleEvent);
    const several = await posted(webhook, { at, message: { body: { kind: 'digest', events } } });
    expect(several.headers['content-type']).toContain('application/cloudevents-batch+json');
    const batch = HTTP.toEvent<unknown>({
      headers: several.headers,
      body: several.body,
    }) as CloudEvent<unknown>[];
    expect(batch.map((each) => [each.validate(), each.id])).toEqual([
      [true, 'evt_acme-shop_17_c1'],
      [true, 'evt_acme-shop_18_c1'],
    ]);
    expect(() =>
      new Webhook(old.secret).verify(several.body, several.headers as Record<string, string>),
    ).not.toThrow();
  });

  test.skipIf(venv.kind !== 'ready')(
    `is verified and read ${inPython}, with HMAC and with ed25519`,
    async () => {
      const { headers, body } = await posted(webhook, { at });
      const [published] = publishedSigningKeys(rotated, at);
      const right = { headers, body, secret: old.secret, publicKey: published?.publicKey };
      const wrong = { ...right, body: body.replace('not_null', 'not_nil') };
      const { stdout, stderr } = spawnSync(python, [PROGRAM, 'verify'], {
        input: JSON.stringify([right, wrong]),
      });
      expect(stderr.toString()).toBe('');
      const [good, bad] = JSON.parse(stdout.toString());
      expect(good).toMatchObject({
        hmac: true,
        ed25519: [true],
        event: { id: 'evt_acme-shop_17_c1', type: 'audit.failed', sequence: '17' },
      });
      expect(good.event.data).toEqual(exampleEvent(17).data);
      expect(bad).toMatchObject({
        hmac: 'No matching signature found',
        ed25519: [expect.stringContaining('forged')],
      });
    },
  );
});

describe('a message of a chat', () => {
  const hostile = {
    title: 'Audit <!channel> & *x*\nfailed',
    text: '<https://evil.example|click> [a](https://evil.example)',
    links: [
      { title: 'a|b>', url: 'https://data.example.com/r?x=<y>|z' },
      { title: 'script', url: 'javascript:alert(1)' },
    ],
  };
  test('of Slack marks up links alone, and nothing that an event brings', async () => {
    const { body } = await posted((url) => ({ kind: 'slack-webhook', url }), { message: hostile });
    const { text, blocks } = JSON.parse(body);
    expect(text).toBe('Audit &lt;!channel&gt; &amp; *x* failed');
    expect(blocks).toEqual([
      { type: 'header', text: { type: 'plain_text', text: 'Audit <!channel> & *x* failed', emoji: false } },
      { type: 'section', text: { type: 'plain_text', text: hostile.text, emoji: false } },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: '<https://data.example.com/r?x=%3Cy%3E%7Cz|a¦b&gt;>', verbatim: true },
      },
      { type: 'context', elements: [{ type: 'plain_text', text: 'error', emoji: false }] },
    ]);
  });
  test('of Teams is a card whose texts are runs, which read no Markdown', async () => {
    const { body } = await posted((url) => ({ kind: 'teams', url }), { message: hostile });
    const { type, attachments } = JSON.parse(body);
    expect([type, attachments[0].contentType]).toEqual([
      'message',
      'application/vnd.microsoft.card.adaptive',
    ]);
    const { body: blocks, actions } = attachments[0].content;
    expect(
      blocks.map((block: { type: string; inlines: { text: string }[] }) => [
        block.type,
        block.inlines[0]?.text,
      ]),
    ).toEqual([
      ['RichTextBlock', 'Audit <!channel> & *x* failed'],
      ['RichTextBlock', hostile.text],
      ['RichTextBlock', 'error'],
    ]);
    expect(actions.map(({ url }: { url: string }) => url)).toEqual(['https://data.example.com/r?x=<y>|z']);
  });
  test('is cut to what they take', async () => {
    const long = { title: 'x'.repeat(9999), text: '😀'.repeat(9999) };
    const slack = JSON.parse(
      (await posted((url) => ({ kind: 'slack-webhook', url }), { message: long })).body,
    );
    expect(slack.blocks[0].text.text.length).toBeLessThanOrEqual(150);
    expect(slack.blocks[1].text.text.length).toBeLessThanOrEqual(3000);
    expect(slack.blocks[1].text.text.isWellFormed()).toBe(true);
    const teams = await posted((url) => ({ kind: 'teams', url }), { message: long });
    expect(Buffer.byteLength(teams.body)).toBeLessThan(28_000);
  });
});

describe('mail', () => {
  let folder: string;
  const tls = (name: string) => ({
    key: readFileSync(join(folder, `${name}.key`), 'utf8'),
    cert: readFileSync(join(folder, `${name}.pem`), 'utf8'),
  });
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'plinth-mail-'));
    makeCertificate(folder, 'right');
    makeCertificate(folder, 'other', 'DNS:other.example');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const email = (port: number, more: object = {}): ChannelTarget => ({
    kind: 'email',
    host: '127.0.0.1',
    port,
    security: 'none',
    sender: 'Plinth Zürich <plinth@example.com>',
    recipients: ['ada@example.com', 'Grace <grace@bücher.example>'],
    subject: '[shop]',
    ...more,
  });
  async function mailed(
    options: SmtpReceiverOptions = {},
    { more = {}, ...sending }: Sending & { readonly more?: object } = {},
  ): Promise<{ readonly outcome: SendOutcome; readonly received: readonly ReceivedMail[] }> {
    const target = await smtpReceiver('takes', options);
    closing.push(target.close);
    return { outcome: await send(email(target.port, more), sending), received: target.received };
  }

  test('is what a parser reads again: subject, addresses, text and HTML', async () => {
    const message = { title: 'Größe ✓ <b>', text: 'Zeile 1\n.\n<script>alert(1)</script>' };
    const { outcome, received } = await mailed({}, { message });
    expect(outcome).toEqual({ kind: 'delivered', status: 250 });
    expect(received[0]).toMatchObject({
      from: 'plinth@example.com',
      // This receiver shows names of other letters as they are meant; on the line they are ASCII, see below.
      to: ['ada@example.com', 'grace@bücher.example'],
    });
    const mail = await PostalMime.parse(Buffer.from(received[0]?.source ?? '', 'latin1'));
    expect(mail.subject).toBe('[shop] Größe ✓ <b>');
    expect(mail.from).toMatchObject({ name: 'Plinth Zürich', address: 'plinth@example.com' });
    expect(mail.to?.map(({ address }) => address)).toEqual([
      'ada@example.com',
      'grace@xn--bcher-kva.example',
    ]);
    expect(mail.text).toContain('Zeile 1\n.\n<script>alert(1)</script>');
    expect(mail.text).toContain('The run: https://data.example.com/runs/r1?from=mail&tab=audits');
    expect(mail.html).toContain('&lt;script&gt;');
    expect(mail.html).not.toContain('<script');
    expect(mail.html).toContain('href="https://data.example.com/runs/r1?from=mail&amp;tab=audits"');
    expect(mail.date).toBe(new Date(AT).toISOString());
    expect(mail.headers.find(({ key: name }) => name === 'auto-submitted')?.value).toBe('auto-generated');
  });

  test('has one id, however often it is sent', async () => {
    const ids = await Promise.all(
      [AT, AT + 60_000].map(async (at) => {
        const { received } = await mailed({}, { at });
        return (await PostalMime.parse(received[0]?.source ?? '')).messageId;
      }),
    );
    expect(ids[0]).toMatch(/^<[\da-f]{32}@example\.com>$/);
    expect(ids[1]).toBe(ids[0]);
  });

  test.each([
    'a\r\nBcc: evil@example.com',
    'a\nBcc: evil@example.com',
    'a\rBcc: evil@example.com',
    'a\u2028\u0085Bcc: evil@example.com',
    'a\r\n\r\n<h1>body</h1>',
    'x'.repeat(5000),
  ])('has no further header or recipient because of the title %j', async (title) => {
    const { received } = await mailed({}, { message: { title, id: `${title}` } });
    const [mail] = received;
    const parsed = await PostalMime.parse(mail?.source ?? '');
    expect(mail?.to).toHaveLength(2);
    expect(parsed.bcc).toBeUndefined();
    expect(parsed.headers.map(({ key: name }) => name).sort()).toEqual(
      [
        'auto-submitted',
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
        'subject',
        'to',
      ].sort(),
    );
    expect(parsed.subject).not.toMatch(/[\r\n]/);
  });

  test('is sent after STARTTLS with the certificate of the host, and after a login', async () => {
    const { cert } = tls('right');
    const login = { user: 'plinth', password: 'hunter2' };
    const { outcome, received } = await mailed(
      { tls: tls('right'), login },
      { authorities: cert, more: { security: 'starttls', ...login } },
    );
    expect(outcome).toMatchObject({ kind: 'delivered' });
    expect(received[0]).toMatchObject({ isEncrypted: true, user: 'plinth' });
  });
  test('is sent over TLS from the beginning', async () => {
    const { outcome, received } = await mailed(
      { tls: tls('right'), isImplicit: true },
      { authorities: tls('right').cert, more: { security: 'tls' } },
    );
    expect(outcome).toMatchObject({ kind: 'delivered' });
    expect(received[0]).toMatchObject({ isEncrypted: true });
  });
  test.each([
    ['a server that does not offer STARTTLS', {}, 'right', 'starttls'],
    ['a certificate of another name after STARTTLS', { pair: 'other' }, 'other', 'starttls'],
    ['a certificate of another name over TLS', { pair: 'other', isImplicit: true }, 'other', 'tls'],
    ['a certificate of an unknown authority', { pair: 'right' }, 'other', 'starttls'],
  ] as const)(
    'is not sent to %s',
    async (_, { pair, isImplicit = false }: { pair?: string; isImplicit?: boolean }, trusted, security) => {
      const { outcome, received } = await mailed(pair === undefined ? {} : { tls: tls(pair), isImplicit }, {
        authorities: tls(trusted).cert,
        more: { security, user: 'plinth', password: 'hunter2' },
      });
      expect(outcome).toMatchObject({ kind: 'failed', isPermanent: false });
      expect(JSON.stringify(outcome)).not.toContain('hunter2');
      expect(received).toEqual([]);
    },
  );
  test('with a wrong password says so without it', async () => {
    const login = { user: 'plinth', password: 'right' };
    const { outcome } = await mailed({ login }, { more: { user: 'plinth', password: 'hunter2' } });
    expect(outcome).toEqual({
      kind: 'failed',
      status: 535,
      reason: expect.stringMatching(/^the mail server answered 535 to AUTH/),
      isPermanent: true,
    });
    expect(JSON.stringify(outcome)).not.toContain('hunter2');
  });
  test.each([
    [
      { 'ada@example.com': 550 },
      { kind: 'delivered', detail: 'the mail server refused 1 of the recipients for good' },
    ],
    [{ 'ada@example.com': 451 }, { kind: 'failed', status: 451, isPermanent: false }],
    [
      { 'ada@example.com': 550, 'grace@bücher.example': 451 },
      { kind: 'failed', isPermanent: false },
    ],
    [
      { 'ada@example.com': 550, 'grace@bücher.example': 550 },
      { kind: 'failed', status: 550, isPermanent: true },
    ],
  ])('of which recipients are refused with %j', async (refused, outcome) => {
    expect((await mailed({ refused: refused as Readonly<Record<string, number>> })).outcome).toMatchObject(
      outcome,
    );
  });

  test.skipIf(venv.kind !== 'ready')(`is received by aiosmtpd and parsed ${inPython}`, async () => {
    const child = spawn(python, [PROGRAM, 'mail'], { stdio: ['ignore', 'pipe', 'inherit'] });
    closing.push(() => void child.kill());
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const port = Number((await lines.next()).value);
    expect(await send(email(port), { message: { title: 'Größe ✓' } })).toMatchObject({ kind: 'delivered' });
    const mail = JSON.parse(String((await lines.next()).value));
    expect(mail.to).toEqual(['ada@example.com', 'grace@xn--bcher-kva.example']);
    expect(mail).toMatchObject({
      from: 'plinth@example.com',
      defects: [],
      headers: { Subject: '[shop] Größe ✓' },
    });
    expect(mail.text).toContain('3 rows have no customer.');
    expect(mail.html).toContain('<h1>Größe ✓</h1>');
  });
});
