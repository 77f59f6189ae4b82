import { beforeAll, describe, expect, it } from 'vitest';
import { semanticProject, type World } from '../../../../tests/support/semantic-project.ts';

const stock = (treatment: string, per = '[account]') =>
  `behavior: {type: stock, time_dimension: day, period_treatment: ${treatment}, per: ${per}}`;

const BALANCES = `
kind: semantic
name: balances
model: m.balances
dimensions: [day, account, bank]
measures:
  - {name: total, type: sum, expression: "{amount}"}
  - {name: last, type: sum, expression: "{amount}", ${stock('last')}}
  - {name: first, type: sum, expression: "{amount}", ${stock('first')}}
  - {name: last_day, type: sum, expression: "{amount}", ${stock('last', '[]')}}
  - {name: mean, type: sum, expression: "{amount}", ${stock('avg')}}
  - {name: least, type: sum, expression: "{amount}", ${stock('min')}}
  - {name: most, type: count, ${stock('max')}}
  - {name: rich, type: count, filters: ["{amount} > 50"], ${stock('last')}}
  - {name: named, type: sum, expression: "{amount}", behavior: {type: stock, time_dimension: balances.day, per: [account]}}
  - {name: mean_count, type: count, ${stock('avg')}}
  - {name: mean_before, type: number, expression: "{mean}", time_shift: {by: 1 month}}
  - {name: last_before, type: number, expression: "{last}", time_shift: {by: 1 month}}
joins:
  - {name: tags, type: one_to_many, on: "{account} = {tags.account}"}
`;
const TAGS = `
kind: semantic
name: tags
model: m.tags
dimensions: [account, tag]
`;

let world: World;
beforeAll(async () => {
  world = await semanticProject(
    {
      'm.balances': `SELECT * FROM (VALUES
        (DATE '2024-01-10', 'a', 'x', 10), (DATE '2024-01-31', 'a', 'x', 30), (DATE '2024-01-31', 'a', 'x', 5),
        (DATE '2024-01-15', 'b', 'y', 100), (DATE '2024-02-03', 'a', 'x', 40), (DATE '2024-02-20', 'b', 'y', 60),
        (DATE '2024-02-21', 'b', 'y', NULL), (NULL, 'c', 'z', 7)) AS v(day, account, bank, amount)`,
      'm.tags':
        "SELECT * FROM (VALUES ('a', 'red'), ('a', 'blue'), ('b', 'red'), ('b', 'red')) AS v(account, tag)",
    },
    [BALANCES, TAGS],
  );
});

async function table(query: Parameters<World['rows']>[0]): Promise<readonly string[]> {
  return (await world.rows(query)).map((row) =>
    row.map((cell) => String(cell).replace(/[T ]00:00:00(\.000)?Z?$/, '')).join(' '),
  );
}
const month = [{ dimension: 'balances.day', granularity: 'month' }];

describe('a stock', () => {
  it('takes the latest or earliest rows of each account in each group', async () => {
    expect(
      await table({
        measures: ['balances.last', 'balances.first', 'balances.last_day'],
        timeDimensions: month,
      }),
    ).toEqual([
      // a has two rows on 31 January; without `per` only the rows of the last day count.
      '2024-01-01 135 110 35',
      '2024-02-01 40 100 null',
      'null null null null',
    ]);
    expect(await table({ measures: ['balances.last', 'balances.total', 'balances.named'] })).toEqual([
      '40 252 40',
    ]);
  });

  it('of a count is 0 where there are no rows', async () => {
    const filters = [
      { kind: 'member', member: 'balances.account', operator: 'equals', values: ['nobody'] },
    ] as const;
    expect(await table({ measures: ['balances.most', 'balances.last'], filters })).toEqual(['0 null']);
  });

  it('looks at all rows of the group before the filters of the measure choose', async () => {
    expect(await table({ measures: ['balances.rich'], timeDimensions: month })).toEqual([
      '2024-01-01 1',
      '2024-02-01 0',
      'null 0',
    ]);
  });

  it('averages, or takes the least or most, over time and sums over accounts', async () => {
    // January: a has 10 and 35, b has 100. February: a has 40, b has 60 and NULL.
    expect(
      await table({ measures: ['balances.mean', 'balances.least', 'balances.most'], timeDimensions: month }),
    ).toEqual(['2024-01-01 122.5 110 3', '2024-02-01 100 100 2', 'null null null 0']);
  });

  it('counts each row once per group when a dimension fans out', async () => {
    expect(await table({ measures: ['balances.last', 'balances.mean'], dimensions: ['tags.tag'] })).toEqual([
      'blue 40 28.333333333333332',
      // a: 40, b: nothing; and b on average 80.
      'red 40 108.33333333333333',
      'null null null',
    ]);
  });

  it('says the types that the engine answers with', async () => {
    const names = ['last', 'first', 'last_day', 'mean', 'least', 'most', 'rich', 'mean_count', 'mean_before'];
    const query = { measures: names.map((name) => `balances.${name}`), timeDimensions: month };
    const said = world.sql(query).columns.map(({ type }) => type);
    expect(said).toEqual(await world.types(query));
    expect(said.slice(4)).toEqual(['DOUBLE', 'HUGEINT', 'BIGINT', 'BIGINT', 'DOUBLE', 'DOUBLE']);
  });

  it('can be shifted in time', async () => {
    expect(await table({ measures: ['balances.last_before'], timeDimensions: month })).toEqual([
      '2024-02-01 135',
    ]);
  });
});
