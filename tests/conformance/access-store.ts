/** What the state promises about who may do what, and about first answers, whatever database it lies in. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { grantsTag, groupTag, principalTag } from '../../src/domain/entity-tag.ts';
import type { AccessRequest, Token } from '../../src/domain/principal.ts';
import type { StateStore } from '../../src/domain/state-store.ts';
import { audit, grantOf, person, tokenOf, told } from './access-store-fixtures.ts';
import type { StateStoreUnderTest } from './state-store.ts';

export function describeAccessStore(name: string, under: StateStoreUnderTest): void {
  describe(name, () => {
    let place: string;
    let store: StateStore;
    const opened: StateStore[] = [];
    const openIn = async (where: string): Promise<StateStore> => {
      const made = await under.open(where);
      opened.push(made);
      return made;
    };
    const open = (): Promise<StateStore> => openIn(place);
    const openEmpty = (): Promise<StateStore> => openIn(under.newPlace());
    beforeEach(async () => {
      place = under.newPlace();
      store = await open();
    });
    afterEach(async () => {
      for (const each of opened.splice(0)) await each.close();
    });
    const actions = async (): Promise<readonly string[]> =>
      (await store.principals.auditLog({ tenant: 'acme', limit: 100 })).map(({ action }) => action).reverse();

    describe('principals', () => {
      test('change field by field, only as expected, and every change is in the log', async () => {
        const ada = person('ada', ['g']);
        await store.principals.createPrincipal(ada, audit('create'));
        const change = (given: Parameters<StateStore['principals']['changePrincipal']>[1]) =>
          store.principals.changePrincipal(ada.id, given, audit('change'));
        expect(await change({ role: 'viewer', expected: [principalTag(ada)] })).toBe('done');
        expect(await change({ role: 'admin', expected: [principalTag(ada)] })).toBe('differs');
        expect(await change({ isPlatformAdmin: true, expected: ['*'] })).toBe('done');
        expect(await change({ role: null })).toBe('done');
        expect(await store.principals.principals({ tenant: 'acme' })).toEqual([
          { ...ada, isPlatformAdmin: true },
        ]);
        expect(await store.principals.changePrincipal('u_none', {}, audit('change'))).toBe('missing');
        expect(await store.principals.removePrincipal(ada.id, audit('remove'), ['x'])).toBe('differs');
        expect(await store.principals.removePrincipal(ada.id, audit('remove'))).toBe('done');
        expect(await actions()).toEqual(['create', 'change', 'change', 'change', 'remove']);
      });
    });

    describe('grants', () => {
      const grant = grantOf;

      test('of a request stand beside the direct one, which a new one replaces', async () => {
        const { principals } = store;
        await principals.grant(grant({ expiresAt: 9 }), told('grant'));
        await principals.grant(grant({ role: 'owner', requestId: 'a_1', expiresAt: 5 }), told('grant'));
        await principals.grant(grant({ role: 'editor', createdAt: 2 }), told('grant'));
        expect(await principals.grants({ tenant: 'acme' })).toEqual([
          grant({ role: 'editor', createdAt: 2 }),
          grant({ role: 'owner', requestId: 'a_1', expiresAt: 5 }),
        ]);
        const before = grantsTag(await principals.grants({ tenant: 'acme' })) as string;
        expect(await principals.grant(grant(), told('grant'), 'none')).toBe('differs');
        expect(await principals.grant(grant(), told('grant'), ['x'])).toBe('differs');
        expect(await principals.revokeGrant(grant(), told('revoke'), ['x'])).toBe('differs');
        expect(await principals.revokeGrant(grant(), told('revoke'), [before])).toBe('done');
        expect(await principals.revokeGrant(grant(), told('revoke'))).toBe('missing');
        expect(await principals.grant(grant(), told('grant'), 'none')).toBe('done');
        const events = await store.events.events({ limit: 100 });
        expect(events.map(({ event }) => event)).toEqual(['grant', 'grant', 'grant', 'revoke', 'grant']);
      });
    });

    describe('tokens', () => {
      const token = tokenOf;
      const made = async (...tokens: readonly Token[]): Promise<void> => {
        for (const name of ['ada', 'bob'])
          await store.principals.createPrincipal(person(name), audit('create'));
        for (const each of tokens) await store.principals.createToken(each, audit('token'), []);
      };
      const revoked = async (): Promise<readonly string[]> =>
        (await store.principals.tokens({ tenant: 'acme' }))
          .filter(({ revokedAt }) => revokedAt !== undefined)
          .map(({ id }) => id);

      test('are found by their ids, with the one by which they were made', async () => {
        await made(token('a'), token('b', 'a'));
        expect(await store.principals.token('b')).toEqual(token('b', 'a'));
        expect(await store.principals.token('c')).toBeUndefined();
        expect((await store.principals.tokenOwner('hash of b'))?.token).toEqual(token('b', 'a'));
      });

      test('are revoked with all that they made, at any remove, and with nothing else', async () => {
        await made(
          token('a'),
          token('b', 'a'),
          token('c', 'b', 'u_bob'),
          token('d', 'c'),
          token('e'),
          token('f', 'e'),
        );
        const request = { tenant: 'acme', id: 'b', at: 9 };
        expect(await store.principals.revokeToken(request, audit('revoke'), [])).toBe(true);
        expect(await revoked()).toEqual(['b', 'c', 'd']);
        expect((await store.principals.token('d'))?.revokedAt).toBe(9);
        expect(await store.principals.revokeToken(request, audit('revoke'), [])).toBe(false);
      });

      test('that name each other as their makers are revoked together', async () => {
        await made(token('a', 'b'), token('b', 'a'));
        await store.principals.revokeToken({ tenant: 'acme', id: 'a', at: 9 }, audit('revoke'), []);
        expect(await revoked()).toEqual(['a', 'b']);
      });

      test('of a principal who is removed take with them what they made for others', async () => {
        await made(token('a'), token('b', 'a', 'u_bob'), token('c', undefined, 'u_bob'));
        expect(await store.principals.removePrincipal('u_ada', audit('remove'))).toBe('done');
        expect(await revoked()).toEqual(['b']);
      });

      test('are exported with who made them', async () => {
        await made(token('a'), token('b', 'a'));
        const copy = await openEmpty();
        await copy.importAll(store.exportAll());
        expect(await copy.principals.token('b')).toEqual(token('b', 'a'));
      });
    });

    describe('groups', () => {
      test('have the members that were set last, whatever they had before', async () => {
        const names = ['ada', 'bob', 'cleo', 'dan'];
        for (const name of names)
          await store.principals.createPrincipal(person(name, ['other']), audit('create'));
        await fc.assert(
          fc.asyncProperty(fc.array(fc.subarray(names), { minLength: 1, maxLength: 5 }), async (steps) => {
            for (const members of steps)
              await store.access.putGroup(
                { tenant: 'acme', name: 'g', createdAt: 1 },
                { members },
                audit('put'),
              );
            const all = await store.principals.principals({ tenant: 'acme' });
            expect(all.filter(({ groups }) => groups.includes('g')).map(({ name }) => name)).toEqual(
              [...(steps.at(-1) ?? [])].sort(),
            );
            expect(
              all.every(({ groups }) => groups.includes('other') && new Set(groups).size === groups.length),
            ).toBe(true);
          }),
          { numRuns: 20 },
        );
      });

      test('exist without members, change as expected, and go with what was granted to them', async () => {
        const { access, principals } = store;
        await principals.createPrincipal(person('ada'), audit('create'));
        const group = { tenant: 'acme', name: 'g', createdAt: 4 };
        expect(await access.putGroup(group, { members: [], isNew: true }, audit('put'))).toBe('done');
        expect(await access.putGroup(group, { members: [], isNew: true }, audit('put'))).toBe('differs');
        expect(await access.groups({ tenant: 'acme' })).toEqual([group]);
        const empty = groupTag([], 4) as string;
        const put = (expected: string) =>
          access.putGroup(
            { ...group, createdAt: 5 },
            { members: ['ada', 'nobody'], expected: [expected] },
            audit('put'),
          );
        expect(await put(empty)).toBe('done');
        expect(await put(empty)).toBe('differs');
        expect(await access.groups({ tenant: 'acme' })).toEqual([group]);
        const grant = {
          tenant: 'acme',
          product: 'p',
          principal: 'group:g',
          role: 'owner',
          createdAt: 1,
        } as const;
        await principals.grant(grant, told('grant'));
        expect(await access.removeGroup(group, [empty], audit('remove'))).toBe('differs');
        expect(await access.removeGroup(group, [groupTag(['ada'], 4) as string], audit('remove'))).toBe(
          'done',
        );
        expect(await access.removeGroup(group, undefined, audit('remove'))).toBe('missing');
        expect(await principals.grants({ tenant: 'acme' })).toEqual([]);
        expect((await principals.principals({ tenant: 'acme' }))[0]?.groups).toEqual([]);
      });
    });

    describe('access requests', () => {
      const request = (id: string, more: Partial<AccessRequest> = {}): AccessRequest => ({
        id,
        tenant: 'acme',
        product: 'acme-shop',
        principalId: 'u_ada',
        principal: 'ada',
        role: 'consumer',
        createdAt: 1,
        status: 'pending',
        ...more,
      });

      test('wait once, are decided once, and give a grant in the same transaction', async () => {
        const { access, principals } = store;
        const first = request('a_1', { reason: 'because', durationMs: 5 });
        expect(await access.createRequest(first, told('ask'))).toBeUndefined();
        expect(await access.createRequest(request('a_2'), told('ask'))).toEqual(first);
        expect(await access.createRequest(request('a_3', { role: 'owner' }), told('ask'))).toBeUndefined();
        const decided: AccessRequest = {
          ...first,
          status: 'approved',
          grantedRole: 'consumer',
          decidedAt: 2,
        };
        const grant = {
          tenant: 'acme',
          product: 'acme-shop',
          principal: 'ada',
          role: 'consumer',
          createdAt: 2,
          requestId: 'a_1',
        } as const;
        const other = await open();
        const outcomes = await Promise.all(
          [store, other].map(({ access: each }) =>
            each.decideRequest(decided, { grant, log: told('approve') }),
          ),
        );
        expect(outcomes.map((outcome) => outcome?.isDone).sort()).toEqual([false, true]);
        expect(await principals.grants({ tenant: 'acme' })).toEqual([grant]);
        const denied = { ...first, status: 'denied' as const };
        expect(await access.decideRequest(denied, { log: told('deny') })).toEqual({
          isDone: false,
          request: decided,
        });
        expect(await access.decideRequest(request('a_9'), { log: told('deny') })).toBeUndefined();
        expect(await access.createRequest(request('a_4'), told('ask'))).toBeUndefined();
        expect(await actions()).toEqual(['ask', 'ask', 'approve', 'ask']);
      });

      test('are found newest first, by what they have and by who may see them', async () => {
        const { access } = store;
        const all = [
          request('a_1'),
          request('a_2', { product: 'acme-hr' }),
          request('a_3', { principalId: 'u_bob', principal: 'bob' }),
          request('a_4', { principalId: 'u_bob', principal: 'bob', product: 'acme-hr' }),
          request('a_5', { tenant: 'globex' }),
        ];
        for (const each of all) await access.createRequest(each, told('ask'));
        const ids = async (filter: object) =>
          (await access.requests({ tenant: 'acme', limit: 10, ...filter })).map(({ id }) => id);
        expect(await ids({})).toEqual(['a_4', 'a_3', 'a_2', 'a_1']);
        expect(await ids({ limit: 2, before: 'a_4' })).toEqual(['a_3', 'a_2']);
        expect(await ids({ product: 'acme-hr' })).toEqual(['a_4', 'a_2']);
        expect(await ids({ status: 'denied' })).toEqual([]);
        expect(await ids({ seenBy: { principalId: 'u_ada', products: [] } })).toEqual(['a_2', 'a_1']);
        expect(await ids({ seenBy: { principalId: 'u_ada', products: ['acme-hr'] } })).toEqual([
          'a_4',
          'a_2',
          'a_1',
        ]);
      });

      test('are gone with their principal, and with an export nothing of them is lost', async () => {
        const { access, principals } = store;
        await principals.createPrincipal(person('ada'), audit('create'));
        await access.createRequest(request('a_1', { reason: 'because' }), told('ask'));
        await access.putGroup(
          { tenant: 'acme', name: 'g', createdAt: 1 },
          { members: ['ada'] },
          audit('put'),
        );
        const copy = await openEmpty();
        await copy.importAll(store.exportAll());
        expect(await copy.access.request('a_1')).toEqual(request('a_1', { reason: 'because' }));
        expect(await copy.access.groups({ tenant: 'acme' })).toEqual(await access.groups({ tenant: 'acme' }));
        await principals.removePrincipal('u_ada', audit('remove'));
        expect(await access.request('a_1')).toBeUndefined();
      });
    });

    describe('first answers', () => {
      const asked = (more: object = {}) => ({ name: 'n', asked: 'q', worker: 'w1', at: 100, ...more });
      const begin = (more: object = {}, how: object = {}) =>
        store.answers.begin(asked(more), { canRepeat: false, since: 0, ...how });
      const answer = { status: 201, headers: { location: '/x' }, text: '{"a":1}' };

      test('are begun once, kept, and given again; another question under the name is another', async () => {
        expect(await begin()).toEqual({ kind: 'begun' });
        expect(await begin({ asked: 'other' })).toEqual({ kind: 'other' });
        expect(await begin({ worker: 'w2' })).toEqual({ kind: 'unfinished' });
        await store.answers.keep('n', 'w1', answer);
        expect(await begin({ worker: 'w2' })).toEqual({ kind: 'kept', answer });
        expect(await begin({ asked: 'other' })).toEqual({ kind: 'other' });
      });

      test('are begun by one of two processes only', async () => {
        const other = await open();
        const outcomes = await Promise.all([
          begin(),
          other.answers.begin(asked({ worker: 'w2' }), { canRepeat: false, since: 0 }),
        ]);
        expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['begun', 'unfinished']);
      });

      test('that may be repeated are taken over, and then kept by the one who has them', async () => {
        await begin();
        expect(await begin({ worker: 'w2' }, { canRepeat: true })).toEqual({ kind: 'begun' });
        await store.answers.keep('n', 'w1', answer);
        expect(await begin({ worker: 'w3' })).toEqual({ kind: 'unfinished' });
        await store.answers.drop('n', 'w1');
        expect(await begin({ worker: 'w3' })).toEqual({ kind: 'unfinished' });
        await store.answers.drop('n', 'w2');
        expect(await begin({ worker: 'w3' })).toEqual({ kind: 'begun' });
      });

      test('are forgotten when they are old, and the oldest when there is no room', async () => {
        for (let i = 0; i < 10; i++) {
          await begin({ name: `n${i}`, at: 100 + i });
          await store.answers.keep(`n${i}`, 'w1', { ...answer, text: 'x'.repeat(100) });
        }
        expect((await begin({ name: 'n0' }, { since: 101 })).kind).toBe('begun');
        await store.answers.sweep({ since: 103, bytesMax: 450 });
        const left: string[] = [];
        for (let i = 0; i < 10; i++)
          if ((await begin({ name: `n${i}`, worker: 'w9' })).kind === 'kept') left.push(`n${i}`);
        expect(left).toEqual(['n6', 'n7', 'n8', 'n9']);
      });
    });
  });
}
