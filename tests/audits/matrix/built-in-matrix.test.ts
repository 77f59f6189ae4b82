/**
 * Each built-in audit with each of its arguments over generated tables, on a real DuckDB: passing, failing, with NULLs, empty, of another
 * type, with a condition, without blocking, holding rows back. What is right is computed in TypeScript (`matrix/recipes.ts`).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUILT_IN_AUDITS, ROW_AUDITS } from '../../../src/compiler/load/built-in-audits.ts';
import { hash128 } from '../../../src/foundation/hash128.ts';
import { openWarehouse, type Warehouse } from '../../support/materialize-warehouse.ts';
import { type MatrixCase, matrixCases, OURS_ALONE, SEED, useOf } from './cases.ts';

const RECORDED = JSON.parse(readFileSync(join(import.meta.dirname, 'sqlmesh-verdicts.json'), 'utf8')) as {
  readonly about: string;
  readonly verdicts: Readonly<Record<string, string>>;
};
const CASES = matrixCases(SEED);
const byAudit = Map.groupBy(CASES, ({ audit }) => audit);
const AUDITS = Object.entries(BUILT_IN_AUDITS);
const isJudged = ({ expected }: MatrixCase): boolean => expected !== 'error';
/** One case with failures of each audit, for what follows from a failure. */
const failing = (audit: string): MatrixCase | undefined =>
  (byAudit.get(audit) ?? []).find(
    ({ expected, rows }) =>
      typeof expected === 'number' && expected > 0 && (!ROW_AUDITS.has(audit) || expected < rows),
  );

let w: Warehouse;
const nameOf = (id: string): string => `s.${id.replaceAll(/\W+/g, '_')}`;
const modelOf = (each: MatrixCase, id: string, use: string): readonly [string, string] => [
  `models/${nameOf(id).slice(2)}.sql`,
  `MODEL (name ${nameOf(id)}, kind FULL, audits (${use}));\n${each.table}`,
];

beforeAll(async () => {
  const models = CASES.map((each) => modelOf(each, each.id, useOf(each)));
  const others = [...byAudit.keys()].flatMap((audit) => {
    const each = failing(audit);
    if (each === undefined) return [];
    return [
      modelOf(each, `${audit} suffix`, useOf({ ...each, audit: `${audit}_non_blocking` })),
      modelOf(each, `${audit} told`, useOf(each, { blocking: 'false' })),
      ...(ROW_AUDITS.has(audit)
        ? [modelOf(each, `${audit} held`, useOf(each, { on_failure: "'quarantine'" }))]
        : []),
    ];
  });
  w = await openWarehouse({
    ...Object.fromEntries([...models, ...others]),
    'models/parent.sql':
      'MODEL (name s.parent, kind FULL); SELECT * FROM (VALUES (1), (2), (3), (NULL)) AS v(id)',
  });
  await w.write('s.parent');
}, 120_000);
afterAll(() => w.close());

describe('the matrix', () => {
  test.each(AUDITS)('has %s with each of its arguments', (audit, { required, optional }) => {
    const given = new Set((byAudit.get(audit) ?? []).flatMap(({ given }) => Object.keys(given)));
    expect([...given].sort()).toEqual([...new Set([...required, ...optional])].sort());
  });

  test.each(AUDITS.map(([audit]) => audit))('has %s with everything that may befall it', (audit) => {
    const own = byAudit.get(audit) ?? [];
    const some = (isOne: (each: MatrixCase) => boolean): boolean => own.some(isOne);
    expect({
      passes: some(({ expected, rows }) => expected === 0 && rows > 0),
      fails: some(({ expected }) => typeof expected === 'number' && expected > 0),
      nulls: some(({ has }) => has.has('nulls')),
      empty: some(({ has }) => has.has('empty')),
      condition: some(({ has }) => has.has('condition')),
      wrongType: some(({ has }) => has.has('wrong-type')),
      followed: failing(audit) !== undefined,
    }).toEqual({
      passes: true,
      fails: true,
      nulls: true,
      empty: true,
      condition: true,
      wrongType: true,
      followed: true,
    });
  });
});

