/** A state goes out of one store and into another, both ways, and is the same. */
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { TRANSFERRED_TABLES } from '../../src/adapters/state/sql/transferred-tables.ts';
import { MIGRATIONS } from '../../src/adapters/state/sqlite/schema.ts';
import { SQLITE_DIALECT } from '../../src/adapters/state/sqlite/sqlite-dialect.ts';
import type { StateStore } from '../../src/domain/state-store.ts';
import { audit, grantOf, person, tokenOf, told } from './access-store-fixtures.ts';
import { everyStateStore, isHere } from './every-state-store.ts';
import { channelNamed, deliveryTo, followerOf, inboxItemFor } from './notification-store-fixtures.ts';
import { perspectiveOf, SHARED } from './perspective-store-fixtures.ts';
import { profileOf, resultOf } from './quality-store-fixtures.ts';
import { day, environmentOf, intentOf, ledgerRow, planOf, runOf, table } from './state-store-fixtures.ts';

const stores = everyStateStore();

async function fill(state: StateStore): Promise<void> {
  const strange = 'zero \0, half \ud800, last \uffff, \\u0000';
  const run = runOf('run-1', { kind: 'plan', planId: 'plan-1' });
  await state.journal.startRun(run, { now: 1000, events: [{ at: 0, event: 'a', data: { strange } }] });
  const plan = planOf(['a.one', 'a.two'], {
    id: 'plan-1',
    restatements: [{ table: table('a.two'), ranges: [day(0)] }],
  });
  const later = { event: 'b', environment: 'dev', runId: 'run-1', model: 'a.one', data: { strange } };
  await state.snapshots.savePlan(plan, 'me', [{ at: 2, ...later }]);
  await state.snapshots.beginPlan(plan, run, []);
  const rows = [ledgerRow('a.one', day(0, 3), { token: 1, dataVersion: '9007199254740993' })];
  await state.journal.finishBackfill('i', { rows, events: [] });
  const target = { ...environmentOf(['a.one', 'a.two'], { promotionId: 'p1' }), expiresAt: 99 };
  await state.snapshots.beginPromotion({ target, runId: 'run-1' });
  await state.snapshots.finishPromotion(target, 5, []);
  await state.journal.finishRun({ ...run, status: 'succeeded', endedAt: 7 }, []);
  await state.principals.createPrincipal(person('ada', ['g', strange]), audit('create'));
  await state.principals.createToken(tokenOf('t1'), audit('token'), []);
  await state.principals.grant(grantOf({ expiresAt: 9 }), told('grant'));
  await state.journal.raiseTokens(new Map([[`table:${table('a.three').model}`, 41]]));
  await fillAccess(state);
  await fillQuality(state);
  await fillNotifications(state);
  await fillPerspectives(state);
  await fillWhatIsUnderWay(state);
  // What is old has gone: the log begins later.
  const bounds = { runs: 0, events: 1, plans: 0, statements: 0, leases: 0, auditLog: 0, quality: 0 };
  expect(await state.trim(bounds)).toBeGreaterThan(0);
}

/** Tenants, groups, tokens of every kind, and a request that was granted. */
async function fillAccess({ principals, access }: StateStore): Promise<void> {
  await principals.createTenant({ name: 'other', createdAt: 3 }, audit('tenant'));
  await access.putGroup({ tenant: 'acme', name: 'g', createdAt: 4 }, { members: ['ada'] }, audit('group'));
  await principals.createPrincipal(
    { ...person('robot'), kind: 'service-account', role: 'admin' },
    audit('create'),
  );
  const ended = { ...tokenOf('t2', 't1'), scopes: ['query:read' as const], expiresAt: 9, lastUsedAt: 5 };
  await principals.createToken(ended, audit('token'), []);
  await principals.touchTokens({ t2: 6 });
  await principals.revokeToken(
    { tenant: 'acme', id: 't2', at: 7 },
    { ...audit('revoke'), correlationId: 'c' },
    [],
  );
  const asked = {
    ...{ id: 'a_1', tenant: 'acme', product: 'acme-shop', principalId: 'u_ada', principal: 'ada' },
    ...{ role: 'owner' as const, createdAt: 1, status: 'pending' as const, reason: 'because', durationMs: 5 },
  };
  await access.createRequest(asked, told('ask'));
  const grant = grantOf({ role: 'owner', requestId: 'a_1', expiresAt: 7 });
  await access.decideRequest({ ...asked, status: 'approved', decidedAt: 2 }, { grant, log: told('decide') });
}

/** A check that failed, recovered and fails again, and a profile. */
async function fillQuality({ quality }: StateStore): Promise<void> {
  for (const [index, outcome] of (['fail', 'pass', 'fail'] as const).entries())
    await quality.recordResults([resultOf(`c_${index}`, { outcome, at: 10 + index })], []);
  await quality.recordProfiles([profileOf('f_1')], []);
}

/** One perspective that was shared after it was made. */
async function fillPerspectives({ perspectives }: StateStore): Promise<void> {
  await perspectives.createPerspective(perspectiveOf(1), []);
  await perspectives.changePerspective(perspectiveOf(1, { visibility: SHARED, version: 2 }), []);
}

