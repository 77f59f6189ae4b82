/**
 * Statements as they come out of templates, on a real DuckDB: nobody's text makes an environment show what was not audited.
 * Every text here does its harm when nothing stops it; the first test proves that.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  apply,
  days,
  type Models,
  planFor,
  projectOf,
  statuses,
  type TestPlace,
  type TestWorld,
  testPlace,
} from '../support/execution-support.ts';

const SHOWN: Models = {
  's.m': ['FULL', 'SELECT 1 AS x', 'audits (forall(criteria := (x = 1)))'],
  's.v': ['VIEW', 'SELECT x FROM s.m', 'audits (forall(criteria := (x = 1)))'],
  lone: ['FULL', 'SELECT 1 AS x'],
};
const FILL = { 's.m': days(0, 1), lone: days(0, 1) };
const BAD = 'AS SELECT 666 AS x';
const OTHER = 'model.writes-other-table';
const LOCKED = 'model.setting-locked';

const ATTACKS: readonly (readonly [text: string, code: string])[] = [
  [`CREATE OR REPLACE VIEW s__dev.m ${BAD}`, OTHER],
  [`CREATE OR REPLACE VIEW "S__DEV"."V"(x) ${BAD}`, OTHER],
  [`CREATE OR REPLACE VIEW plinth_warehouse.s__dev.v ${BAD}`, OTHER],
  [`CREATE OR REPLACE VIEW 'lone' ${BAD}`, OTHER],
  [`CREATE OR REPLACE VIEW e'\\x6cone' ${BAD}`, OTHER],
  [`CREATE OR REPLACE VIEW plinth_warehouse.lone ${BAD}`, OTHER],
  [`CREATE OR REPLACE RECURSIVE VIEW s__dev.m (x) ${BAD}`, OTHER],
  [`CREATE OR REPLACE UNLOGGED VIEW s__dev.m ${BAD}`, OTHER],
  [`EXPLAIN ANALYZE CREATE OR REPLACE VIEW s__dev.m ${BAD}`, OTHER],
  [`SELECT 1; CREATE\u2003OR REPLACE\u200bVIEW s__dev.m ${BAD}`, OTHER],
  ['DROP VIEW s__dev.m', OTHER],
  ['ALTER VIEW s__dev.m RENAME TO gone', OTHER],
  [`DROP VIEW s__dev.m; CREATE TABLE s__dev.t ${BAD}; ALTER TABLE s__dev.t RENAME TO m`, OTHER],
  ['DROP SCHEMA s__dev CASCADE', OTHER],
  ['DROP SCHEMA plinth_warehouse.s__dev CASCADE', OTHER],
  [`USE s__dev; CREATE OR REPLACE VIEW m ${BAD}`, LOCKED],
  [`SET schema = 's__dev'; CREATE OR REPLACE VIEW m ${BAD}`, LOCKED],
  [`SET SESSION "search_path" TO 's__dev'; CREATE OR REPLACE VIEW m ${BAD}`, LOCKED],
  [`PRAGMA search_path='s__dev'; CREATE OR REPLACE VIEW m ${BAD}`, LOCKED],
];

let place: TestPlace;
let world: TestWorld;

const SEEN =
  "SELECT 's.m', x FROM s.m UNION ALL SELECT 's__dev.m', x FROM s__dev.m UNION ALL SELECT 's__dev.v', x FROM s__dev.v UNION ALL SELECT 'lone', x FROM lone UNION ALL SELECT 'main__dev.lone', x FROM main__dev.lone ORDER BY 1";
const GOOD = ['lone,1', 'main__dev.lone,1', 's.m,1', 's__dev.m,1', 's__dev.v,1'];

beforeAll(async () => {
  place = testPlace();
  world = await place.open();
  const project = await projectOf(SHOWN);
  for (const environment of ['prod', 'dev']) {
    const { run } = await apply(world, await planFor(world, project, { environment, fill: FILL }));
    expect(run.error).toBeUndefined();
  }
});
afterAll(() => place.remove());

class Undone extends Error {}

test.each(ATTACKS)('would do its harm: %s', async (text) => {
  let seen: unknown = GOOD;
  const attack = world.engine.write([], async (session) => {
    await session.execute(text);
    seen = await session.query(SEEN).catch(String);
    throw new Undone();
  });
  await expect(attack).rejects.toThrow(Undone);
  expect(seen).not.toEqual(GOOD);
});

const section = (text: string): string => `JINJA_STATEMENT_BEGIN;\n${text};\nJINJA_END`;
const PLACES: Readonly<Record<string, (text: string) => string>> = {
  'before the query': (text) => `${section(text)};\nSELECT 2 AS y`,
  'after the query': (text) => `SELECT 2 AS y;\n${section(text)}`,
  'with the promotion': (text) =>
    `SELECT 2 AS y;\nON_VIRTUAL_UPDATE_BEGIN;\n${section(text)};\nON_VIRTUAL_UPDATE_END`,
};

/** One of each sort: how texts are read does not depend on where they stand. */
const SORTS = ATTACKS.filter(([text]) =>
  /^(?:CREATE OR REPLACE VIEW s__dev|ALTER|DROP SCHEMA s|USE)/.test(text),
);