type Verdict = 'pass' | 'fail' | 'error';
const verdictOf = ({ expected }: MatrixCase): Verdict =>
  expected === 'error' ? 'error' : expected > 0 ? 'fail' : 'pass';

/** Where SQLMesh judges otherwise, as ours and theirs: docs/reference/compatibility.md says why. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  not_null_proportion: ['pass fail'],
  not_constant: ['pass fail'],
  mutually_exclusive_ranges: ['pass error', 'fail error'],
  kl_divergence: ['pass error', 'fail error'],
  valid_http_method: ['pass fail'],
  not_empty_string: ['pass error'],
  valid_email: ['fail pass', 'fail error'],
  valid_url: ['fail pass', 'fail error'],
  ...Object.fromEntries(
    [
      ...['string_length_equal', 'string_length_between', 'valid_uuid', 'match_regex_pattern_list'],
      ...['not_match_regex_pattern_list', 'match_like_pattern_list', 'not_match_like_pattern_list'],
    ].map((audit) => [audit, ['fail error']]),
  ),
};
describe('SQLMesh', () => {
  const theirs: Readonly<Record<string, string>> = RECORDED.verdicts;

  test('was asked about every case of the audits that it has', () => {
    const asked = CASES.filter(({ audit }) => !OURS_ALONE.includes(audit)).map(({ id }) => id);
    expect(Object.keys(theirs).sort()).toEqual(asked.toSorted());
  });

  test.each([...byAudit.keys()])('says the same of %s, but where it is known to say otherwise', (audit) => {
    const found = (byAudit.get(audit) ?? []).flatMap((each) => {
      const [ours, other] = [verdictOf(each), theirs[each.id] ?? verdictOf(each)];
      return ours === other ? [] : [`${ours} ${other}`];
    });
    expect([...new Set(found)].sort()).toEqual((OTHERWISE[audit] ?? []).toSorted());
  });

  test('would say the same of the tables as they are now', () => {
    const tables = CASES.filter(({ audit }) => !OURS_ALONE.includes(audit)).map((each) => [
      useOf(each),
      each.table,
    ]);
    expect(hash128(JSON.stringify(tables))).toBe(RECORDED.about);
  });
});

describe.each([...byAudit.keys()])('%s', (audit) => {
  test('says of every table what its definition says', async () => {
    const found: Record<string, unknown> = {};
    const wanted: Record<string, unknown> = {};
    for (const each of byAudit.get(audit) ?? []) {
      if (!isJudged(each)) continue;
      const { audits } = await w.write(nameOf(each.id));
      const about = `${each.id}: ${useOf(each)} over ${each.table}`;
      found[about] = audits;
      const failedRows = Number(each.expected);
      wanted[about] = [{ name: audit, status: failedRows === 0 ? 'passed' : 'failed', failedRows }];
    }
    expect(found).toEqual(wanted);
  });

  test('is an error where it cannot be evaluated', async () => {
    for (const each of byAudit.get(audit) ?? []) {
      if (isJudged(each)) continue;
      await expect(w.write(nameOf(each.id)), `${each.id}: ${useOf(each)}`).rejects.toMatchObject({
        code: 'audit.cannot-run',
      });
    }
  });

  test('warns when it does not block, and holds back what it fails', async () => {
    const each = failing(audit);
    if (each === undefined) throw new Error(`no table fails ${audit}`);
    const failedRows = Number(each.expected);
    for (const [id, name] of [
      ['suffix', `${audit}_non_blocking`],
      ['told', audit],
    ] as const) {
      const { audits, failed, rows } = await w.write(nameOf(`${audit} ${id}`));
      expect([audits, failed, rows]).toEqual([
        [{ name, status: 'warned', failedRows }],
        undefined,
        each.rows,
      ]);
    }
    if (!ROW_AUDITS.has(audit)) return;
    expect(await w.write(nameOf(`${audit} held`))).toMatchObject({
      audits: [{ name: audit, status: 'quarantined', failedRows }],
      rows: each.rows - failedRows,
      balance: { input: each.rows, published: each.rows - failedRows, quarantined: failedRows },
    });
  });
});
