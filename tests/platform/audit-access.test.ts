/** Files say who may see what, and change without anybody telling the server: the audit log has it all the same. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  auditConfiguredAccess,
  unplannedAccess,
} from '../../src/operations/access/audit-configured-access.ts';
import { apply } from '../../src/operations/change/apply.ts';
import { planRollback } from '../../src/operations/change/plan-rollback.ts';
import { type ServedProduct, servedProduct } from '../support/served-product.ts';

const policies = (list: string): string => `kind: semantic
name: sold
depends_on: s.sold
dimensions: [status]
measures: [{name: total, type: sum, expression: "{amount}"}]
policies: ${list}
`;
const config = (access: string): string =>
  `name: audited\ntenant: acme\n${access}gateways: {local: {connection: {type: duckdb, database: audited.duckdb}}}\n`;

let served: ServedProduct;

beforeAll(async () => {
  served = await servedProduct({
    'config.yaml': config('access: [{principal: ada, role: owner}]\n'),
    'models/sold.sql': "MODEL (name s.sold, kind FULL);\nSELECT 'new'::TEXT AS status, 1::INTEGER AS amount",
    'models/semantics/sold.yml': policies('[{group: all}]'),
  });
});
afterAll(() => served?.close());

/** Oldest first, without the ids of plans. */
async function noted(action: string): Promise<readonly string[]> {
  const { principals } = served.product.world.state;
  const entries = await principals.auditLog({ tenant: 'acme', action, limit: 100 });
  return entries
    .map((entry) => `${entry.actor}: ${entry.action} ${entry.target.replace(/p_\w+/, 'PLAN')}`)
    .reverse();
}

test('each policy that a plan adds, changes or removes is noted, and nothing when none does', async () => {
  const first = ['a test: policy.add sold for all in prod, by plan PLAN'];
  expect(await noted('policy')).toEqual(first);
  served.project.write({
    'models/semantics/sold.yml': `# moved\n${policies('[{group: all}]')}description: New.\n`,
  });
  await served.plan();
  expect(await noted('policy')).toEqual(first);
  served.project.write({
    'models/semantics/sold.yml': policies(
      '[{group: all, filter: [{member: status, operator: equals, values: [new]}]}, {group: some, mask: [status]}]',
    ),
  });
  await served.plan();
  const second = [
    ...first,
    'a test: policy.change sold for all in prod, by plan PLAN',
    'a test: policy.add sold for some in prod, by plan PLAN',
  ];
  expect((await noted('policy')).toSorted()).toEqual(second.toSorted());
  const { world } = served.product;
  const { plan } = await planRollback(world, {
    environment: 'prod',
    executionTime: world.clock.now(),
    who: 'the one who goes back',
  });
  if (plan === undefined) throw new Error('there is no way back');
  const events = apply(world, plan, { who: 'the one who goes back', allowsWiderAccess: true });
  while ((await events.next()).done !== true);
  expect((await noted('policy')).toSorted()).toEqual(
    [
      ...second,
      'the one who goes back: policy.change sold for all in prod, by plan PLAN',
      'the one who goes back: policy.remove sold for some in prod, by plan PLAN',
    ].toSorted(),
  );
});

test('access of config.yaml is noted when a server begins to count by it, once', async () => {
  await auditConfiguredAccess(served.product);
  await auditConfiguredAccess(served.product);
  expect(await noted('access')).toEqual([
    expect.stringMatching(/access\.configured acme-audited \w+: ada is owner$/),
  ]);
  served.project.write({
    'config.yaml': config(
      'access: [{principal: eva, role: consumer}]\nusers: [{username: eva, groups: [b, a]}]\n',
    ),
  });
  await auditConfiguredAccess(await served.again());
  await auditConfiguredAccess(await served.again());
  expect((await noted('access')).slice(1)).toEqual([
    expect.stringMatching(/acme-audited \w+: eva belongs to a, b; eva is consumer$/),
  ]);
  served.project.write({ 'config.yaml': config('') });
  await auditConfiguredAccess(await served.again());
  expect((await noted('access')).slice(2)).toEqual([expect.stringMatching(/acme-audited \w+: nothing$/)]);
});

test('what config.yaml gives beyond the last plan is known when a server begins to count by it', async () => {
  served.project.write({ 'config.yaml': config('access: [{principal: ada, role: owner}]\n') });
  await served.plan();
  expect(await unplannedAccess(await served.again())).toEqual([]);
  served.project.write({
    'config.yaml': config('access: [{principal: ada, role: owner}, {principal: eve, role: owner}]\n'),
  });
  const [found, ...others] = await unplannedAccess(await served.again());
  expect([found?.who, found?.name, others]).toEqual(['eve', 'role', []]);
});
