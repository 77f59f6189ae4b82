/** What every store of notifications must do: settings, fan-out, claims, attempts, inboxes. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ATTEMPTS_KEPT, type Delivery, type NewDelivery } from '../../src/domain/delivery.ts';
import { entityTag } from '../../src/domain/entity-tag.ts';
import type { ClaimedQueue, NotificationStore } from '../../src/domain/notification-store.ts';
import type { HistoryBounds, StateStore } from '../../src/domain/state-store.ts';
import {
  channelNamed,
  deliveryTo,
  followerOf,
  inboxItemFor,
  ruleNamed,
} from './notification-store-fixtures.ts';
import type { StateStoreUnderTest } from './state-store.ts';

const NOTHING: HistoryBounds = {
  ...{ runs: 0, events: 0, plans: 0, statements: 0, leases: 0, auditLog: 0, quality: 0 },
};
const PUT = { most: 100, events: [] };
const CLAIM = { token: 1, now: 1_000, subscribers: 10, each: 10 };

export function describeNotificationStore(name: string, store: StateStoreUnderTest): void {
  describe(name, () => {
    let place = '';
    let state: StateStore;
    let notifications: NotificationStore;
    const opened: StateStore[] = [];
    const open = async (): Promise<StateStore> => {
      const another = await store.open(place);
      opened.push(another);
      return another;
    };
    beforeEach(async () => {
      place = store.newPlace();
      state = await open();
      notifications = state.notifications;
    });
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.close();
    });
    const happen = async (...at: readonly number[]): Promise<void> => {
      const events = at.map((each) => ({ at: each, event: 'dq.failed', data: { check: 'p/one' } }));
      await state.snapshots.invalidate('none', 1, events);
    };
    const attend = async (home = 'here') => {
      const answer = await notifications.attend({ home, claims: false, targets: [] });
      return answer?.sequence ?? -1;
    };
    const deal = async (
      to: number,
      deliveries: readonly NewDelivery[],
      inbox: Parameters<NotificationStore['fanOut']>[0]['inbox'] = [],
    ): Promise<boolean> => {
      const { sequence: from } = await notifications.backlog();
      return notifications.fanOut({ from, to, deliveries, inbox, now: 100 });
    };
    const known = async (id: string): Promise<Delivery | undefined> =>
      (await notifications.deliveries({ id, limit: 1 }))[0];
    const sequencesOf = (queues: readonly ClaimedQueue[]): Readonly<Record<string, readonly number[]>> =>
      Object.fromEntries(
        queues.map(({ subscriber, deliveries }) => [subscriber, deliveries.map(({ sequence }) => sequence)]),
      );

    test('settings of each kind are kept whole, and found by owner, target and party', async () => {
      await happen(1, 2);
      const channel = channelNamed('n_1', { name: 'zero \0, half \ud800, "quote\'' });
      const rule = ruleNamed('n_2');
      const follower = followerOf('ada', 'model:a.one', { events: ['dq.*'], channels: ['n_1'] });
      const other = followerOf('bob', 'model:a.one');
      expect(await notifications.putSetting('channel', channel, PUT)).toBe('done');
      expect(await notifications.putSetting('rule', rule, PUT)).toBe('done');
      for (const each of [follower, other]) await notifications.putSetting('follower', each, PUT);
      const again = (await open()).notifications;
      expect(await again.settings('channel', { ownerId: 'u_ada' })).toEqual([channel]);
      expect(await again.settings('channel', { ownerId: 'u_bob' })).toEqual([]);
      expect(await again.settings('rule', { id: 'n_2' })).toEqual([{ ...rule, since: 2 }]);
      expect(await again.settings('follower', { target: 'model:a.one' })).toEqual([
        { ...follower, since: 2 },
        { ...other, since: 2 },
      ]);
      expect(await again.settings('follower', { parties: ['user:bob', 'group:g'] })).toEqual([
        { ...other, since: 2 },
      ]);
      expect(await again.settings('preference', {})).toEqual([]);
    });

    test('a setting that was changed meanwhile is not changed, and the events of a change come with it', async () => {
      const channel = channelNamed('n_1');
      const event = { at: 1, event: 'follower.added', data: {} };
      expect(
        await notifications.putSetting('channel', channel, { ...PUT, isNew: true, events: [event] }),
      ).toBe('done');
      expect(
        await notifications.putSetting('channel', channel, { ...PUT, isNew: true, events: [event] }),
      ).toBe('exists');
      const changed = { ...channel, name: 'other' };
      const before = { expected: [entityTag(channel)] };
      expect(await notifications.putSetting('channel', changed, { ...PUT, ...before })).toBe('done');
      expect(await notifications.putSetting('channel', changed, { ...PUT, ...before, events: [event] })).toBe(
        'differs',
      );
      expect(await notifications.removeSetting('channel', 'n_1', { ...before, events: [event] })).toBe(
        'differs',
      );
      expect(await state.events.events({ limit: 10 })).toHaveLength(1);
      expect(await notifications.removeSetting('channel', 'n_1', { events: [event] })).toBe('done');
      expect(await notifications.removeSetting('channel', 'n_1', { events: [event] })).toBe('missing');
      expect(await state.events.events({ limit: 10 })).toHaveLength(2);
    });

    test('an owner has no more of a kind than allowed', async () => {
      const two = { ...PUT, most: 2 };
      for (const id of ['n_1', 'n_2'])
        expect(await notifications.putSetting('channel', channelNamed(id), two)).toBe('done');
      expect(await notifications.putSetting('channel', channelNamed('n_3'), two)).toBe('full');
      expect(await notifications.putSetting('channel', channelNamed('n_2', { name: 'x' }), two)).toBe('done');
      expect(await notifications.putSetting('channel', channelNamed('n_3', { ownerId: 'u_bob' }), two)).toBe(
        'done',
      );
      expect(await notifications.putSetting('rule', ruleNamed('n_3'), two)).toBe('done');
    });

    test('the log is dealt out from where its first follower came, or from its end', async () => {
      await happen(1, 2, 3);
      expect(await attend()).toBe(3);
      place = store.newPlace();
      state = await open();
      notifications = state.notifications;
      await happen(1, 2);
      await notifications.putSetting('follower', followerOf('ada', 'product'), PUT);
      await happen(3);
      expect(await attend()).toBe(2);
    });

    test('one home is in charge until another claims it, and new targets begin at the end of the log', async () => {
      expect(await attend('here')).toBe(0);
      await happen(1, 2);
      expect(await notifications.attend({ home: 'there', claims: false, targets: ['t1'] })).toBeUndefined();
      expect(await notifications.attend({ home: 'here', claims: false, targets: ['t1'] })).toEqual({
        sequence: 0,
        targets: { t1: 2 },
      });
      await happen(3);
      expect(await notifications.attend({ home: 'there', claims: true, targets: ['t1', 't2'] })).toEqual({
        sequence: 0,
        targets: { t1: 2, t2: 3 },
      });
      expect(await notifications.attend({ home: 'here', claims: false, targets: [] })).toBeUndefined();
    });

    test('a fan-out is whole or nothing, and only one process deals out an event', async () => {
      await attend();
      await happen(1, 2);
      const first = {
        from: 0,
        to: 1,
        deliveries: [deliveryTo('n_1', 1)],
        inbox: [inboxItemFor('ada', 1)],
        now: 5,
      };
      expect(await notifications.fanOut(first)).toBe(true);
      expect(
        await (await open()).notifications.fanOut({
          ...first,
          deliveries: [deliveryTo('n_2', 1)],
          inbox: [inboxItemFor('bob', 1)],
        }),
      ).toBe(false);
      expect(await notifications.backlog()).toEqual({ sequence: 1, open: 1 });
      expect(await notifications.inbox({ principalId: 'u_bob', limit: 9 })).toEqual([]);
      expect(await known(deliveryTo('n_1', 1).id)).toEqual({
        ...deliveryTo('n_1', 1),
        ...{ status: 'pending', createdAt: 5, attempts: [], attempted: 0 },
      });
    });

    test('what goes in its turn is claimed by sequence, once, and what waits at its time', async () => {
      await attend();
      await deal(5, [
        ...[3, 1, 2].map((sequence) => deliveryTo('n_1', sequence)),
        deliveryTo('n_1', 4, { dueAt: 2_000, batch: 2_000 }),
        deliveryTo('n_2', 1, { dueAt: 1_500 }),
      ]);
      const claimed = await notifications.claim(CLAIM);
      expect(sequencesOf(claimed)).toEqual({ 'channel:n_1': [1, 2, 3] });
      expect(claimed[0]?.deliveries[0]?.status).toBe('sending');
      expect(await notifications.claim(CLAIM)).toEqual([]);
      expect(sequencesOf(await notifications.claim({ ...CLAIM, now: 1_500 }))).toEqual({
        'channel:n_2': [1],
      });
      const one =
        claimed[0]?.deliveries.map(({ id }) => ({
          id,
          status: 'delivered' as const,
          attempt: { at: 9, outcome: 'delivered' as const, status: 200 },
        })) ?? [];
      await notifications.settle(one, { now: 9, released: { subscriber: 'channel:n_1', token: 1 } });
      expect(await notifications.claim({ ...CLAIM, now: 1_999 })).toEqual([]);
      expect(sequencesOf(await notifications.claim({ ...CLAIM, now: 2_000 }))).toEqual({
        'channel:n_1': [4],
      });
      expect(await known(deliveryTo('n_1', 1).id)).toMatchObject({
        ...{
          status: 'delivered',
          finishedAt: 9,
          attempted: 1,
          attempts: [{ at: 9, outcome: 'delivered', status: 200 }],
        },
      });
      expect(await notifications.backlog()).toMatchObject({ open: 2 });
    });

    test('pages are bounded, in subscribers and in deliveries', async () => {
      await attend();
      await deal(
        9,
        ['n_1', 'n_2', 'n_3'].flatMap((to) => [1, 2, 3].map((sequence) => deliveryTo(to, sequence))),
      );
      const claimed = await notifications.claim({ ...CLAIM, subscribers: 2, each: 2 });
      expect(sequencesOf(claimed)).toEqual({ 'channel:n_1': [1, 2], 'channel:n_2': [1, 2] });
      expect(sequencesOf(await notifications.claim({ ...CLAIM, each: 1 }))).toEqual({ 'channel:n_3': [1] });
    });

    test('what a process that is gone was sending is sent by the next, which the old one does not disturb', async () => {
      await attend();
      await deal(2, [deliveryTo('n_1', 1), deliveryTo('n_1', 2)]);
      await notifications.claim(CLAIM);
      const taken = await (await open()).notifications.claim({ ...CLAIM, token: 2 });
      expect(sequencesOf(taken)).toEqual({ 'channel:n_1': [1, 2] });
      await notifications.settle([], { now: 1, released: { subscriber: 'channel:n_1', token: 1 } });
      expect(await notifications.claim({ ...CLAIM, token: 2 })).toEqual([]);
      expect(await notifications.claim(CLAIM)).toEqual([]);
    });

    test('a failed attempt waits, later ones go on, and what has ended stays as it ended', async () => {
      await attend();
      await deal(2, [deliveryTo('n_1', 1), deliveryTo('n_1', 2)]);
      await notifications.claim(CLAIM);
      const [one, two] = [deliveryTo('n_1', 1).id, deliveryTo('n_1', 2).id];
      const failed = { at: 1, outcome: 'failed', reason: 'it answered 500', status: 500 } as const;
      const release = { now: 10, released: { subscriber: 'channel:n_1', token: 1 } };
      await notifications.settle(
        [
          { id: one, status: 'retrying', dueAt: 5_000, attempt: failed },
          { id: two, status: 'pending' },
        ],
        release,
      );
      expect(await known(one)).toMatchObject({
        status: 'retrying',
        dueAt: 5_000,
        attempted: 1,
        attempts: [failed],
      });
      expect(sequencesOf(await notifications.claim(CLAIM))).toEqual({ 'channel:n_1': [2] });
      await notifications.settle([{ id: two, status: 'dead', attempt: failed }], release);
      await notifications.settle([{ id: two, status: 'delivered' }], release);
      expect(await known(two)).toMatchObject({ status: 'dead', attempted: 1 });
      expect(sequencesOf(await notifications.claim({ ...CLAIM, now: 5_000 }))).toEqual({
        'channel:n_1': [1],
      });
      for (let at = 0; at < ATTEMPTS_KEPT + 3; at++)
        await notifications.settle(
          [{ id: one, status: 'retrying', dueAt: 5_000, attempt: { ...failed, at } }],
          { now: 1 },
        );
      const long = await known(one);
      expect(long?.attempted).toBe(ATTEMPTS_KEPT + 4);
      expect(long?.attempts).toHaveLength(ATTEMPTS_KEPT);
      expect(long?.attempts.at(-1)?.at).toBe(ATTEMPTS_KEPT + 2);
    });

    test('dead letters are sent again under their ids, and nothing else is', async () => {
      await attend();
      await deal(
        3,
        [1, 2, 3].map((sequence) => deliveryTo('n_1', sequence)),
      );
      const ids = [1, 2, 3].map((sequence) => deliveryTo('n_1', sequence).id);
      await notifications.claim(CLAIM);
      const statuses = ['dead', 'delivered', 'suppressed'] as const;
      await notifications.settle(
        ids.map((id, index) => ({ id, status: statuses[index] ?? 'dead' })),
        { now: 1, released: { subscriber: 'channel:n_1', token: 1 } },
      );
      expect(await notifications.claim(CLAIM)).toEqual([]);
      expect(await notifications.revive({ ids: [...ids, 'none'], statuses: ['dead'], now: 7 })).toEqual([
        ids[0],
      ]);
      expect(sequencesOf(await notifications.claim(CLAIM))).toEqual({ 'channel:n_1': [1] });
    });

    test('deliveries are listed newest first, of one owner, by status and subscriber, page by page', async () => {
      await attend();
      await deal(4, [
        ...[1, 2, 3, 40].map((sequence) => deliveryTo('n_1', sequence)),
        deliveryTo('n_9', 2, { ownerId: 'u_bob' }),
      ]);
      const list = async (request: Partial<Parameters<NotificationStore['deliveries']>[0]>) =>
        (await notifications.deliveries({ limit: 10, ...request })).map(({ sequence }) => sequence);
      expect(await list({ ownerId: 'u_ada' })).toEqual([40, 3, 2, 1]);
      expect(await list({ ownerId: 'u_ada', limit: 2 })).toEqual([40, 3]);
      expect(await list({ ownerId: 'u_ada', before: deliveryTo('n_1', 3).id })).toEqual([2, 1]);
      expect(await list({ ownerId: 'u_bob' })).toEqual([2]);
      expect(await list({ subscriber: 'channel:n_9' })).toEqual([2]);
      expect(await list({ statuses: ['dead'] })).toEqual([]);
    });

    test('an inbox is that of one principal, and what was read is marked once', async () => {
      await attend();
      await deal(
        3,
        [],
        [...[1, 2, 3].map((sequence) => inboxItemFor('ada', sequence)), inboxItemFor('bob', 2)],
      );
      const list = async (name: string, more: object = {}) =>
        (await notifications.inbox({ principalId: `u_${name}`, limit: 10, ...more })).map(
          ({ sequence }) => sequence,
        );
      expect(await list('ada')).toEqual([3, 2, 1]);
      expect(await list('ada', { before: inboxItemFor('ada', 3).id, limit: 1 })).toEqual([2]);
      expect(await list('bob')).toEqual([2]);
      const strangers = { principalId: 'u_bob', ids: [inboxItemFor('ada', 3).id], at: 5 };
      expect(await notifications.markRead(strangers)).toBe(0);
      const own = { principalId: 'u_ada', upTo: inboxItemFor('ada', 2).id, at: 5 };
      expect(await notifications.markRead(own)).toBe(2);
      expect(await notifications.markRead({ ...own, at: 6 })).toBe(0);
      expect(await list('ada', { isUnread: true })).toEqual([3]);
      expect((await notifications.inbox({ principalId: 'u_ada', isUnread: false, limit: 9 }))[0]).toEqual({
        ...inboxItemFor('ada', 2),
        readAt: 5,
      });
    });

    test('history keeps events that were not dealt out, and those that are still to be sent', async () => {
      const trim = async (): Promise<readonly number[]> => {
        while ((await state.trim({ ...NOTHING, events: 100 })) > 0);
        return (await state.events.events({ limit: 100 })).map(({ sequence }) => sequence);
      };
      await happen(1, 2);
      expect(await trim()).toEqual([]);
      await notifications.putSetting('follower', followerOf('ada', 'product'), PUT);
      await happen(3, 4, 5);
      expect(await trim()).toEqual([3, 4, 5]);
      await attend();
      await deal(4, [deliveryTo('n_1', 3)], [inboxItemFor('ada', 3)]);
      expect(await trim()).toEqual([3, 5]);
      expect(await notifications.inbox({ principalId: 'u_ada', limit: 9 })).toEqual([]);
      await notifications.claim(CLAIM);
      await notifications.settle([{ id: deliveryTo('n_1', 3).id, status: 'delivered' }], { now: 100 });
      expect(await trim()).toEqual([5]);
      expect(await notifications.deliveries({ limit: 9 })).toHaveLength(1);
      while ((await state.trim({ ...NOTHING, events: 101 })) > 0);
      expect(await notifications.deliveries({ limit: 9 })).toEqual([]);
    });
  });
}
