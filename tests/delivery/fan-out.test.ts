/** Who hears of an event, compared with an oracle that knows no shortcut: it asks each way to each subscriber one by one. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fanOutEvent, type Subscriptions } from '../../src/compiler/notify/fan-out-event.ts';
import { type Reach, reachedTargets } from '../../src/compiler/notify/reach.ts';
import type { StoredEvent } from '../../src/domain/event.ts';
import { type EventSeverity, SEVERITIES } from '../../src/domain/event-types.ts';
import type { Follower } from '../../src/domain/follower.ts';
import type {
  NotificationChannel,
  NotificationPreference,
  NotificationRule,
} from '../../src/domain/notification.ts';
import { severityOf } from '../../src/domain/severity-of.ts';
import { channelNamed, followerOf, ruleNamed } from '../conformance/notification-store-fixtures.ts';

const PEOPLE = ['u_a', 'u_b', 'u_c', 'u_d'];
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  g: ['u_a', 'u_b'],
  h: ['u_c', 'u_d'],
  none: [],
};
const CHANNELS = ['c0', 'c1', 'c2', 'c3'];
const EVENTS = [
  'dq.failed',
  'dq.warned',
  'audit.failed',
  'run.failed',
  'model.built',
  'schema.changed',
  'metric.changed',
];
const PATTERNS = ['dq.*', 'audit.failed', '*', 'model.*', 'run.failed'];
const MODELS = ['m0', 'm1', 'm2', 'm3', 'm4'];
const METRICS = ['k0', 'k1', 'k2'];
const TARGETS = [
  'product',
  ...MODELS.map((name) => `model:${name}`),
  ...METRICS.map((name) => `metric:${name}`),
  'perspective:p0',
  'perspective:p1',
];
const ENVIRONMENTS = ['prod', 'dev'];

const located = (value: string) => ({ value, start: 0, end: 0 });
const some = <Value>(values: readonly Value[]) => fc.subarray([...values], { minLength: 0 });
const oneOf = <Value>(values: readonly Value[]) => fc.constantFrom(...values);
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });

/** A model reads earlier ones; each semantic model is over one model, each metric over a semantic model or a metric before it. */
const reaches = fc
  .record({
    reads: fc.tuple(...MODELS.map((_, index) => some(MODELS.slice(0, index)))),
    over: fc.tuple(
      ...METRICS.map((_, index) =>
        oneOf([...MODELS.map((name) => `s_${name}.v`), ...METRICS.slice(0, index)]),
      ),
    ),
    perspectives: fc.tuple(
      ...['p0', 'p1'].map(() =>
        fc.record({
          models: some(MODELS),
          metrics: some(METRICS),
          members: some(MODELS.map((name) => `s_${name}.v`)),
        }),
      ),
    ),
  })
  .map(({ reads, over, perspectives }) => ({ reads, over, perspectives }));

type World = typeof reaches extends fc.Arbitrary<infer Made> ? Made : never;

const reachOf = ({ reads, over, perspectives }: World): Reach =>
  ({
    models: MODELS.map((name, index) => ({
      name,
      dependencies: reads[index] ?? [],
      columns: [{ name: 'v' }],
      lineage: (reads[index] ?? []).map((from) => ({ column: 'v', sources: [{ model: from, column: 'v' }] })),
    })),
    semanticModels: MODELS.map((name) => ({
      name: located(`s_${name}`),
      model: located(name),
      dimensions: [],
      measures: [{ name: located('v'), expression: located('sum(v)'), filters: [] }],
      segments: [],
    })),
    metrics: METRICS.map((name, index) => ({
      name: located(name),
      calculation: { kind: 'simple', measure: located(over[index] ?? '') },
      dimensions: [],
      segments: [],
    })),
    perspectives: perspectives.map((each, index) => ({ id: `p${index}`, columns: [], ...each })),
  }) as unknown as Reach;

/** By the definition: what is hit is the least set that is closed under "made of". */
function hitsOf(event: StoredEvent, { reads, over, perspectives }: World): ReadonlySet<string> {
  const hit = new Set<string>();
  if (event.model !== undefined) hit.add(`model:${event.model}`);
  const { metric, removed } = event.data as {
    readonly metric?: string;
    readonly removed?: readonly string[];
  };
  if (event.event === 'metric.changed' && metric !== undefined) hit.add(`metric:${metric}`);
  const isSchema = event.event === 'schema.changed';
  const spreads =
    !['run.failed', 'model.built'].includes(event.event) && (!isSchema || removed?.includes('v') === true);
  // A change of the schema says nothing of perspectives that only read the table.
  const edges: (readonly [string, string])[] = [
    ...MODELS.flatMap((name, index) =>
      (reads[index] ?? []).map((from) => [`model:${from}`, `model:${name}`] as const),
    ),
    ...METRICS.map((name, index) => {
      const [from = ''] = [over[index]];
      return [
        from.startsWith('s_') ? `model:${from.slice(2, -2)}` : `metric:${from}`,
        `metric:${name}`,
      ] as const;
    }),
    ...perspectives.flatMap(({ models, metrics, members }, index) => [
      ...(isSchema ? [] : models.map((name) => [`model:${name}`, `perspective:p${index}`] as const)),
      ...metrics.map((name) => [`metric:${name}`, `perspective:p${index}`] as const),
      ...members.map((name) => [`model:${name.slice(2, -2)}`, `perspective:p${index}`] as const),
    ]),
  ];
  for (let before = -1; spreads && before < hit.size; ) {
    before = hit.size;
    for (const [from, to] of edges) if (hit.has(from)) hit.add(to);
  }
  return hit.add('product');
}

