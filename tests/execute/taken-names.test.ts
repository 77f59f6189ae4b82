/** Names under which the warehouse already has something of somebody else's: found before anything is built. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Failure } from '../../src/domain/failure.ts';
import { physicalRelation, relationText } from '../../src/domain/relation.ts';
import { apply } from '../../src/operations/change/apply.ts';
import {
  draftProduct,
  ended,
  planProduct,
  type ServedProduct,
  servedProduct,
} from '../support/served-product.ts';

const model = (name: string, kind: string, query: string): string =>
  `MODEL (name ${name}, kind ${kind}, start '2025-06-01');\n${query}`;
const FILES = {
  'config.yaml': 'name: sales\n',
  'models/a.sql': model('raw.a', 'FULL', 'SELECT 1 AS id'),
  'models/b.sql': model('marts.b', 'VIEW', 'SELECT id FROM raw.a'),
};

let served: ServedProduct;
afterEach(() => served.close());

const execute = (...statements: readonly string[]): Promise<void> =>
  served.product.world.engine.write([], async (session) => {
    for (const statement of statements) await session.execute(statement);
  });

const rows = async (sql: string) => (await served.product.world.engine.query(sql)).rows;

/** Tables and views that Plinth made. */
const made = async (): Promise<readonly string[]> =>
  (await served.product.world.engine.relations([])).map(({ relation }) => relationText(relation));

async function refused(environment = 'prod'): Promise<Failure['diagnostic'] | undefined> {
  const { plan, diagnostics } = await draftProduct(served.product, { environment });
  expect(plan).toBeUndefined();
  return diagnostics.find(({ severity }) => severity === 'error');
}

describe('before the first plan', () => {
  beforeEach(async () => {
    served = await servedProduct(FILES, { isPlanned: false });
  });

  test.each([
    ['a table', 'CREATE TABLE marts.b AS SELECT 7 AS mine', 'table'],
    ['a view', 'CREATE VIEW marts.b AS SELECT 7 AS mine', 'view'],
    ['a table in capitals', 'CREATE TABLE marts."B" AS SELECT 7 AS mine', 'table'],
  ])('%s where a view belongs is named with its model and the way out', async (_, statement, object) => {
    await execute('CREATE SCHEMA marts', statement);
    const found = await refused();
    expect(found).toMatchObject({
      code: 'plan.name-taken',
      message: expect.stringMatching(new RegExp(`${object} marts\\.b\\b.*marts\\.b.*prod`, 'i')),
      hint: expect.stringContaining('rename'),
      at: { file: 'models/b.sql' },
    });
    expect(await made()).toEqual([]);
    expect(await rows('SELECT mine FROM marts.b')).toEqual([[7]]);
  });

  test('in another environment the name of its view counts', async () => {
    await execute('CREATE SCHEMA marts__dev', 'CREATE TABLE marts__dev.b AS SELECT 7 AS mine');
    expect(await refused('dev')).toMatchObject({
      code: 'plan.name-taken',
      message: expect.stringContaining('marts__dev.b'),
    });
    await planProduct(served.product);
    expect(await rows('SELECT id FROM marts.b')).toEqual([[1]]);
  });

  test('what appears after the plan was made is found when it is applied, before anything is built', async () => {
    const { plan } = await draftProduct(served.product);
    await execute('CREATE SCHEMA marts', 'CREATE TABLE marts.b AS SELECT 7 AS mine');
    if (plan === undefined) throw new Error('there is no plan');
    const thrown = await ended(apply(served.product.world, plan, { who: 'a test' })).catch((error) => error);
    expect(thrown).toBeInstanceOf(Failure);
    expect((thrown as Failure).diagnostic).toMatchObject({
      code: 'plan.name-taken',
      message: expect.stringContaining('marts.b'),
      at: { file: 'models/b.sql' },
    });
    expect(await made()).toEqual([]);
    await execute('DROP TABLE marts.b');
    await planProduct(served.product);
    expect(await rows('SELECT id FROM marts.b')).toEqual([[1]]);
  });

  test.each([
    ['a table with rows', 'CREATE TABLE', 'SELECT 7 AS mine', true],
    ['a view', 'CREATE VIEW', 'SELECT 7 AS mine', true],
    ['an empty table', 'CREATE TABLE', 'SELECT 7 AS mine WHERE FALSE', false],
  ])('%s under the name of a physical table', async (_, create, query, isRefused) => {
    const { plan } = await draftProduct(served.product);
    const entry = plan?.target.entries.find((each) => each.model === 'raw.a');
    const relation = relationText(physicalRelation({ model: 'raw.a', version: entry?.version ?? '' }));
    await execute('CREATE SCHEMA plinth__raw', `${create} ${relation} AS ${query}`);
    if (!isRefused) {
      await planProduct(served.product);
      expect(await rows('SELECT id FROM raw.a')).toEqual([[1]]);
      return;
    }
    expect(await refused()).toMatchObject({
      code: 'plan.name-taken',
      message: expect.stringContaining(relation),
      at: { file: 'models/a.sql' },
    });
    expect(await rows(`SELECT mine FROM ${relation}`)).toEqual([[7]]);
  });
});

