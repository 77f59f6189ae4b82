/** Over every endpoint: an audit that fails reaches the inbox and the webhook of who follows, and nobody else learns of either. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServedPlatform, servedPlatform } from '../support/served-platform.ts';
import { type Receiver, startReceiver, until } from './delivery-bench.ts';

const PRODUCT = '/plinth/tenants/acme/data-products/acme-shop/api/v1';
let served: ServedPlatform;
let receiver: Receiver;
const tokens: Record<string, string> = {};
const ask = (
  name: string,
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) =>
  served.ask(tokens[name] ?? '', method, `${PRODUCT}${path}`, {
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
  });

beforeAll(async () => {
  receiver = await startReceiver();
  served = await servedPlatform(['name: shop\ntenant: acme\nserver: {webhooks: {allow_private: true}}']);
  for (const name of ['bob', 'carol']) tokens[name] = await served.person('acme', name, { role: 'viewer' });
  tokens['ada'] = await served.person('acme', 'ada', { role: 'admin' });
}, 120_000);
afterAll(async () => {
  await served.stop();
  await receiver.close();
});

const BROKEN = {
  'models/m.sql':
    'MODEL (name s.m, kind FULL, audits (not_null(columns := (a), blocking := false)));\nSELECT NULL::INT AS a',
  'models/n.sql': 'MODEL (name s.n, kind FULL);\nSELECT a FROM s.m',
};

test('a failing audit reaches those who follow what is made of the model, and only them', async () => {
  await served.plan({ 'models/n.sql': BROKEN['models/n.sql'] });
  const made = await ask('bob', 'POST', '/notifications/channels', {
    ...{
      name: 'mine',
      kind: 'webhook',
      config: { url: receiver.urlOf('bob'), headers: { 'x-key': 'secret words' } },
    },
  });
  expect(made.code).toBe('201');
  const channel = made.body.id as string;
  expect(made.body.secret).toMatch(/^whsec_/);
  expect((await ask('bob', 'GET', `/notifications/channels/${channel}`)).body).not.toHaveProperty('secret');
  expect(JSON.stringify((await ask('bob', 'GET', '/notifications/channels')).body)).not.toMatch(
    /secret words|whsec/,
  );
  const rule = await ask('bob', 'POST', '/notifications/rules', {
    ...{ name: 'audits', filter: { events: ['audit.failed'] }, audience: { channels: [channel] } },
  });
  expect(rule.code).toBe('201');
  expect((await ask('bob', 'PUT', '/followers/me?target=model:s.n', { min_severity: 'warning' })).code).toBe(
    '200',
  );

  await served.plan(BROKEN);
  const inbox = async (name: string) => (await ask(name, 'GET', '/notifications/inbox')).body;
  await until(async () => (await inbox('bob')).unread > 0, 'the inbox of bob');
  await until(() => receiver.arrivals.length > 0, 'the webhook of bob');
  const [item] = (await inbox('bob')).items;
  expect(item).toMatchObject({ severity: 'warning', because: ['model:s.n'], read_at: null });
  expect(item.event).toMatchObject({ type: 'audit.failed', model: 's.m' });
  expect(item.title).toContain('s.m');

  // Another caller sees none of it, in no list, by no id, in no count.
  await until(
    async () => (await ask('bob', 'GET', '/notifications/deliveries?status=delivered')).body.items.length > 0,
    'it is written down',
  );
  const [delivery] = (await ask('bob', 'GET', '/notifications/deliveries')).body.items;
  expect(delivery).toMatchObject({ channel_id: channel, status: 'delivered', attempted: 1 });
  expect(receiver.arrivals[0]?.id).toBe(delivery.id);
  for (const other of ['carol', 'ada']) {
    expect(await inbox(other)).toMatchObject({ items: [], unread: 0 });
    for (const list of ['channels', 'rules', 'deliveries', 'dead-letter'])
      expect((await ask(other, 'GET', `/notifications/${list}`)).body.items, `${other} ${list}`).toEqual([]);
    expect((await ask(other, 'GET', `/notifications/deliveries?channel_id=${channel}`)).body.items).toEqual(
      [],
    );
    for (const [method, path, body] of [
      ['GET', `/notifications/channels/${channel}`],
      ['PATCH', `/notifications/channels/${channel}`, { name: 'taken' }],
      ['DELETE', `/notifications/channels/${channel}`],
      ['POST', `/notifications/channels/${channel}/test`, {}],
      ['POST', `/notifications/channels/${channel}/rotate`, {}],
      ['GET', `/notifications/rules/${rule.body.id}`],
      ['DELETE', `/notifications/rules/${rule.body.id}`],
      ['GET', `/notifications/deliveries/${delivery.id}`],
      ['POST', `/notifications/deliveries/${delivery.id}/resend`, {}],
    ] as const) {
      const there = await ask(other, method, path, body);
      const nowhere = await ask(other, method, path.replace(/n_[0-9a-z]+/, 'n_0000000000000000'), body);
      expect(there.code, `${other} ${method} ${path}`).toBe('404 access.not-found');
      const plain = ({ body: { correlation_id: _, ...said } }: typeof there): string =>
        JSON.stringify(said).replaceAll(/n_[0-9a-z]+/g, 'ID');
      expect(plain(there)).toBe(plain(nowhere));
    }
    // Its id in the rule of another caller is one that does not exist.
    const stolen = { name: 'x', audience: { channels: [channel] } };
    expect((await ask(other, 'POST', '/notifications/rules', stolen)).code).toBe('422 notification.bad-rule');
    expect(
      (await ask(other, 'POST', '/notifications/dead-letter/redrive', { ids: [delivery.id] })).body,
    ).toEqual({ ids: [] });
    expect((await ask(other, 'POST', '/notifications/inbox/read', { ids: [item.id] })).body).toEqual({
      marked: 0,
      unread: 0,
    });
  }
  expect((await ask('bob', 'POST', '/notifications/inbox/read', { up_to: item.id })).body).toEqual({
    marked: 1,
    unread: 0,
  });

  // Names of followers are for owners of the product; others see how many.
  expect((await ask('carol', 'GET', '/followers?target=model:s.n')).body).toMatchObject({
    count: 1,
    items: [],
  });
  expect((await ask('ada', 'GET', '/followers?target=model:s.n')).body.items).toMatchObject([
    { follower: { kind: 'user', name: 'bob' } },
  ]);
  expect(JSON.stringify((await ask('carol', 'GET', '/notifications/events?limit=1000')).body)).not.toContain(
    'bob',
  );
  expect((await ask('carol', 'PUT', '/followers/me?target=model:s.nothing', {})).code).toBe(
    '404 notification.no-target',
  );
  // The inboxes of others are written into by owners only.
  expect(
    (await ask('bob', 'POST', '/notifications/rules', { name: 'x', audience: { followers: true } })).code,
  ).toMatch(/^403/);
  expect(
    (await ask('bob', 'POST', '/followers', { target: 'product', follower: { kind: 'user', name: 'carol' } }))
      .code,
  ).toMatch(/^403/);
}, 120_000);

test('a test, a key of its own, a preview, preferences, and a rule for followers', async () => {
  const own = (await ask('bob', 'GET', '/notifications/channels')).body.items[0].id as string;
  expect((await ask('bob', 'POST', `/notifications/channels/${own}/test`, {})).body.outcome).toBe(
    'delivered',
  );
  const rotated = await ask('bob', 'POST', `/notifications/channels/${own}/rotate`, { overlap_hours: 1 });
  expect(rotated.body.secret).toMatch(/^whsec_/);
  const seen = await ask('bob', 'GET', `/notifications/channels/${own}`);
  expect(
    (await ask('bob', 'PATCH', `/notifications/channels/${own}`, { name: 'a' }, { 'if-match': '"other"' }))
      .code,
  ).toBe('412 access.changed');
  expect(
    (
      await ask(
        'bob',
        'PATCH',
        `/notifications/channels/${own}`,
        { name: 'a' },
        { 'if-match': String(seen.headers.get('etag')) },
      )
    ).code,
  ).toBe('200');
  const preview = await ask('ada', 'POST', '/notifications/rules/preview', {
    filter: { events: ['audit.*'] },
    audience: { followers: true },
  });
  expect(preview.body.items).toMatchObject([{ event: { type: 'audit.failed' }, subscribers: 1 }]);
  expect(
    (await ask('bob', 'PUT', '/notifications/preferences', { muted: ['audit.*'], min_severity: 'error' }))
      .body,
  ).toMatchObject({ muted: ['audit.*'], min_severity: 'error' });
  expect(
    (
      await ask('bob', 'PUT', '/notifications/preferences', {
        quiet_hours: { from: '22:00', to: '07:00', zone: 'Mars/Olympus' },
      })
    ).code,
  ).toBe('422 notification.bad-rule');
  expect((await ask('bob', 'POST', '/notifications/channels', { name: 'x', kind: 'slack' })).code).toBe(
    '422 notification.bad-channel',
  );
  const types = (await ask('carol', 'GET', '/notifications/event-types')).body.items as { name: string }[];
  expect(types.map(({ name }) => name)).toContain('audit.failed');
  expect((await ask('bob', 'DELETE', '/followers/me?target=model:s.n')).code).toBe('204');
  expect((await ask('bob', 'GET', '/followers/me?target=model:s.n')).code).toBe('404 access.not-found');
  expect((await ask('bob', 'GET', '/following')).body.items).toEqual([]);
}, 60_000);
