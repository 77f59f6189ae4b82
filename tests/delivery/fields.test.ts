import { expect, test } from 'vitest';
import { servedPlatform } from '../support/served-platform.ts';
import { startReceiver, until } from './delivery-bench.ts';

const PRODUCT = '/plinth/tenants/acme/data-products/acme-shop/api/v1';

test('every field of notifications and followers does what it says', async () => {
  const receiver = await startReceiver();
  receiver.behave = (channel) => (channel === 'gone' ? 410 : 'ok');
  const served = await servedPlatform([
    'name: shop\ntenant: acme\nserver: {webhooks: {allow_private: true}}',
  ]);
  const ada = await served.person('acme', 'ada', { role: 'admin' });
  const ask = async (method: string, path: string, body?: unknown) =>
    (await served.ask(ada, method, `${PRODUCT}${path}`, body === undefined ? {} : { body })).body;
  /** All ids of a list, one a page. */
  const paged = async (path: string, idOf: (item: never) => unknown): Promise<readonly unknown[]> => {
    const ids: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null && ids.length < 50; ) {
      const page: { items: never[]; next_cursor: string | null } = await ask(
        'GET',
        `${path}${path.includes('?') ? '&' : '?'}limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      expect(page.items.length).toBeLessThanOrEqual(1);
      if (page.items.length === 0) break;
      ids.push(...page.items.map(idOf));
      cursor = page.next_cursor;
    }
    expect(new Set(ids).size).toBe(ids.length);
    return ids;
  };
  const idOf = ({ id }: { id: string }): string => id;
  try {
    // Channels.
    const config = { url: receiver.urlOf('a'), signature: 'ed25519' };
    const made = await ask('POST', '/notifications/channels', {
      name: 'one',
      kind: 'webhook',
      enabled: false,
      config,
    });
    expect(made).toMatchObject({ name: 'one', kind: 'webhook', enabled: false, config });
    expect(made.public_keys).toHaveLength(1);
    const own = `/notifications/channels/${made.id}`;
    for (const method of ['PUT', 'PATCH']) {
      const next = {
        name: method,
        enabled: method === 'PUT',
        config: { ...config, url: receiver.urlOf(method) },
      };
      expect(await ask(method, own, next)).toMatchObject(next);
    }
    expect((await ask('POST', `${own}/rotate`, { overlap_hours: 1 })).public_keys).toHaveLength(2);
    expect((await ask('POST', `${own}/rotate`, { overlap_hours: 0 })).public_keys).toHaveLength(1);
    await ask('PATCH', own, { enabled: true });
    const gone = await ask('POST', '/notifications/channels', {
      name: 'gone',
      kind: 'webhook',
      config: { url: receiver.urlOf('gone') },
    });
    expect(await paged('/notifications/channels', idOf)).toEqual([made.id, gone.id]);

    // Rules.
    const rule = {
      ...{
        name: 'r',
        enabled: false,
        filter: { events: ['plan.*'], min_severity: 'info' },
        audience: { channels: [made.id] },
      },
      ...{ timing: 'hourly', quiet_hours: { from: '22:00', to: '07:00', zone: 'UTC' } },
    };
    const first = await ask('POST', '/notifications/rules', rule);
    expect(first).toMatchObject(rule);
    for (const method of ['PUT', 'PATCH']) {
      const next = {
        ...{
          name: method,
          enabled: method === 'PATCH',
          filter: { events: [`${method === 'PUT' ? 'run' : 'schema'}.*`] },
        },
        ...{ audience: { channels: [made.id, gone.id] }, timing: method === 'PUT' ? 'daily' : 'immediate' },
        quiet_hours: { from: '00:00', to: '00:00', zone: 'Europe/Berlin' },
      };
      expect(await ask(method, `/notifications/rules/${first.id}`, next)).toMatchObject(next);
    }
    const second = await ask('POST', '/notifications/rules', {
      name: 's',
      audience: { channels: [made.id] },
    });
    expect(await paged('/notifications/rules', idOf)).toEqual([first.id, second.id]);

    // Followers: the inbox, a channel, a least severity, some events, a group.
    const followed = await ask('POST', '/followers', {
      ...{ target: 'product', events: ['plan.*', 'schema.*'], min_severity: 'info' },
      follower: { kind: 'user', name: 'ada' },
    });
    expect(followed).toMatchObject({
      target: 'product',
      events: ['plan.*', 'schema.*'],
      channels: null,
      min_severity: 'info',
    });
    expect(
      await ask('POST', '/followers', {
        target: 'model:s.m',
        channels: [made.id],
        follower: { kind: 'group', name: 'g' },
      }),
    ).toMatchObject({
      ...{ follower: { kind: 'group', name: 'g' }, target: 'model:s.m', channels: [made.id] },
    });
    const put = { events: ['dq.*'], channels: [gone.id], min_severity: 'error' };
    expect(await ask('PUT', '/followers/me?target=model:s.m', put)).toMatchObject({
      ...put,
      target: 'model:s.m',
    });
    expect(await ask('GET', '/followers/me?target=model:s.m')).toMatchObject(put);
    expect((await ask('GET', '/followers?target=model:s.m')).count).toBe(2);
    expect((await ask('GET', '/followers?target=product')).count).toBe(1);
    expect(await paged('/following', ({ target }: { target: string }) => target)).toEqual([
      'model:s.m',
      'product',
    ]);
    await ask('DELETE', '/followers/me?target=model:s.m');
    expect((await ask('GET', '/followers?target=model:s.m')).count).toBe(1);

    // Something happens: a column has another type.
    await served.plan({ 'models/m.sql': "MODEL (name s.m, kind FULL);\nSELECT 'x' AS a, 1 AS b" });
    const delivered = async (more = '') =>
      (await ask('GET', `/notifications/deliveries?status=delivered${more}`)).items;
    const dead = async (more = '') => (await ask('GET', `/notifications/dead-letter?limit=100${more}`)).items;
    await until(async () => (await dead()).length > 0 && (await delivered()).length > 1, 'both channels');
    const isQuiet = async () => {
      for (const status of ['pending', 'sending', 'retrying'])
        if ((await ask('GET', `/notifications/deliveries?status=${status}`)).items.length > 0) return false;
      return true;
    };
    await until(isQuiet, 'everything is sent');
    expect((await delivered(`&channel_id=${gone.id}`)).length).toBe(0);
    expect((await dead(`&channel_id=${made.id}`)).length).toBe(0);
    expect((await delivered('&source=config')).length + (await dead('&source=config')).length).toBe(0);
    expect((await paged('/notifications/deliveries?status=delivered', idOf)).length).toBe(
      (await delivered()).length,
    );
    const letters = await paged('/notifications/dead-letter', idOf);
    receiver.behave = () => 'ok';
    expect(await ask('POST', '/notifications/dead-letter/redrive', { ids: [letters[0]] })).toEqual({
      ids: [letters[0]],
    });
    await until(async () => (await dead()).length === letters.length - 1, 'one is sent again');

    // The inbox.
    const unread = async () =>
      (await ask('GET', '/notifications/inbox?unread=true&limit=100')).items as { id: string }[];
    await until(async () => (await unread()).length > 1, 'the inbox');
    const items = await paged('/notifications/inbox', idOf);
    expect(items).toEqual((await unread()).map(idOf));
    expect((await ask('POST', '/notifications/inbox/read', { ids: [items[0]] })).marked).toBe(1);
    expect((await unread()).map(idOf)).toEqual(items.slice(1));
    expect((await ask('POST', '/notifications/inbox/read', { up_to: items[1] })).marked).toBe(
      items.length - 1,
    );
    expect(await unread()).toEqual([]);

    // A preview, preferences, types and events.
    const preview = async (body: object) =>
      (await ask('POST', '/notifications/rules/preview', body)).items as { event: { type: string } }[];
    const all = await preview({ audience: { channels: [made.id] } });
    expect((await preview({ audience: { channels: [made.id] }, events: 1 })).length).toBeLessThan(all.length);
    expect(
      new Set(
        (await preview({ audience: { channels: [made.id] }, filter: { events: ['plan.*'] } })).map(
          ({ event }) => event.type.split('.')[0],
        ),
      ),
    ).toEqual(new Set(['plan']));
    expect((await preview({ audience: { followers: true }, filter: { models: ['none'] } })).length).toBe(0);
    const preferences = {
      ...{ min_severity: 'error', muted: ['model.*'], channels: [made.id], timing: 'daily' },
      quiet_hours: { from: '01:00', to: '02:00', zone: 'UTC' },
    };
    expect(await ask('PUT', '/notifications/preferences', preferences)).toEqual(preferences);
    expect(await ask('GET', '/notifications/preferences')).toEqual(preferences);
    expect(
      (await paged('/notifications/event-types', ({ name }: { name: string }) => name)).length,
    ).toBeGreaterThan(20);
    const log = (await ask('GET', '/notifications/events?limit=1000')) as { items: { id: string }[] };
    expect(await paged('/notifications/events', idOf)).toEqual(log.items.map(idOf).slice(0, 50));
  } finally {
    await served.stop();
    await receiver.close();
  }
}, 180_000);
