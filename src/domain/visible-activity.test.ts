import { expect, test } from 'vitest';
import type { StoredEvent } from './event.ts';
import { type ActivityAccess, visibleEvent } from './visible-activity.ts';

const nothing: ActivityAccess = {
  principalId: 'u1',
  isAdmin: false,
  shareKeys: ['user:u1', 'group:sales'],
  readsAll: false,
  isUnrestricted: false,
  isWhole: false,
  mayRead: () => true,
  maySeeMetric: () => false,
  isNamed: () => true,
  mayQuote: () => false,
  mayQuoteAll: () => false,
};
const event = (name: string, more: Partial<StoredEvent> = {}): StoredEvent =>
  ({ sequence: 1, at: 0, event: name, data: {}, ...more }) as StoredEvent;
const seen = (name: string, access: Partial<ActivityAccess>, more: Partial<StoredEvent> = {}) =>
  visibleEvent(event(name, more), { ...nothing, ...access });

test('changes of access are for those who administer the product', () => {
  expect(seen('grant.given', {})).toBeUndefined();
  expect(seen('grant.given', { isAdmin: true })).toBeDefined();
});

test('failed statements of others are for those who may read all, and have their words only without policies', () => {
  const failed = { data: { principalId: 'u2', message: 'row 7' } };
  expect(seen('statement.failed', {}, failed)).toBeUndefined();
  expect(seen('statement.failed', { readsAll: true }, failed)?.data).not.toMatchObject({ message: 'row 7' });
  expect(seen('statement.failed', { principalId: 'u2' }, failed)).toBeDefined();
  expect(seen('statement.failed', { readsAll: true, isUnrestricted: true }, failed)?.data).toMatchObject({
    message: 'row 7',
  });
});

test('a metric is known to those who see it, one that is gone to those who see everything', () => {
  const changed = { data: { metric: 'income' } };
  expect(seen('metric.changed', {}, changed)).toBeUndefined();
  expect(seen('metric.changed', { maySeeMetric: (name) => name === 'income' }, changed)).toBeDefined();
  expect(seen('metric.changed', { isWhole: true }, changed)).toBeDefined();
});

test('an error quotes rows only where those may be read', () => {
  const failed = {
    model: 's.orders',
    environment: 'prod',
    data: { error: { code: 'run.x', severity: 'error', message: 'row 7' } },
  } as unknown as Partial<StoredEvent>;
  const words = (access: Partial<ActivityAccess>): string =>
    JSON.stringify(seen('model.failed', access, failed)?.data);
  expect(words({})).not.toMatch('row 7');
  expect(words({ mayQuote: (model) => model === 's.orders' })).toMatch('row 7');
  expect(words({ mayQuote: () => true, mayRead: () => false })).not.toMatch('row 7');
  expect(seen('model.failed', { isNamed: () => false }, failed)).toBeUndefined();
});

test('why held rows were released is for those who may read them', () => {
  const released = { model: 's.orders', environment: 'prod', data: { rows: 1, reason: 'Ada is right' } };
  expect(seen('quarantine.released', {}, released)?.data).toEqual({ rows: 1 });
  expect(seen('quarantine.released', { mayQuote: () => true }, released)?.data).toEqual(released.data);
});

test('what happens to a perspective is for those who may see it, and says nothing of whom it is shared with', () => {
  const of = (visibility: unknown, more = {}) => ({
    data: { id: 'x_1', name: 'N', owner: { id: 'u2', name: 'bo' }, visibility, ...more },
  });
  const shared = { kind: 'shared', principals: [{ kind: 'group', name: 'sales' }] };
  const secret = of({ kind: 'private' });
  expect(
    seen('perspective.changed', { isAdmin: true, isUnrestricted: true, isWhole: true }, secret),
  ).toBeUndefined();
  expect(seen('perspective.changed', { principalId: 'u2' }, secret)).toBeDefined();
  expect(seen('perspective.changed', {}, of(shared))?.data).toEqual({
    id: 'x_1',
    name: 'N',
    owner: 'bo',
    visibility: 'shared',
  });
  expect(seen('perspective.changed', { shareKeys: [] }, of(shared))).toBeUndefined();
  expect(seen('perspective.changed', { shareKeys: [], isAdmin: true }, of(shared))).toBeDefined();
  const given = of({ kind: 'private' }, { from: { id: 'u1', name: 'me' } });
  expect(seen('perspective.transferred', {}, given)?.data).toMatchObject({ from: 'me', owner: 'bo' });
});
