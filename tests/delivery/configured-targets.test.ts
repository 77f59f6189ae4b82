/** `notification_targets` of config.yaml: every name of notify_on, every type, every option, and whose they are. */
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/compiler/load/config/load-config.ts';
import type { ChannelReach, ChannelTarget } from '../../src/domain/channel.ts';
import type { StoredEvent } from '../../src/domain/event.ts';
import { NOTIFY_ON, notifiesOn } from '../../src/domain/notify-on.ts';
import { configuredTargets, openConfigured } from '../../src/operations/notify/configured-targets.ts';
import { servedPlatform } from '../support/served-platform.ts';
import { startReceiver, until } from './delivery-bench.ts';

const configOf = (text: string) =>
  loadConfig({ files: [{ path: 'config.yaml', text }], folderName: 'shop', environment: {} });

const eventOf = (event: string, data: unknown = {}): StoredEvent => ({ sequence: 1, at: 1, event, data });
const RUN = { run: { kind: 'run' } };
const APPLY = { run: { kind: 'plan', planId: 'p_1' } };
/** Each name with what it stands for; those of migrations never happen. */
const STANDS_FOR: Readonly<Record<string, readonly StoredEvent[]>> = {
  apply_start: [eventOf('run.started', APPLY)],
  apply_end: [eventOf('plan.applied'), eventOf('plan.rolled_back')],
  apply_failure: [eventOf('plan.failed')],
  run_start: [eventOf('run.started', RUN)],
  run_end: [eventOf('run.finished', RUN), eventOf('run.failed', RUN)],
  run_failure: [eventOf('run.failed', RUN)],
  audit_failure: [eventOf('audit.failed')],
  dq_failure: [eventOf('dq.failed', { severity: 'error' })],
  dq_warning: [eventOf('dq.warned'), eventOf('dq.failed', { severity: 'warning' })],
  freshness_failure: [eventOf('freshness.breached')],
  incident_opened: [eventOf('incident.opened')],
  incident_closed: [eventOf('incident.closed')],
  schema_change: [eventOf('schema.changed')],
  plan_change: [eventOf('plan.created')],
  migration_start: [],
  migration_end: [],
  migration_failure: [],
};

test('notify_on: every name stands for its events and for no other', () => {
  expect(Object.keys(STANDS_FOR).sort()).toEqual([...NOTIFY_ON].sort());
  const all = [
    ...new Set(Object.values(STANDS_FOR).flat()),
    eventOf('model.built'),
    eventOf('token.created'),
  ];
  for (const [name, events] of Object.entries(STANDS_FOR))
    for (const event of all) {
      const isOne =
        events.some((each) => JSON.stringify(each) === JSON.stringify(event)) ||
        (name === 'dq_failure' && event.event === 'dq.failed');
      expect(notifiesOn(event, [name]), `${name} ${event.event}`).toBe(isOne);
    }
});

test('every type of target is opened with what it says', async () => {
  const { config, diagnostics } = configOf(`notification_targets:
  - {type: console, notify_on: run_end}
  - {type: slack_webhook, url: https://hooks.example.com/a, notify_on: run_end}
  - {type: slack_api, token: xoxb-1, channel: data, notify_on: run_end}
  - {type: teams_webhook, url: https://teams.example.com/b, notify_on: run_end}
  - {type: smtp, host: mail.example.com, port: 465, user: u, password: p, sender: a@example.com, recipients: [b@example.com], subject: shop, notify_on: run_end}
  - {type: webhook, url: https://example.com/c, secret: whsec_x, signature: hmac, headers: {k: v}, allow_private: true, notify_on: run_end}
`);
  expect(diagnostics.map(({ code }) => code)).not.toContain('yaml.key-not-yet');
  const opened: (readonly [ChannelTarget, ChannelReach])[] = [];
  const lines: string[] = [];
  const targets = configuredTargets(config);
  for (const target of targets) {
    const channel = openConfigured(target, {
      openChannel: (each, reach) => {
        opened.push([each, reach]);
        return { send: async () => ({ kind: 'delivered', status: 200 }) };
      },
      onConsole: (line) => lines.push(line),
    });
    const event = {
      specversion: '1.0',
      id: '1',
      type: 't',
      source: 's',
      time: '',
      sequence: '1',
      datacontenttype: 'application/json',
      data: {},
    } as const;
    await channel.send(
      {
        id: '1',
        severity: 'info',
        title: 'A run ended',
        text: '',
        links: [],
        body: { kind: 'event', event },
      },
      { signal: AbortSignal.timeout(1000), at: 1 },
    );
  }
  expect(lines).toEqual(['A run ended']);
  const signed = { id: targets[5]?.name, algorithm: 'hmac', secret: 'whsec_x', createdAt: 0 };
  expect(opened).toEqual([
    [{ kind: 'slack-webhook', url: 'https://hooks.example.com/a' }, { allowPrivate: false }],
    [{ kind: 'slack-api', token: 'xoxb-1', channel: 'data' }, { allowPrivate: false }],
    [{ kind: 'teams', url: 'https://teams.example.com/b' }, { allowPrivate: false }],
    [
      {
        ...{
          kind: 'email',
          host: 'mail.example.com',
          port: 465,
          user: 'u',
          password: 'p',
          sender: 'a@example.com',
        },
        ...{ recipients: ['b@example.com'], subject: 'shop' },
      },
      { allowPrivate: false },
    ],
    [
      { kind: 'webhook', url: 'https://example.com/c', signingKeys: [signed], headers: { k: 'v' } },
      { allowPrivate: true },
    ],
  ]);
  expect(new Set(targets.map(({ name }) => name)).size).toBe(targets.length);
});

test('a target of the product and one of a user get what happens from then on; deliveries are for owners of the product', async () => {
  const receiver = await startReceiver();
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  const target = (channel: string): string =>
    `{type: webhook, url: '${receiver.urlOf(channel)}', secret: ${secret}, allow_private: true, notify_on: [audit_failure, apply_end]}`;
  const served = await servedPlatform([
    `name: shop\ntenant: acme\nnotification_targets: [${target('all')}]\nusers: [{username: bob, notification_targets: [${target('bob')}]}]`,
  ]);
  try {
    const bob = await served.person('acme', 'bob', { role: 'viewer' });
    await served.plan({
      'models/m.sql':
        'MODEL (name s.m, kind FULL, audits (not_null(columns := (a), blocking := false)));\nSELECT NULL::INT AS a',
    });
    await until(() => receiver.arrivals.length >= 4, 'two events at two targets');
    expect(new Set(receiver.arrivals.map(({ channel }) => channel))).toEqual(new Set(['all', 'bob']));
    const list = '/plinth/tenants/acme/data-products/acme-shop/api/v1/notifications/deliveries?source=config';
    await until(
      async () => (await served.ask(served.root, 'GET', list)).body.items.length >= 2,
      'they are listed',
    );
    expect((await served.ask(bob, 'GET', list)).body.items).toEqual([]);
  } finally {
    await served.stop();
    await receiver.close();
  }
}, 120_000);
