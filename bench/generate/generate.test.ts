import { expect, test } from 'vitest';
import { blockMacros, emitBlocks } from './emit-blocks.ts';
import { emitDbt } from './emit-dbt.ts';
import { generateProject } from './project.ts';
import { describeProject, verifyProject } from './verify.ts';
import { touchModel } from './write-project.ts';

test('DuckDB builds every generated model and its audits hold, with rows and without', async () => {
  for (const rows of [0, 40]) {
    const { errors, failedAudits, rowsInMarts } = await verifyProject(200, rows);
    expect(errors).toEqual([]);
    expect(failedAudits).toEqual([]);
    expect(rowsInMarts > 0).toBe(rows > 0);
  }
});

test('the same seed gives the same files, another seed does not', () => {
  const files = (seed: number): string => JSON.stringify([...emitBlocks(generateProject(100, seed))]);
  expect(files(42)).toBe(files(42));
  expect(files(43)).not.toBe(files(42));
});

test('the graph has the shares, depth, fan-in and hubs that the bench page promises', () => {
  const { externals, models } = generateProject(1000);
  const share = (test: (model: (typeof models)[number]) => boolean): number =>
    Math.round((100 * models.filter(test).length) / models.length);
  expect(externals).toHaveLength(200);
  expect(share(({ node }) => node.traits.hasWindow)).toBe(25);
  expect(share(({ query }) => / OVER \(/.test(query.text))).toBeGreaterThanOrEqual(25);
  expect(share(({ query }) => query.shape === 'star')).toBe(5);
  expect(share(({ query }) => query.text.includes('‹ratio:'))).toBe(10);
  expect(share(({ query }) => query.text.includes('‹start›'))).toBe(20);
  expect(Math.max(...models.map(({ node }) => node.depth))).toBe(12);
  expect(Math.max(...models.map(({ query }) => query.cteCount))).toBeLessThanOrEqual(6);
  expect(Math.max(...models.map(({ node }) => node.parents.length))).toBe(4);
  const children = new Map<number, number>();
  for (const parent of models.flatMap(({ node }) => node.parents))
    children.set(parent, (children.get(parent) ?? 0) + 1);
  expect([...children.values()].filter((count) => count >= 100).length).toBeGreaterThanOrEqual(2);
  const widths = models.map(({ query }) => query.relation.columns.length);
  expect(Math.min(...widths)).toBe(5);
  expect(Math.max(...widths)).toBeGreaterThan(45);
});

test('no mark of the neutral form is left in any tool’s files', () => {
  const project = generateProject(200);
  for (const files of [emitBlocks(project), emitDbt(project)]) {
    for (const text of files.values()) expect(text).not.toMatch(/[‹›¦]/);
  }
});

test('touching a model adds a column to its final SELECT and touching the macro changes its effect', () => {
  const text = 'WITH a AS (\n  SELECT\n    1 AS x\n)\nSELECT\n  a.x\nFROM a\n';
  expect(touchModel(text, 3)).toBe(
    'WITH a AS (\n  SELECT\n    1 AS x\n)\nSELECT\n  3 AS touched_3,\n  a.x\nFROM a\n',
  );
  expect(() => touchModel('SELECT 1', 1)).toThrow('final SELECT');
  expect(blockMacros(2).get('macros/shared.ts')).not.toBe(blockMacros().get('macros/shared.ts'));
});

test('DuckDB describes exactly the columns that the generator believes each model has', async () => {
  const described = await describeProject(100);
  for (const { node, query } of generateProject(100).models) {
    const names = described.get(`${node.schema}.${node.name}`)?.map((column) => column.name);
    expect(names).toEqual(query.relation.columns.map((column) => column.name));
  }
});