const filters = fc.record({
  events: maybe(some(PATTERNS)),
  models: maybe(some(['m0', 'm*', '*3'])),
  environments: maybe(some(['prod', '*', 'dev'])),
  minSeverity: maybe(oneOf(SEVERITIES)),
});

const subscriptions = fc
  .record({
    rules: fc.array(
      fc.record({
        owner: oneOf(PEOPLE),
        filter: filters,
        owners: fc.boolean(),
        followers: fc.boolean(),
        channels: some(CHANNELS),
        since: oneOf([0, 5, 9]),
        isEnabled: fc.boolean(),
      }),
      { maxLength: 4 },
    ),
    followers: fc.array(
      fc.record({
        owner: oneOf(PEOPLE),
        group: maybe(oneOf(Object.keys(GROUPS))),
        target: oneOf(TARGETS),
        events: maybe(some(PATTERNS)),
        channels: maybe(some(CHANNELS)),
        minSeverity: oneOf(SEVERITIES),
        since: oneOf([0, 5, 9]),
      }),
      { maxLength: 6 },
    ),
    channels: fc.tuple(
      ...CHANNELS.map(() =>
        fc.record({
          owner: oneOf(PEOPLE),
          isEnabled: fc.boolean(),
          kind: oneOf(['webhook', 'inbox'] as const),
        }),
      ),
    ),
    preferences: fc.dictionary(
      oneOf(PEOPLE),
      fc.record({
        muted: some(PATTERNS.slice(0, 2)),
        minSeverity: maybe(oneOf(SEVERITIES)),
        channels: some(CHANNELS),
      }),
    ),
    owners: some(PEOPLE),
    configured: fc.array(fc.record({ since: oneOf([0, 9]), takes: fc.boolean() }), { maxLength: 2 }),
  })
  .map(
    (made): Subscriptions => ({
      product: 'acme-shop',
      defaultEnvironment: 'prod',
      channels: new Map(
        CHANNELS.map((id, index) => {
          const { owner, isEnabled, kind } = made.channels[index] ?? {
            owner: 'u_a',
            isEnabled: true,
            kind: 'webhook',
          };
          return [id, channelNamed(id, { ownerId: owner, isEnabled, kind }) as NotificationChannel];
        }),
      ),
      rules: made.rules.map(
        ({ owner, owners, followers, channels, since, isEnabled, filter }, index): NotificationRule => ({
          ...ruleNamed(`r${index}`, { ownerId: owner, isEnabled, audience: { owners, followers, channels } }),
          filter: Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)),
          since,
        }),
      ),
      followers: made.followers.map(
        ({ owner, group, target, events, channels, minSeverity, since }): Follower => ({
          ...followerOf(owner, target, { ownerId: owner, minSeverity }),
          party: group === undefined ? { kind: 'user', name: owner } : { kind: 'group', name: group },
          ...(events === undefined ? {} : { events }),
          ...(channels === undefined ? {} : { channels }),
          since,
        }),
      ),
      preferences: new Map(
        Object.entries(made.preferences).map(
          ([id, { muted, minSeverity, channels }]): [string, NotificationPreference] => [
            id,
            {
              id,
              ownerId: id,
              createdAt: 1,
              updatedAt: 1,
              muted,
              channels,
              timing: 'immediate',
              ...(minSeverity === undefined ? {} : { minSeverity }),
            },
          ],
        ),
      ),
      configured: made.configured.map(({ since, takes }, index) => ({
        name: `t${index}`,
        since,
        ownerId: '',
        notifiesOn: () => takes,
      })),
      membersOf: (group) => GROUPS[group] ?? [],
      ownersOf: () => made.owners,
    }),
  );

