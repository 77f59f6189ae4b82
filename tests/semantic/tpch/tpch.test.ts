import { beforeAll, describe, expect, test } from 'vitest';
import { tpchData, tpchTables } from '../../../bench/tpch-data.ts';
import { type PlainDuckdb, plainDuckdb } from '../../support/plain-duckdb.ts';
import { TPCH_QUERIES } from './queries.ts';
import { tpchProject } from './tpch-project.ts';

const SCALE = 0.1;

const data = tpchData(SCALE);

describe('TPC-H questions', () => {
  if (data.kind === 'not-available') {
    test.skip(`are not asked: there is no generator (${data.reason})`, () => {});
    return;
  }
  let compile: Awaited<ReturnType<typeof tpchProject>>;
  let duckdb: PlainDuckdb;
  beforeAll(async () => {
    compile = await tpchProject();
    duckdb = await plainDuckdb('.');
    await duckdb.execute(...tpchTables(data.folder));
  });

  test.each(TPCH_QUERIES)('$name has the rows and types of hand-written SQL', async ({ semantic, sql }) => {
    const { sql: compiled, columns } = compile(semantic);
    const ours = await duckdb.query(compiled);
    const theirs = await duckdb.query(sql);
    expect(ours.rows).toEqual(theirs.rows);
    expect(ours.columns.map(({ type }) => type)).toEqual(theirs.columns.map(({ type }) => type));
    expect(columns.map(({ name }) => name)).toEqual(ours.columns.map(({ name }) => name));
    expect(ours.rows.flat().some((cell) => cell !== null)).toBe(true);
  });

  test('is one SELECT when nothing fans out, with joins only to what is named', () => {
    const { sql } = compile(TPCH_QUERIES.find(({ name }) => name.startsWith('Q5'))!.semantic);
    expect(sql.match(/SELECT/g)).toHaveLength(1);
    expect(sql.match(/JOIN tpch\.\w+/g)?.map((text) => text.slice(10))).toEqual(
      expect.arrayContaining(['orders', 'customer', 'supplier', 'nation', 'region']),
    );
    expect(sql).not.toContain('tpch.part');
  });
});
