import { beforeAll, describe, expect, test } from 'vitest';
import { semanticProject, type World } from '../../../tests/support/semantic-project.ts';
import type { Caller } from '../../domain/semantic-query.ts';

const TABLES = {
  'm.orders': `SELECT * FROM (VALUES (1, 10, 'a@x', 5), (2, 10, 'b@x', 7), (3, 11, 'a@x', 11)) AS t(id, customer_id, email, amount)`,
  'm.customers': `SELECT * FROM (VALUES (10, 'EU'), (11, 'US')) AS t(id, region)`,
  'm.items': `SELECT * FROM (VALUES (1, 'x'), (1, 'x'), (3, 'y')) AS t(order_id, sku)`,
};
const YAML = [
  `kind: semantic
name: orders
depends_on: m.orders
dimensions:
  - id
  - {name: email, mask_expression: "left({email}, 1) || '***'"}
  - {name: host, expression: "split_part({email}, '@', 2)"}
  - {name: secret, expression: "{amount} * 2", type: number}
measures:
  - {name: total, type: sum, expression: "{amount}"}
  - {name: senders, type: count_distinct, expression: "{email}"}
joins: [{name: customers, type: many_to_one, on: "{customer_id} = {customers.id}"}]
policies:
  - {group: europe, filter: [{member: customers.region, operator: equals, values: [EU]}], mask: [email, secret]}
  - {group: buyers, filter: [{member: items.sku, operator: equals, values: [x]}], mask: [email]}
  - {group: odd, filter: [{member: id, operator: equals, values: [a_word]}]}
  - {group: admin}
`,
  'kind: semantic\nname: customers\ndepends_on: m.customers\n',
  'kind: semantic\nname: items\ndepends_on: m.items\njoins: [{name: orders, type: many_to_one, on: "{order_id} = {orders.id}"}]\n',
];
const member = (...groups: readonly string[]): { readonly caller: Caller } => ({
  caller: { groups, isUnrestricted: false },
});

let world: World;
beforeAll(async () => {
  world = await semanticProject(TABLES, YAML);
});

describe('policies', () => {
  test('a caller without a policy has no access, not even on the way to another model', () => {
    expect(world.codes({ measures: ['orders.count'] }, member('guests'))).toEqual(['policy.no-access']);
    expect(world.codes({ measures: ['items.count'], dimensions: ['customers.region'] }, member())).toEqual([
      'policy.no-access',
    ]);
  });
  test('a policy whose condition cannot be understood denies, and is not quoted', () => {
    expect(world.codes({ measures: ['orders.count'] }, member('odd'))).toEqual(['policy.no-access']);
    expect(world.codes({ dimensions: ['customers.region', 'orders.id'] }, member('odd'))).toEqual([
      'policy.no-access',
    ]);
  });
  test('rows that are filtered out are no facts', async () => {
    const total = { measures: ['orders.total'] };
    expect(await world.rows(total, member('europe'))).toEqual([['12']]);
    expect(await world.rows(total, member('admin', 'europe'))).toEqual([['23']]);
    expect(await world.rows(total)).toEqual([['23']]);
  });
  test('a filter over several rows lets a row pass once', async () => {
    expect(await world.rows({ measures: ['orders.total', 'orders.count'] }, member('buyers'))).toEqual([
      ['5', '1'],
    ]);
  });
  test('one of several policies is enough', async () => {
    expect(await world.rows({ measures: ['orders.count'] }, member('buyers', 'europe'))).toEqual([['2']]);
  });
  test('rows that are filtered out are no matches of joins', async () => {
    expect(
      await world.rows({ measures: ['items.count'], dimensions: ['orders.id'] }, member('europe')),
    ).toEqual([
      [1, '2'],
      [null, '1'],
    ]);
  });
});

describe('masks', () => {
  test('stand in place of the member in answers, filters, other members and measures', async () => {
    const asked = {
      measures: ['orders.senders'],
      dimensions: ['orders.email', 'orders.host', 'orders.secret'],
    };
    expect(await world.rows(asked, member('europe'))).toEqual([
      ['a***', '', null, '1'],
      ['b***', '', null, '1'],
    ]);
    const filters = [
      { kind: 'member', member: 'orders.email', operator: 'equals', values: ['a@x'] },
    ] as const;
    expect(await world.rows({ measures: ['orders.count'], filters }, member('europe'))).toEqual([['0']]);
  });
  test('are lifted in rows that a policy without the mask lets pass, and in no others', async () => {
    const asked = { dimensions: ['orders.secret'], measures: ['orders.count'] };
    expect(await world.rows(asked, member('europe', 'buyers'))).toEqual([
      [10, '1'],
      [null, '1'],
    ]);
    expect(await world.rows(asked, member('admin'))).toHaveLength(3);
  });
});
