/** For every change that a store knows: a call that changes something in the state that `livedIn` makes. */
import type { OperationArguments, writes } from '../../src/adapters/state/sql/operations.ts';
import { packPlan } from '../../src/adapters/state/sql/pack-plan.ts';
import type { AccessRequest } from '../../src/domain/principal.ts';
import type { StateStore } from '../../src/domain/state-store.ts';
import { audit, grantOf, person, tokenOf, told } from '../conformance/access-store-fixtures.ts';
import {
  channelNamed,
  deliveryTo,
  followerOf,
  inboxItemFor,
} from '../conformance/notification-store-fixtures.ts';
import { perspectiveOf } from '../conformance/perspective-store-fixtures.ts';
import { profileOf, resultOf } from '../conformance/quality-store-fixtures.ts';
import {
  day,
  environmentOf,
  intentOf,
  ledgerRow,
  planOf,
  runOf,
  snapshotOf,
  table,
} from '../conformance/state-store-fixtures.ts';
import {
  KEPT_MS,
  promote,
  requestOf,
  statementOf,
  success,
  successIn,
} from '../conformance/statement-store-fixtures.ts';

export type WriteName = keyof typeof writes;

export interface OperationCase<Name extends WriteName = WriteName> {
  readonly given: OperationArguments<Name>;
  /** It wants a state to which nothing ever happened. */
  readonly isInEmpty?: boolean;
}

const NOW = 1_000;
const LATER = 10 ** 12;
const RUN = runOf('run-1');
const EVENTS = [{ at: NOW, event: 'case', data: null }];
const AUDIT = audit('case');
const LOG = told('case');
const DEV_NEXT = environmentOf(['a.one', 'a.two'], { promotionId: 'dev-2' });
const STAGE = environmentOf(['a.three'], { name: 'stage', promotionId: 'stage-1' });
const STAGE_PLAN = planOf(['a.three'], { id: 'plan-2', target: STAGE });
const KEYED = { name: 'key-1', asked: 'question', worker: 'w1', at: NOW };
const GROUP = { tenant: 'acme', name: 'readers', createdAt: 1 };

const accessRequest = (id: string, status: AccessRequest['status'], principal: string): AccessRequest => ({
  id,
  tenant: 'acme',
  product: 'acme-shop',
  principalId: `u_${principal}`,
  principal,
  role: 'consumer',
  createdAt: 1,
  status,
});

/** Something of everything, so that every case finds what it changes. */
export async function livedIn(state: StateStore): Promise<void> {
  const {
    snapshots,
    journal,
    statements,
    principals,
    access,
    answers,
    quality,
    notifications,
    perspectives,
  } = state;
  const old = runOf('run-0', { environment: 'old', startedAt: 1 });
  await journal.startRun(old, { now: 1, events: EVENTS });
  await journal.finishRun({ ...old, status: 'failed', endedAt: 2 }, EVENTS);
  const plan = planOf(['a.one', 'a.two'], { target: environmentOf(['a.one', 'a.two']) });
  await journal.startRun(RUN, { now: NOW, events: EVENTS });
  await snapshots.savePlan(plan, 'me', EVENTS);
  await snapshots.beginPlan(plan, RUN, EVENTS);
  await snapshots.beginPromotion({ target: plan.target, runId: RUN.id });
  await snapshots.finishPromotion(plan.target, NOW, EVENTS);
  await snapshots.beginPromotion({ target: DEV_NEXT, runId: RUN.id });
  await snapshots.savePlan(STAGE_PLAN, 'me', EVENTS);
  await journal.startBackfill(intentOf('intent-1', RUN), {
    tables: [table('a.one')],
    who: 'me',
    now: NOW,
  });
  await journal.finishBackfill('none', {
    rows: [ledgerRow('a.two', day(0), { token: 1, dataVersion: '1' })],
    events: EVENTS,
  });
  await journal.takeLease({ name: 'scheduler', holder: 'here', who: 'here', now: NOW });

  await promote(state);
  const beat = { running: [], now: NOW, keptMs: KEPT_MS, refusedMs: 1 };
  for (const worker of ['w1', 'dead']) await statements.beat(worker, beat);
  const submitted = async (id: string, worker: string, room: 'start' | 'queue') => {
    const outcome = await statements.submit(statementOf(id), requestOf({ question: id, worker, room }));
    if (outcome.kind !== 'accepted' || outcome.work === undefined) throw new Error(`${id}: ${outcome.kind}`);
    return outcome.work;
  };
  await submitted('queued', 'w1', 'queue');
  await submitted('running', 'w1', 'start');
  await submitted('orphan', 'dead', 'start');
  const done = await submitted('done', 'w1', 'start');
  await statements.finish(done, { worker: 'w1', end: successIn('rows'), now: NOW, keptMs: KEPT_MS });
  await statements.leave('dead');
  await statements.refuse('refused', NOW);

  await principals.createTenant({ name: 'empty', createdAt: 1 }, AUDIT);
  for (const name of ['ada', 'bob']) await principals.createPrincipal(person(name, ['readers']), AUDIT);
  await principals.createToken(tokenOf('t1'), AUDIT, []);
  await principals.grant(grantOf(), LOG);
  await access.putGroup(GROUP, { members: ['u_ada'] }, AUDIT);
  await access.createRequest(accessRequest('request-1', 'pending', 'ada'), LOG);
  await answers.begin(KEYED, { canRepeat: false, since: 0 });
  await quality.recordResults([resultOf('c_1', { outcome: 'fail' })], EVENTS);
  await notifications.putSetting('channel', channelNamed('n_1'), { most: 9, events: EVENTS });
  await notifications.attend({ home: 'here', claims: true, targets: [] });
  const { sequence: from } = await notifications.backlog();
  const [sent, sending] = [deliveryTo('n_1', 1), deliveryTo('n_1', 2)];
  const waiting = deliveryTo('n_2', 2);
  await notifications.fanOut({
    ...{ from, to: DEALT, deliveries: [sent, sending, waiting], inbox: [inboxItemFor('ada', 1)], now: NOW },
  });
  await notifications.claim({ token: 1, now: NOW, subscribers: 1, each: 9 });
  await notifications.settle([{ id: sent.id, status: 'dead' }], { now: NOW });
  await perspectives.createPerspective(perspectiveOf(1), EVENTS);
}

