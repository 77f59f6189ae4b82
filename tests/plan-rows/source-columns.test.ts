/** What happens to rows when an external table or a seed gets other columns. */
import { afterEach, expect, test } from 'vitest';
import { changes, model, PlannedRows } from './planned-rows.ts';

let project: PlannedRows;
afterEach(() => project.close());

test('those who read a retyped column of an external table have its new type and values', async () => {
  const external = (type: string): Record<string, string> => ({
    'external_models.yaml': `- {name: raw.t, columns: {a: INT, b: ${type}}}\n`,
  });
  project = new PlannedRows({
    ...external('INT'),
    ...model('s.a', 'FULL', 'SELECT a FROM raw.t'),
    ...model('s.b', 'FULL', 'SELECT b FROM raw.t'),
  });
  await project.warehouse('CREATE SCHEMA raw', 'CREATE TABLE raw.t AS SELECT 1 AS a, 10 AS b');
  await project.done();
  expect(await project.rows('SELECT b, typeof(b) FROM s.b')).toEqual(['10,INTEGER']);
  await project.warehouse("CREATE OR REPLACE TABLE raw.t AS SELECT 1 AS a, '10x' AS b");
  project.write(external('VARCHAR'));
  expect(changes(await project.done())).toEqual(['raw.t direct/breaking', 's.b indirect/indirect-breaking']);
  expect(await project.rows('SELECT b, typeof(b) FROM s.b')).toEqual(['10x,VARCHAR']);
});

test('a seed that gains a column has it, and its other readers keep their tables', async () => {
  project = new PlannedRows({
    'seeds/t.csv': 'a,b\n1,10\n2,20\n',
    ...model('raw.t', "SEED (path '../seeds/t.csv')", ''),
    ...model('s.sum', 'FULL', 'SELECT sum(b)::INT AS b FROM raw.t'),
  });
  await project.done();
  project.write({ 'seeds/t.csv': 'a,b,c\n1,10,x\n2,20,y\n' });
  const { plan } = await project.done();
  expect(plan.missing.map(({ model: name }) => name)).toEqual(['raw.t']);
  expect(await project.rows('SELECT a, b, c FROM raw.t ORDER BY a')).toEqual(['1,10,x', '2,20,y']);
  expect(await project.rows('SELECT b FROM s.sum')).toEqual(['30']);
  project.write({ 'seeds/t.csv': 'a,b,c\n1,10,x\n2,25,y\n' });
  await project.done();
  expect(await project.rows('SELECT b FROM s.sum')).toEqual(['35']);
});
