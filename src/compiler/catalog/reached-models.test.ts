import { expect, test } from 'vitest';
import { projectOf } from '../../../tests/support/plan/compile-text.ts';
import { reachedModels } from './reached-models.ts';

test('a column reaches others by its values, through filters and joins, and by being gone', async () => {
  const { models } = await projectOf({
    's.a': ['FULL', 'SELECT 1 AS id, 2 AS amount, 3 AS other'],
    's.made': ['FULL', 'SELECT id, amount * 2 AS doubled FROM s.a'],
    's.filtered': ['FULL', 'SELECT id FROM s.a WHERE amount > 1'],
    's.both': ['FULL', 'SELECT amount, id FROM s.a WHERE amount > 1'],
    's.joined': ['FULL', 'SELECT a.id FROM s.a AS a JOIN s.made AS m ON m.doubled = a.id'],
    's.counted': ['FULL', 'SELECT COUNT(*) AS n FROM s.filtered'],
    's.apart': ['FULL', 'SELECT id, other FROM s.a'],
  });
  const reach = (kind: 'value' | 'removed') =>
    Object.fromEntries(
      [
        ...reachedModels(
          models,
          new Map([['s.a', { columns: new Map([['amount', kind]]), isProven: false }]]),
        ),
      ].map(([name, { rows, columns }]) => [
        name,
        [
          ...(rows === undefined ? [] : [`rows: ${rows.how.join()} ${rows.through.join()}`]),
          ...(rows === undefined ? [...columns].map(([column, { how }]) => `${column}: ${how.join()}`) : []),
        ],
      ]),
    );
  expect(reach('value')).toEqual({
    's.a': ['amount: value'],
    's.made': ['doubled: value'],
    's.filtered': ['rows: rows s.a.amount'],
    's.both': ['rows: rows s.a.amount'],
    's.joined': ['rows: key s.made.doubled'],
    's.counted': ['rows: rows s.filtered'],
  });
  expect(reach('removed')).toMatchObject({
    's.made': ['rows: removed s.a.amount'],
    's.joined': ['rows: removed s.made,s.made.doubled'],
  });
  expect(reach('removed')).not.toHaveProperty('s.apart');
});
