import { expect, test } from 'vitest';
import { type AccessDecision, decidedRequest, isSameDecision } from './access-decision.ts';
import type { AccessRequest } from './principal.ts';

const asked: AccessRequest = {
  id: 'a1',
  tenant: 'acme',
  product: 'acme-shop',
  principalId: 'u1',
  principal: 'ada',
  role: 'editor',
  durationMs: 1000,
  createdAt: 1,
  status: 'pending',
};
const decide = (decision: AccessDecision) => decidedRequest(asked, decision, { now: 50, actor: 'u9' });

test('an approval gives what was asked for, from the decision on', () => {
  const { decided, grant } = decide({ kind: 'approve' });
  expect(decided).toMatchObject({
    status: 'approved',
    grantedRole: 'editor',
    decidedAt: 50,
    decidedBy: 'u9',
  });
  expect(grant).toMatchObject({ principal: 'ada', role: 'editor', requestId: 'a1', expiresAt: 1050 });
});

test('an approval may give another role and another time', () => {
  const { decided, grant } = decide({ kind: 'approve', role: 'consumer', durationMs: 10, note: 'for now' });
  expect(decided).toMatchObject({ role: 'editor', grantedRole: 'consumer', durationMs: 10, note: 'for now' });
  expect(grant).toMatchObject({ role: 'consumer', expiresAt: 60 });
});

test('a denial grants nothing', () => {
  const { decided, grant } = decide({ kind: 'deny' });
  expect(decided).toMatchObject({ status: 'denied', decidedAt: 50 });
  expect(decided.grantedRole).toBeUndefined();
  expect(grant).toBeUndefined();
});

test('a decision is repeated when what it says is what was decided', () => {
  const { decided } = decide({ kind: 'approve', role: 'consumer' });
  expect(isSameDecision(decided, { kind: 'approve' })).toBe(true);
  expect(isSameDecision(decided, { kind: 'approve', role: 'consumer', durationMs: 1000 })).toBe(true);
  expect(isSameDecision(decided, { kind: 'approve', role: 'editor' })).toBe(false);
  expect(isSameDecision(decided, { kind: 'approve', durationMs: 1 })).toBe(false);
  expect(isSameDecision(decided, { kind: 'deny' })).toBe(false);
});
