import { expect, test } from 'vitest';
import { apply, days, planFor, projectOf, testPlace } from '../../../tests/support/execution-support.ts';
import { duckdbEngine } from '../../adapters/engines/duckdb/duckdb-connection.ts';

test('a plan makes schemas in two catalogs', async () => {
  const place = testPlace();
  const catalogs = { first: 'first.duckdb', second: 'second.duckdb' };
  const engine = await duckdbEngine({
    database: '',
    folder: place.folder,
    connection: { catalogs },
    idleMs: 1,
  });
  try {
    const world = await place.open({ engine });
    const project = await projectOf({
      's.near': ['FULL', 'SELECT 1 AS n'],
      'second.s.far': ['FULL', 'SELECT n + 1 AS n FROM s.near'],
    });
    const fill = { 's.near': days(0, 1), 'second.s.far': days(0, 1) };
    expect((await apply(world, await planFor(world, project, { fill }))).run.error).toBeUndefined();
    expect((await engine.query('SELECT n FROM second.s.far')).rows).toEqual([[2]]);
  } finally {
    await engine.close();
    await place.remove();
  }
});