const events = fc
  .record({
    event: oneOf(EVENTS),
    model: maybe(oneOf(MODELS)),
    environment: maybe(oneOf(ENVIRONMENTS)),
    metric: oneOf(METRICS),
    removed: some(['v']),
    severity: oneOf(['error', 'warning']),
  })
  .map(
    ({ event, model, environment, ...data }): StoredEvent => ({
      sequence: 7,
      at: 1_700_000_000_000,
      event,
      ...(model === undefined || event === 'metric.changed' ? {} : { model }),
      ...(environment === undefined ? {} : { environment }),
      data,
    }),
  );

const rank = (severity: EventSeverity): number => ['info', 'warning', 'error', 'critical'].indexOf(severity);
const globbed = (name: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) =>
    new RegExp(
      `^${pattern
        .split('*')
        .map((part) => part.replace('.', '\\.'))
        .join('.*')}$`,
    ).test(name),
  );

/** Whether a subscriber hears of the event: one question at a time. */
function hears(
  subscriber: string,
  event: StoredEvent,
  given: Subscriptions,
  hit: ReadonlySet<string>,
): boolean {
  const severity = severityOf(event);
  const isMuted = (id: string): boolean => {
    const preference = given.preferences.get(id);
    return (
      preference !== undefined &&
      (globbed(event.event, preference.muted) || rank(severity) < rank(preference.minSeverity ?? 'info'))
    );
  };
  /** Whether a channel that someone named leads to this subscriber. */
  const leads = (id: string, ownerId: string): boolean => {
    const channel = given.channels.get(id);
    if (channel === undefined || !channel.isEnabled || channel.ownerId !== ownerId) return false;
    return subscriber === (channel.kind === 'inbox' ? `inbox:${ownerId}` : `channel:${id}`);
  };
  const toPrincipal = (id: string): boolean =>
    !isMuted(id) &&
    (subscriber === `inbox:${id}` ||
      (given.preferences.get(id)?.channels ?? []).some((each) => leads(each, id)));
  const toFollower = ({ party, ownerId, channels }: Follower): boolean =>
    channels === undefined
      ? (party.kind === 'group' ? (GROUPS[party.name] ?? []) : [ownerId]).some(toPrincipal)
      : !isMuted(ownerId) && channels.some((each) => leads(each, ownerId));
  const isLive = event.environment === undefined || event.environment === 'prod';
  return (
    given.configured.some(
      (each) => subscriber === `config:${each.name}` && event.sequence > each.since && each.notifiesOn(event),
    ) ||
    (isLive &&
      given.followers.some(
        (each) =>
          hit.has(each.target) &&
          event.sequence > each.since &&
          rank(severity) >= rank(each.minSeverity) &&
          (each.events === undefined || globbed(event.event, each.events)) &&
          toFollower(each),
      )) ||
    given.rules.some(({ isEnabled, since, filter, audience, ownerId }) => {
      if (!isEnabled || event.sequence <= since) return false;
      if (filter.events !== undefined && !globbed(event.event, filter.events)) return false;
      if (filter.models !== undefined && !(event.model !== undefined && globbed(event.model, filter.models)))
        return false;
      if (event.environment !== undefined && !globbed(event.environment, filter.environments ?? ['prod']))
        return false;
      if (rank(severity) < rank(filter.minSeverity ?? 'info')) return false;
      return (
        (audience.channels ?? []).some((each) => leads(each, ownerId)) ||
        (audience.owners === true && given.ownersOf([]).some(toPrincipal)) ||
        (audience.followers === true &&
          given.followers.some(
            (each) => hit.has(each.target) && rank(severity) >= rank(each.minSeverity) && toFollower(each),
          ))
      );
    })
  );
}

describe('an event that happened', () => {
  test('hits exactly what is made of what it happened to', () => {
    fc.assert(
      fc.property(reaches, events, (world, event) => {
        expect([...reachedTargets(event, reachOf(world)).keys()].sort()).toEqual(
          [...hitsOf(event, world)].sort(),
        );
      }),
      { numRuns: 1_500 },
    );
  });

  test('reaches exactly those who asked, each once', () => {
    fc.assert(
      fc.property(reaches, events, subscriptions, (world, event, given) => {
        const targets = reachedTargets(event, reachOf(world));
        const { deliveries, inbox } = fanOutEvent(event, { subscriptions: given, targets, now: event.at });
        const found = [
          ...deliveries.map(({ subscriber }) => subscriber),
          ...inbox.map(({ principalId }) => `inbox:${principalId}`),
        ];
        const all = [
          ...CHANNELS.map((id) => `channel:${id}`),
          ...PEOPLE.map((id) => `inbox:${id}`),
          'config:t0',
          'config:t1',
        ];
        const hit = hitsOf(event, world);
        expect(found.sort()).toEqual(all.filter((each) => hears(each, event, given, hit)).sort());
        expect(new Set([...deliveries, ...inbox].map(({ id }) => id)).size).toBe(found.length);
      }),
      { numRuns: 3_000 },
    );
  });
});
