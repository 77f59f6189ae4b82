/** A plain cell is what DuckDB reads the same text as, cell by cell. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../src/domain/engine.ts';
import type { TestValue } from '../../src/domain/model-test.ts';
import { plainCell } from '../../src/domain/plain-cell.ts';
import { openWorkspace, type Workspace } from '../../src/operations/workspace.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

let project: TemporaryProject;
let workspace: Workspace;
let engine: Engine;
beforeAll(async () => {
  project = temporaryProject({ 'config.yaml': 'gateways: {local: {connection: {type: duckdb}}}\n' });
  workspace = openWorkspace({ folder: project.folder, variables: {}, executionTime: 0 });
  engine = await workspace.engine({ type: 'duckdb', options: { database: ':memory:' } });
});
afterAll(async () => {
  await workspace.close();
  project.delete();
});

const TYPES = [
  'INTEGER',
  'BIGINT',
  'DOUBLE',
  'DECIMAL(10,2)',
  'DECIMAL(4,3)',
  'DECIMAL(9,0)',
  'VARCHAR',
  'DATE',
  'BOOLEAN',
];
const numbers = fc
  .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.constantFrom('', '.0', '.5', '.50', '.125', '.1239'))
  .map(([whole, fraction]): TestValue => ({ kind: 'number', text: `${whole}${fraction}` }));
const texts = fc.constantFrom(
  '',
  'a',
  '2024-02-29',
  '2023-02-29',
  '2024-1-1',
  '0000-00-00',
  '9',
  ' 2024-01-01',
);

test('against the engine', async () => {
  const sample = fc.sample(
    fc.tuple(fc.constantFrom(...TYPES), fc.oneof(numbers, texts, fc.boolean(), fc.constant(null))),
    { numRuns: 600, seed: 7 },
  );
  const plain = sample
    .map(([type, value]) => ({ type, value, cell: plainCell(value, type) }))
    .filter(({ cell }) => cell !== undefined);
  expect(plain.length).toBeGreaterThan(150);
  const sql = ({ type, value }: (typeof plain)[number]): string => {
    const text =
      value === null
        ? 'NULL'
        : typeof value === 'boolean'
          ? String(value)
          : `'${typeof value === 'string' ? value : 'text' in value ? value.text : ''}'`;
    return `TRY_CAST(${text} AS ${type})`;
  };
  const answer = await engine.query(`SELECT ${plain.map((each, at) => `${sql(each)} AS c${at}`).join(', ')}`);
  expect(plain.map((each, at) => [each, answer.rows[0]?.[at]])).toEqual(
    plain.map((each) => [each, each.cell]),
  );
});