test('a database under the name of a schema makes every name in it ambiguous, and is told at once', async () => {
  served = await servedProduct(
    {
      ...FILES,
      'config.yaml':
        "name: sales\ngateways: {local: {connection: {type: duckdb, catalogs: {w: 'w.duckdb', marts: 'm.duckdb'}}}}\n",
    },
    { isPlanned: false },
  );
  expect(await refused()).toMatchObject({
    code: 'plan.schema-hidden',
    message: expect.stringMatching(/database marts.*marts\.b/),
    at: { file: 'models/b.sql' },
  });
  expect(await made()).toEqual([]);
});

describe('after a plan', () => {
  beforeEach(async () => {
    served = await servedProduct(FILES);
  });

  test('a table or view that somebody put in the place of a view is not overwritten', async () => {
    await execute('DROP VIEW marts.b', 'CREATE VIEW marts.b AS SELECT 7 AS mine');
    served.project.write({ 'models/b.sql': model('marts.b', 'VIEW', 'SELECT id + 1 AS id FROM raw.a') });
    expect(await refused()).toMatchObject({ code: 'plan.name-taken' });
    await execute('DROP VIEW marts.b', 'CREATE TABLE marts.b AS SELECT 8 AS mine');
    expect(await refused()).toMatchObject({ code: 'plan.name-taken' });
    expect(await rows('SELECT mine FROM marts.b')).toEqual([[8]]);
    await execute('DROP TABLE marts.b');
    await planProduct(served.product);
    expect(await rows('SELECT id FROM marts.b')).toEqual([[2]]);
  });

  test('it is not dropped with the model either', async () => {
    await execute('DROP VIEW marts.b', 'CREATE TABLE marts.b AS SELECT 8 AS mine');
    served.project.remove('models/b.sql');
    await planProduct(served.product);
    expect(await rows('SELECT mine FROM marts.b')).toEqual([[8]]);
  });

  test('views of ours are replaced as ever, also those that state does not know', async () => {
    served.project.write({ 'models/b.sql': model('marts.b', 'VIEW', 'SELECT id + 1 AS id FROM raw.a') });
    await planProduct(served.product);
    expect(await rows('SELECT id FROM marts.b')).toEqual([[2]]);
    const view = (await made()).find((name) => name.startsWith('plinth__marts.b__'));
    await execute('CREATE SCHEMA marts__dev', `CREATE VIEW marts__dev.b AS SELECT id + 5 AS id FROM ${view}`);
    await planProduct(served.product, 'dev');
    expect(await rows('SELECT id FROM marts__dev.b')).toEqual([[2]]);
  });
});
