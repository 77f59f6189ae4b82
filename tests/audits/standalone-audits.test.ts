/** Audits that belong to no model: they run whenever what they read is written, and hold it back when they block. */
import { afterEach, describe, expect, test } from 'vitest';
import type { Run } from '../../src/domain/run.ts';
import { apply } from '../../src/operations/change/apply.ts';
import { auditEnvironment } from '../../src/operations/change/audit-environment.ts';
import { dueWork } from '../../src/operations/change/due-work.ts';
import { run as runDue } from '../../src/operations/change/run.ts';
import {
  draftProduct,
  ended,
  planProduct,
  type ServedProduct,
  servedProduct,
} from '../support/served-product.ts';

const DAY = 86_400_000;
const TIME = Date.UTC(2025, 5, 15);
const full = (name: string, query: string): string =>
  `MODEL (name ${name}, kind FULL, start '2025-06-01');\n${query}`;
const csv = (file: string): string => `SELECT * FROM READ_CSV('seeds/${file}.csv', header = true)`;
const audit = (more: string, query = 'SELECT id FROM s.a EXCEPT SELECT id FROM s.b'): string =>
  `AUDIT (name match${more});\n${query}\n`;
const FILES = {
  'config.yaml': 'name: audited\n',
  'seeds/a.csv': 'id\n1\n2\n',
  'seeds/b.csv': 'id\n1\n2\n',
  'models/a.sql': full('s.a', csv('a')),
  'models/b.sql': full('s.b', csv('b')),
  'models/c.sql': full('s.c', 'SELECT 7 AS id'),
};

let served: ServedProduct;
afterEach(() => served.close());

async function planned(): Promise<Run> {
  const { plan, diagnostics } = await draftProduct(served.product);
  if (plan === undefined) throw new Error(JSON.stringify(diagnostics));
  return ended(apply(served.product.world, plan, { who: 'a test' }));
}

let day = 0;
async function ran(selection?: string): Promise<Run> {
  const { world } = served.product;
  const executionTime = TIME + ++day * DAY;
  const request = { environment: 'prod', executionTime, ...(selection === undefined ? {} : { selection }) };
  return ended(runDue(world, await dueWork(world, request), { who: 'a test' }));
}

const ids = async (table: string): Promise<readonly unknown[]> =>
  (await served.product.world.engine.query(`SELECT id::INTEGER FROM ${table} ORDER BY id`)).rows.flat();
const auditsOf = (run: Run) =>
  run.models.filter(({ name }) => name === 'plinth__audit.match').flatMap(({ audits }) => audits);

describe('a standalone audit', () => {
  test('that does not say whether it blocks warns: in the plan that brings it, and when what it reads is written', async () => {
    served = await servedProduct(FILES);
    served.project.write({ 'audits/match.sql': audit(', standalone true'), 'seeds/b.csv': 'id\n1\n' });
    const first = await planned();
    expect([first.status, auditsOf(first)]).toMatchObject([
      'succeeded',
      [{ name: 'match', status: 'passed' }],
    ]);
    const second = await ran();
    expect([second.status, auditsOf(second)]).toMatchObject([
      'succeeded',
      [{ name: 'match', status: 'warned', failedRows: 1 }],
    ]);
    expect(await ids('s.b')).toEqual([1]);
    expect(auditsOf(await ran('s.c'))).toEqual([]);
  });

  test('that blocks holds back a write that makes it fail, wherever that comes from', async () => {
    served = await servedProduct({ ...FILES, 'audits/match.sql': audit(', standalone true, blocking true') });
    served.project.write({ 'seeds/b.csv': 'id\n1\n' });
    const failed = await ran('s.b');
    expect(failed).toMatchObject({
      status: 'failed',
      error: { code: 'audit.failed', at: { file: 'audits/match.sql' } },
    });
    expect(await ids('s.b')).toEqual([1, 2]);
    served.project.write({ 'seeds/a.csv': 'id\n1\n' });
    const together = await ran();
    expect([together.error, auditsOf(together)]).toMatchObject([undefined, [{ status: 'passed' }]]);
    expect([await ids('s.a'), await ids('s.b')]).toEqual([[1], [1]]);
  });

  test('that blocks stops the promotion that brings it, and the environment stays what it was', async () => {
    served = await servedProduct({ ...FILES, 'seeds/b.csv': 'id\n1\n' });
    const before = await served.product.world.state.snapshots.environment('prod');
    served.project.write({ 'audits/match.sql': audit(', standalone true, blocking true') });
    expect(await planned()).toMatchObject({ status: 'failed', error: { code: 'audit.failed' } });
    const after = await served.product.world.state.snapshots.environment('prod');
    expect(after?.promotionId).toBe(before?.promotionId);
    expect((await ran()).status).toBe('succeeded');
  });

  test('is asked again when a model it reads gets another table', async () => {
    served = await servedProduct({ ...FILES, 'audits/match.sql': audit(', standalone true, blocking true') });
    served.project.write({ 'models/b.sql': full('s.b', `${csv('b')} WHERE id < 2`) });
    expect(await planned()).toMatchObject({ status: 'failed', error: { code: 'audit.failed' } });
    expect(await ids('s.b')).toEqual([1, 2]);
    served.project.write({ 'models/b.sql': full('s.b', `${csv('b')} WHERE id < 3`) });
    expect((await planned()).error).toBeUndefined();
  });

  test('is asked by plinth audit, and no longer once no file has it', async () => {
    served = await servedProduct({ ...FILES, 'audits/match.sql': audit(', standalone true') });
    const asked = async (selection?: string) => {
      const request = {
        environment: 'prod',
        executionTime: TIME,
        ...(selection === undefined ? {} : { selection }),
      };
      return auditsOf(await ended(auditEnvironment(served.product.world, request, { who: 'a test' })));
    };
    expect(await asked()).toMatchObject([{ name: 'match', status: 'passed' }]);
    expect(await asked('s.a')).toHaveLength(1);
    expect(await asked('s.c')).toEqual([]);
    served.project.remove('audits/match.sql');
    await planProduct(served.product);
    expect(await asked()).toEqual([]);
    expect(auditsOf(await ran())).toEqual([]);
  });

  test('that is skipped never runs; one over tables of others runs with every write', async () => {
    served = await servedProduct({
      ...FILES,
      'audits/match.sql': audit(', standalone true', 'SELECT 1 FROM duckdb_tables() WHERE FALSE'),
      'audits/off.sql': 'AUDIT (name off, standalone true, skip true);\nSELECT 1\n',
    });
    const run = await ran('s.c');
    expect(auditsOf(run)).toMatchObject([{ name: 'match', status: 'passed' }]);
    expect(run.models.map(({ name }) => name)).not.toContain('plinth__audit.off');
  });

  test('has no model of its own', async () => {
    served = await servedProduct(FILES, { isPlanned: false });
    served.project.write({
      'audits/match.sql': audit(', standalone true', 'SELECT * FROM @this_model WHERE id IS NULL'),
    });
    const { diagnostics } = await draftProduct(served.product);
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ code: 'audit.standalone-this-model', severity: 'error' }),
    );
  });
});