/** A channel, a follower, what was sent and what waits. */
async function fillNotifications({ notifications }: StateStore): Promise<void> {
  const put = { most: 9, events: [] };
  await notifications.putSetting('channel', channelNamed('n_1'), put);
  await notifications.putSetting('follower', followerOf('ada', 'model:a.one'), put);
  const from = (await notifications.attend({ home: 'h', claims: false, targets: ['t'] }))?.sequence ?? -1;
  const deliveries = [deliveryTo('n_1', from), deliveryTo('n_1', from + 1, { dueAt: 9, batch: 9 })];
  await notifications.fanOut({ from, to: from, deliveries, inbox: [inboxItemFor('ada', from)], now: 3 });
  await notifications.markRead({ principalId: 'u_ada', at: 4 });
  await notifications.claim({ token: 1, now: 5, subscribers: 9, each: 1 });
  const attempt = { at: 5, outcome: 'delivered', status: 200 } as const;
  await notifications.settle([{ id: deliveryTo('n_1', from).id, status: 'delivered', attempt }], {
    ...{ now: 6, released: { subscriber: 'channel:n_1', token: 1 } },
  });
}

/** A run that was killed: its intents are still there. */
async function fillWhatIsUnderWay({ journal, snapshots }: StateStore): Promise<void> {
  const run = runOf('run-2', { environment: 'prod' });
  await journal.startRun(run, { now: 2000, events: [] });
  await journal.startBackfill(intentOf('i2', run), { tables: [table('a.one')], who: 'x', now: 2000 });
  const target = { ...environmentOf(['a.one'], { promotionId: 'p2' }), name: 'prod' };
  await snapshots.beginPromotion({ target, runId: 'run-2' });
  await snapshots.savePlan(planOf(['a.one'], { id: 'plan-2', basePromotionId: 'p1' }), 'me', []);
}

/** The columns of each table that have a value in some line. */
function valuesIn(lines: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const line of lines) {
    const { kind, ...values } = JSON.parse(line) as { readonly kind: string };
    const columns = found.get(kind) ?? new Set();
    found.set(kind, columns);
    for (const name of Object.keys(values)) columns.add(name === 'is_a' ? 'kind' : name);
  }
  return found;
}

async function linesOf(state: StateStore): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of state.exportAll()) lines.push(line);
  return lines;
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

const pairs = Object.keys(stores).flatMap((from) => Object.keys(stores).map((to) => [from, to] as const));

describe.each(pairs)('a state %s', (from, to) => {
  test.skipIf(!isHere(from) || !isHere(to))(`moves to one ${to}, and back, without a change`, async () => {
    const opened: StateStore[] = [];
    const open = async (kind: string): Promise<StateStore> => {
      const store = stores[kind];
      if (store === undefined) throw new Error(`no store ${kind}`);
      const state = await store.open(store.newPlace());
      opened.push(state);
      return state;
    };
    try {
      const [first, second, third] = [await open(from), await open(to), await open(from)];
      await fill(first);
      const lines = await linesOf(first);
      const values = valuesIn(lines);
      const missing = Object.entries(TRANSFERRED_TABLES).flatMap(([name, { columns }]) =>
        Object.keys(columns)
          .filter((column) => values.get(name)?.has(column) !== true)
          .map((column) => `${name}.${column}`),
      );
      expect(missing).toEqual([]);
      await second.importAll(each(lines));
      expect(await linesOf(second)).toEqual(lines);
      await third.importAll(each(await linesOf(second)));
      expect(await linesOf(third)).toEqual(lines);
      expect(third.warehouseId).toBe(first.warehouseId);
      // The log goes on behind what came in.
      await second.snapshots.invalidate('none', 1, [{ at: 3, event: 'c', data: null }]);
      const events = await second.events.events({ limit: 100 });
      const sequences = events.map(({ sequence }) => sequence);
      const [oldest = 0] = sequences;
      expect(oldest).toBeGreaterThan(1);
      expect(sequences).toEqual(sequences.map((_, index) => oldest + index));
    } finally {
      for (const state of opened) await state.close();
    }
  });
});

/** What lasts a day at most, what only says who is alive, and what the export has a line of its own for. */
const NOT_EXPORTED = [
  ...['meta', 'lost_leases', 'executions', 'statements', 'refused_fingerprints', 'statement_workers'],
  ...['kept_answers', 'kept_bytes', 'access_revision'],
];

test('every table and every column is exported, or is one of those that need not be', () => {
  const database = new DatabaseSync(':memory:');
  for (const sql of MIGRATIONS) database.exec(sql);
  const tables = database.prepare(SQLITE_DIALECT.tables).all();
  expect(tables.map(({ name }) => name).toSorted()).toEqual(
    [...Object.keys(TRANSFERRED_TABLES), ...NOT_EXPORTED].toSorted(),
  );
  const missing = Object.entries(TRANSFERRED_TABLES).flatMap(([from, { columns }]) =>
    database
      .prepare(SQLITE_DIALECT.columnsOf(from))
      .all()
      .filter(({ name }) => !Object.hasOwn(columns, String(name)))
      .map(({ name }) => `${from}.${name}`),
  );
  // Leases go on without their holders.
  expect(missing).toEqual(['leases.holder', 'leases.process', 'delivery_queues.token']);
});