/** The log is longer than it was dealt out. */
const DEALT = 3;

/** Typed by the operations: one without a case does not compile. */
export const OPERATION_CASES: { readonly [Name in WriteName]: OperationCase<Name> } = {
  checkWritable: { given: [] },
  adopt: {
    isInEmpty: true,
    given: [
      {
        warehouseId: 'found',
        plans: [{ plan: packPlan(STAGE_PLAN), target: STAGE }],
        unproven: [snapshotOf('a.lost')],
        who: 'me',
        at: NOW,
        events: EVENTS,
      },
    ],
  },
  savePlan: {
    given: [packPlan(planOf(['a.four'], { id: 'plan-3' })), { who: 'me', events: EVENTS }],
  },
  beginPlan: { given: [packPlan(STAGE_PLAN), { run: RUN, events: EVENTS }] },
  beginPromotion: { given: [{ target: STAGE, runId: RUN.id }] },
  finishPromotion: { given: [DEV_NEXT, { at: NOW, events: EVENTS }] },
  dropPromotion: { given: ['dev', RUN.id] },
  invalidate: { given: ['dev', EVENTS] },
  forget: {
    given: [
      {
        environments: ['dev'],
        fingerprints: [snapshotOf('a.two').fingerprint],
        tables: [table('a.two')],
      },
      EVENTS,
    ],
  },
  startRun: { given: [runOf('run-2', { environment: 'stage' }), { now: NOW, events: EVENTS }] },
  startBackfill: {
    given: [intentOf('intent-2', RUN, 'a.two'), { tables: [table('a.two')], who: 'me', now: NOW }],
  },
  finishBackfill: {
    given: [
      'intent-1',
      { rows: [ledgerRow('a.one', day(0), { token: 1, dataVersion: '2' })], events: EVENTS },
    ],
  },
  dropIntent: { given: ['intent-1', EVENTS] },
  releaseTables: { given: [RUN.id, [table('a.one')]] },
  heartbeat: { given: [RUN.id, NOW + 1] },
  takeLease: { given: [{ names: ['janitor'], holder: 'here', who: 'here', now: NOW }] },
  releaseLease: { given: ['here', ['scheduler']] },
  raiseTokens: { given: [[['scheduler', 41]]] },
  finishRun: { given: [{ ...RUN, status: 'succeeded', endedAt: NOW }, EVENTS] },
  reconcile: {
    given: [
      [{ table: table('a.two'), filled: [day(0, 3)], filledSince: [], dataVersion: '2:3' }],
      { interruptedRuns: [RUN.id], now: LATER },
    ],
  },
  trimHistory: {
    given: [
      {
        ...{ runs: LATER, events: LATER, plans: LATER, statements: LATER, leases: LATER },
        ...{ auditLog: LATER, quality: LATER },
      },
    ],
  },
  submitStatement: { given: [statementOf('new'), requestOf({ question: 'new' })] },
  startExecution: {
    given: [
      { id: 'queued', attempt: 1 },
      { worker: 'w1', now: NOW },
    ],
  },
  finishExecution: {
    given: [
      { id: 'running', attempt: 1, isKnown: false },
      { worker: 'w1', end: success(), now: NOW, keptMs: KEPT_MS },
    ],
  },
  retryExecution: {
    given: [
      {
        id: 'running',
        attempt: 1,
        fingerprint: 'f',
        task: { texts: [], timeoutMs: 1, onLimit: 'truncate' },
        tenant: 'acme',
        principalId: 'ann',
      },
      'w1',
    ],
  },
  cancelStatement: { given: ['running', { now: NOW, keptMs: KEPT_MS }] },
  beatWorker: { given: ['w2', { running: [], now: NOW, keptMs: KEPT_MS, refusedMs: 1 }] },
  refuseFingerprint: { given: ['other', LATER] },
  leaveWorker: { given: ['w1'] },
  expireStatements: { given: [{ now: LATER, keptMs: KEPT_MS }] },
  makeRoom: {
    given: [{ principalId: 'ann', own: { writing: 1, max: 1 }, all: { writing: 1, max: 10 }, now: NOW }],
  },
  createTenant: { given: [{ name: 'new', createdAt: 1 }, AUDIT] },
  removeTenant: { given: ['empty', AUDIT] },
  createPrincipal: { given: [person('cy'), AUDIT] },
  changePrincipal: { given: ['u_ada', { change: { groups: ['writers'] }, audit: AUDIT }] },
  removePrincipal: { given: ['u_ada', { audit: AUDIT }] },
  createToken: { given: [tokenOf('t2'), { audit: AUDIT, events: EVENTS }] },
  revokeToken: {
    given: [
      { tenant: 'acme', id: 't1', at: NOW },
      { audit: AUDIT, events: EVENTS },
    ],
  },
  touchTokens: { given: [{ t1: NOW }] },
  grant: { given: [grantOf({ principal: 'bob' }), { log: LOG }] },
  revokeGrant: { given: [{ tenant: 'acme', product: 'acme-shop', principal: 'ada' }, { log: LOG }] },
  appendAudit: { given: [[AUDIT, AUDIT]] },
  putGroup: {
    given: [
      { ...GROUP, name: 'writers' },
      { members: ['u_bob'], audit: AUDIT },
    ],
  },
  removeGroup: { given: [GROUP, { audit: AUDIT }] },
  createAccessRequest: { given: [accessRequest('request-2', 'pending', 'bob'), LOG] },
  decideAccessRequest: {
    given: [
      accessRequest('request-1', 'approved', 'ada'),
      { grant: grantOf({ requestId: 'request-1' }), log: LOG },
    ],
  },
  beginAnswer: {
    given: [
      { ...KEYED, name: 'key-2' },
      { canRepeat: false, since: 0 },
    ],
  },
  keepAnswer: { given: [KEYED, { status: 200, headers: {}, text: 'kept' }] },
  dropAnswer: { given: [KEYED] },
  sweepAnswers: { given: [{ since: LATER, bytesMax: 1 }] },
  recordResults: {
    given: [
      [resultOf('c_2', { outcome: 'pass' }), resultOf('c_3', { check: 'p/other', outcome: 'fail' })],
      EVENTS,
    ],
  },
  // The one of the seed, whose incident is open.
  retireChecks: { given: [{ environment: 'prod', checks: ['p/known', 'p/none'], at: LATER }] },
  recordProfiles: { given: [[profileOf('f_1')], EVENTS] },
  putNotificationSetting: {
    given: [
      'follower',
      {
        setting: { ...followerOf('ada', 'product') },
        index: { id: 'user:ada product', ownerId: 'u_ada', target: 'product', party: 'user:ada' },
      },
      { most: 9, events: EVENTS },
    ],
  },
  removeNotificationSetting: { given: ['channel', 'n_1', { events: EVENTS }] },
  attendNotifications: { given: [{ home: 'there', claims: true, targets: ['t1', 't2'] }] },
  fanOut: {
    given: [
      {
        ...{ from: DEALT, to: DEALT + 1, now: NOW },
        deliveries: [deliveryTo('n_1', 4), deliveryTo('n_3', 4)],
        inbox: [inboxItemFor('ada', 4), inboxItemFor('bob', 4)],
      },
    ],
  },
  claimDeliveries: { given: [{ token: 2, now: NOW, subscribers: 9, each: 9 }] },
  settleDeliveries: {
    given: [
      [{ id: deliveryTo('n_1', 2).id, status: 'delivered', attempt: { at: NOW, outcome: 'delivered' } }],
      { now: NOW, released: { subscriber: 'channel:n_1', token: 1 } },
    ],
  },
  reviveDeliveries: { given: [{ ids: [deliveryTo('n_1', 1).id], statuses: ['dead'], now: NOW }] },
  markInboxRead: { given: [{ principalId: 'u_ada', at: NOW }] },
  createPerspective: { given: [perspectiveOf(2), EVENTS] },
  changePerspective: { given: [perspectiveOf(1, { name: 'Other', version: 2 }), EVENTS] },
  removePerspective: { given: [perspectiveOf(1), EVENTS] },
};
