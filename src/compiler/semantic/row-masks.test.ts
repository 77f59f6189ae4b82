/** Two policies never give more than either: a member is clear in a row only if one single policy gives both. */
import { beforeAll, describe, expect, test } from 'vitest';
import { semanticProject, type World } from '../../../tests/support/semantic-project.ts';
import type { Caller } from '../../domain/semantic-query.ts';

const ORDERS = `SELECT * FROM (VALUES
  (1, 'US', 'open', 10, 1), (2, 'EU', 'done', 20, 2), (3, 'EU', 'open', 40, 1), (4, 'AP', 'done', 80, NULL)
) AS t(id, region, status, amount, buyer_id)`;
const BUYERS = `SELECT * FROM (VALUES (1, 'gold', 'a@x'), (2, 'tin', 'b@x'), (3, 'gold', 'c@x')) AS t(id, level, email)`;

let world: World;
beforeAll(async () => {
  world = await semanticProject({ 'm.orders': ORDERS, 'm.buyers': BUYERS }, [
    `kind: semantic
name: orders
depends_on: m.orders
primary_key: [id]
dimensions: [id, region, status, {name: amount, mask_expression: "-1"}, {name: text, expression: "{amount}", type: number, mask_expression: "'***'"}, {name: doubled, expression: "{amount} * 2"}]
measures:
  - {name: total, type: sum, expression: "{amount}"}
  - {name: open_total, type: sum, expression: "{amount}", filters: ["{status} = 'open'"]}
segments: [{name: large, expression: "{amount} > 15"}]
joins: [{name: buyers, type: many_to_one, on: "{orders.buyer_id} = {buyers.id}"}]
policies:
  - {group: support, filter: [{member: region, operator: equals, values: [US]}], mask: [amount, text]}
  - {group: finance, filter: [{member: region, operator: equals, values: [EU]}], mask: [status]}
  - {group: anyone, mask: [amount]}
  - {group: gold, filter: [{member: buyers.level, operator: equals, values: [gold]}]}
  - {group: all}
`,
    `kind: semantic
name: buyers
depends_on: m.buyers
primary_key: [id]
dimensions: [id, level, {name: email, mask_expression: "'***'"}]
policies:
  - {group: support, mask: [email]}
  - {group: big, filter: [{member: orders.amount, operator: gte, values: [40]}]}
  - {group: all}
  - {group: finance}
  - {group: anyone}
  - {group: gold, mask: [email]}
`,
  ]);
});

const member = (...groups: readonly string[]): { readonly caller: Caller } => ({
  caller: { groups, isUnrestricted: false },
});
const BY_ID = { order: [{ member: 'orders.id', direction: 'asc' }] } as const;
const filter = (member: string, operator: 'equals' | 'gt', value: unknown) =>
  [{ kind: 'member', member, operator, values: [value] }] as never;

describe('a caller with two policies', () => {
  const both = member('support', 'finance');
  test('sees the rows of both, and of each what its own policy leaves clear', async () => {
    const asked = { dimensions: ['orders.id', 'orders.status', 'orders.amount'], ...BY_ID };
    expect(await world.rows(asked, both)).toEqual([
      [1, 'open', -1],
      [2, null, 20],
      [3, null, 40],
    ]);
    expect(await world.rows(asked, member('support'))).toEqual([[1, 'open', -1]]);
    expect(await world.rows(asked, member('finance'))).toEqual([
      [2, null, 20],
      [3, null, 40],
    ]);
  });
  test.each([
    ['measures', { measures: ['orders.total'] }, [['59']]],
    ['filters of measures', { measures: ['orders.open_total'] }, [['-1']]],
    [
      'computed members',
      { dimensions: ['orders.doubled'], order: [{ member: 'orders.doubled', direction: 'asc' }] },
      [[-2], [40], [80]],
    ],
    ['filters', { dimensions: ['orders.id'], filters: filter('orders.amount', 'equals', 10) }, []],
    [
      'filters on masks',
      { dimensions: ['orders.id'], filters: filter('orders.amount', 'equals', -1) },
      [[1]],
    ],
    ['segments', { dimensions: ['orders.id'], segments: ['orders.large'], ...BY_ID }, [[2], [3]]],
    [
      'groups',
      {
        dimensions: ['orders.status'],
        measures: ['orders.count'],
        order: [{ member: 'orders.status', direction: 'asc' }],
      },
      [
        ['open', '1'],
        [null, '2'],
      ],
    ],
    [
      'masks of another type',
      { dimensions: ['orders.id', 'orders.text'], ...BY_ID },
      [
        [1, '***'],
        [2, '20'],
        [3, '40'],
      ],
    ],
    [
      'rows as they are',
      { dimensions: ['orders.id', 'orders.amount'], ungrouped: true, ...BY_ID },
      [
        [1, -1],
        [2, 20],
        [3, 40],
      ],
    ],
  ] as const)('so inside %s', async (_, asked, rows) => {
    // biome-ignore format: a table
    expect((await world.rows(asked as never, both)).map((row) => row.map((cell) => (typeof cell === 'bigint' ? Number(cell) : cell)))).toEqual(rows);
  });
});

test('a policy without a filter shows every row, and its mask holds where no other lifts it', async () => {
  const asked = { dimensions: ['orders.id', 'orders.amount'], ...BY_ID };
  expect(await world.rows(asked, member('anyone', 'finance'))).toEqual([
    [1, -1],
    [2, 20],
    [3, 40],
    [4, -1],
  ]);
  expect(await world.rows(asked, member('anyone', 'all'))).toEqual([
    [1, 10],
    [2, 20],
    [3, 40],
    [4, 80],
  ]);
});

test('a policy that looks at another model lifts masks in its own rows, whatever the caller sees of that model', async () => {
  const asked = { dimensions: ['orders.id', 'orders.amount'], ...BY_ID };
  expect(await world.rows(asked, member('anyone', 'gold'))).toEqual([
    [1, 10],
    [2, -1],
    [3, 40],
    [4, -1],
  ]);
});

test('so does one that looks at many rows: one of them is enough, and no row is there twice', async () => {
  const asked = {
    dimensions: ['buyers.id', 'buyers.email'],
    order: [{ member: 'buyers.id', direction: 'asc' }],
  } as const;
  expect(await world.rows(asked, member('support', 'big'))).toEqual([
    [1, 'a@x'],
    [2, '***'],
    [3, '***'],
  ]);
  expect(await world.rows({ measures: ['buyers.count'] }, member('support', 'big'))).toEqual([['3']]);
});

test('members of a joined model are clear by the row that is met', async () => {
  const asked = { dimensions: ['orders.id', 'buyers.email'], ...BY_ID };
  expect(await world.rows(asked, member('all', 'gold'))).toEqual([
    [1, 'a@x'],
    [2, 'b@x'],
    [3, 'a@x'],
    [4, null],
  ]);
  expect(await world.rows(asked, member('gold', 'big'))).toEqual([
    [1, 'a@x'],
    [3, 'a@x'],
  ]);
});
