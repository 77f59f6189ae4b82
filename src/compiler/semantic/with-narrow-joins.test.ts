import { beforeAll, describe, expect, test } from 'vitest';
import { semanticProject, type World } from '../../../tests/support/semantic-project.ts';

// Of five sales one has no product, one an unknown product; one product has no group, one an unknown group.
const TABLES = {
  'm.sales': `SELECT * FROM (VALUES (1, 10, 5), (2, 11, 7), (3, 12, 11), (4, NULL, 13), (5, 99, 17)) AS t(id, product_id, amount)`,
  'm.products': `SELECT * FROM (VALUES (10, 'tea', 1), (11, 'cup', NULL), (12, NULL, 77)) AS t(id, kind, group_id)`,
  'm.groups': `SELECT * FROM (VALUES (1, 'food'), (2, 'other')) AS t(id, label)`,
};
const YAML = [
  `kind: semantic
name: sales
depends_on: m.sales
measures:
  - {name: total, type: sum, expression: "{amount}"}
  - {name: tea, type: sum, expression: "{amount}", filters: ["{products.kind} = 'tea'"]}
  - {name: large_teas, type: count, filters: ["{products.kind} = 'tea'", "{amount} > 5"]}
  - {name: cups, type: count, filters: ["{products.kind} = 'cup'"]}
  - {name: unknown, type: count, filters: ["{products.kind} IS NULL"]}
  - {name: dear, type: count, filters: ["{products.kind} = 'tea' OR {amount} > 12"]}
  - {name: kinds, type: count_distinct, expression: "{products.kind}"}
  - {name: food, type: sum, expression: "{amount}", filters: ["{groups.label} = 'food'"]}
joins: [{name: products, type: many_to_one, on: "{product_id} = {products.id}"}]
`,
  `kind: semantic
name: products
depends_on: m.products
joins: [{name: groups, type: many_to_one, on: "{group_id} = {groups.id}"}]
`,
  'kind: semantic\nname: groups\ndepends_on: m.groups\n',
];

let world: World;
beforeAll(async () => {
  world = await semanticProject(TABLES, YAML);
});
const ask = (...measures: readonly string[]) => ({ measures: measures.map((name) => `sales.${name}`) });

describe('the condition of filtered measures on one model', () => {
  test('is part of the join, and rows without a match still count elsewhere', async () => {
    const asked = ask('tea', 'large_teas', 'total', 'count');
    expect(world.sql(asked).sql).toContain("sales.product_id = products.id\n  AND products.kind = 'tea'");
    expect(await world.rows(asked)).toEqual([['5', '0', '53', '5']]);
  });
  test.each([
    ['measures have different ones', ask('tea', 'cups'), ['5', '1']],
    ['rows without a match pass it', ask('unknown'), ['3']],
    ['it is about the fact as well', ask('dear'), ['3']],
    ['another measure looks at the model', ask('tea', 'kinds'), ['5', '2']],
    [
      'a filter of the query looks at the model',
      {
        ...ask('tea', 'total'),
        filters: [
          { kind: 'member', member: 'products.kind', operator: 'notEquals', values: ['cup'] } as const,
        ],
      },
      ['5', '46'],
    ],
  ])('stays with the measure when %s', async (_, asked, row) => {
    expect(world.sql(asked).sql).not.toContain('products.id\n  AND');
    expect(await world.rows(asked)).toEqual([row]);
  });
  test('stays with the measure when the model is grouped by', async () => {
    const asked = { ...ask('tea', 'total'), dimensions: ['products.kind'] };
    expect(world.sql(asked).sql).not.toContain('products.id\n  AND');
    expect(await world.rows(asked)).toEqual([
      ['tea', '5', '5'],
      ['cup', null, '7'],
      [null, null, '41'],
    ]);
  });
});

describe('a model behind one that rows may lack', () => {
  test('is joined with it first, and all rows keep their place', async () => {
    const asked = { ...ask('total', 'count'), dimensions: ['groups.label'] };
    expect(world.sql(asked).sql).toMatch(/LEFT JOIN \(m\.products AS products\s+LEFT JOIN m\.groups/);
    expect(await world.rows(asked)).toEqual([
      [null, '48', '4'],
      ['food', '5', '1'],
    ]);
  });
  test('may have the condition of a measure', async () => {
    const asked = ask('food', 'total');
    expect(world.sql(asked).sql).toContain("products.group_id = groups.id\n  AND groups.label = 'food')");
    expect(await world.rows(asked)).toEqual([['5', '53']]);
  });
  test('is joined after it when a condition demands the first', async () => {
    const asked = {
      ...ask('total'),
      dimensions: ['groups.label'],
      filters: [{ kind: 'member', member: 'products.kind', operator: 'set', values: [] } as const],
    };
    expect(world.sql(asked).sql).not.toContain('(m.products');
    expect(await world.rows(asked)).toEqual([
      [null, '7'],
      ['food', '5'],
    ]);
  });
});