describe.each(Object.entries(PLACES))('a statement %s', (_, query) => {
  test.each(SORTS)('is refused: %s', async (text, code) => {
    const project = await projectOf({ ...SHOWN, 's.a': ['FULL', query(text)] });
    const plan = await planFor(world, project, { environment: 'qa', fill: { ...FILL, 's.a': days(0, 1) } });
    const { run } = await apply(world, plan);
    expect(await world.rows(SEEN)).toEqual(GOOD);
    expect(run.error?.code).toBe(code);
    expect(await world.state.snapshots.environment('qa')).toBeUndefined();
  });
});

describe.each([
  ['beforeAll', ATTACKS],
  ['afterAll', SORTS],
] as const)('a statement of %s', (when, attacks) => {
  test.each(attacks)('is refused: %s', async (text, code) => {
    const plan = await planFor(world, await projectOf(SHOWN), { more: { [when]: [text] } });
    const { run } = await apply(world, plan);
    expect(await world.rows(SEEN)).toEqual(GOOD);
    expect(run.error?.code).toBe(code);
  });
});

test('a promotion does not replace the view that it makes', async () => {
  const text = `CREATE OR REPLACE VIEW @this_model ${BAD}`;
  const query = `SELECT 1 AS x;\nON_VIRTUAL_UPDATE_BEGIN;\n${text};\nON_VIRTUAL_UPDATE_END`;
  const project = await projectOf({ 's.a': ['FULL', query] });
  const plan = await planFor(world, project, { environment: 'qa', fill: { 's.a': days(0, 1) } });
  expect((await apply(world, plan)).run.error?.code).toBe(OTHER);
});

test('an audit counts what there is, whatever a macro is called', async () => {
  const query = 'CREATE MACRO count_star() AS SUM(0);\nSELECT 666 AS x';
  const project = await projectOf({ 's.a': ['FULL', query, 'audits (forall(criteria := (x = 1)))'] });
  const plan = await planFor(world, project, { environment: 'qa', fill: { 's.a': days(0, 1) } });
  expect((await apply(world, plan)).run.error?.code).toBe(LOCKED);
  expect(await world.state.snapshots.environment('qa')).toBeUndefined();
});

test('a table does not become a view behind its audits', async () => {
  const query = 'SELECT 1 AS x;\nDROP TABLE @this_model;\nCREATE VIEW @this_model AS SELECT x FROM later';
  const project = await projectOf({ 's.a': ['FULL', query] });
  const plan = await planFor(world, project, { environment: 'qa', fill: { 's.a': days(0, 1) } });
  expect((await apply(world, plan)).run.error?.code).toBe(OTHER);
});

test('tables that are nobody’s stay free, also where an external model names them', async () => {
  const statements = [
    'CREATE SCHEMA IF NOT EXISTS s__dev',
    'CREATE OR REPLACE TABLE s__dev.log AS SELECT 1 AS n',
    'CREATE OR REPLACE VIEW s__dev.log_seen AS SELECT n FROM s__dev.log',
    'ALTER VIEW s__dev.log_seen RENAME TO log_read',
    'DROP VIEW s__dev.log_read',
    'DROP TABLE s__dev.log',
    'CREATE SCHEMA IF NOT EXISTS raw',
    'CREATE OR REPLACE TABLE raw.t AS SELECT 1 AS n',
  ];
  const virtual = `ON_VIRTUAL_UPDATE_BEGIN;\n${section('INSERT INTO raw.t SELECT 2')};\nON_VIRTUAL_UPDATE_END`;
  const project = await projectOf(
    {
      ...SHOWN,
      's.a': ['FULL', `SELECT n FROM raw.t;\n${section('INSERT INTO raw.t SELECT 3')};\n${virtual}`],
    },
    { 'external_models.yaml': '- name: raw.t\n  columns: {n: int}\n' },
  );
  const plan = await planFor(world, project, {
    fill: { 's.a': days(0, 1) },
    more: { beforeAll: statements, afterAll: ['DROP SCHEMA raw CASCADE'] },
  });
  const { run } = await apply(world, plan);
  expect([run.error, statuses(run)['s.a']]).toEqual([undefined, 'built']);
});
