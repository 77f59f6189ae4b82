import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from './planned-project.ts';
import { TINY_PROJECT } from './tiny-project.ts';

let project: PlannedProject;
const done = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
  const answer = await project.json(...args);
  if (answer.code !== 0) throw new Error(JSON.stringify([answer.error, answer.diagnostics]));
  return answer.data ?? {};
};
afterAll(() => project.remove());

describe('table-diff', () => {
  beforeAll(async () => {
    project = plannedProject({
      ...TINY_PROJECT,
      'models/best.sql': `MODEL (name marts.best, kind FULL, grain id);
SELECT 1 AS id, 1.2341::DOUBLE AS share, 10.001::DECIMAL(10, 3) AS amount, 'a' AS word
`,
    });
    await done('plan', '--yes');
    project.write('models/newer.sql', 'MODEL (name marts.newer, kind FULL, grain id);\nSELECT 1 AS id');
    project.write(
      'models/best.sql',
      `MODEL (name marts.best, kind FULL, grain id);
SELECT 1 AS id, 1.2342::DOUBLE AS share, 10.002::DECIMAL(10, 3) AS amount, 'b' AS word
`,
    );
    await done('plan', 'dev', '--yes');
  });
  const differing = async (...args: readonly string[]): Promise<unknown> =>
    (
      (await done('table-diff', 'prod:dev', ...args))['differing'] as readonly { readonly column: string }[]
    ).map(({ column }) => column);

  test('--decimals rounds fractions before they are compared', async () => {
    expect(await differing('marts.best')).toEqual(['share', 'amount', 'word']);
    expect(await differing('marts.best', '--decimals', '3')).toEqual(['amount', 'word']);
    expect(await differing('marts.best', '--decimals', '2')).toEqual(['word']);
    expect(await project.json('table-diff', 'prod:dev', 'marts.best', '--decimals', 'two')).toMatchObject({
      error: { code: 'cli.bad-value' },
    });
  });

  test('--skip-columns leaves columns out; one that is not there is refused', async () => {
    expect(await differing('marts.best', '--skip-columns', 'share, WORD')).toEqual(['amount']);
    expect(
      await project.json('table-diff', 'prod:dev', 'marts.best', '--skip-columns', 'wrod'),
    ).toMatchObject({
      error: { code: 'query.unknown-column' },
    });
  });

  test('--skip-columns of several models leaves out what each of them has', async () => {
    const compared = async (...columns: readonly string[]): Promise<unknown> =>
      (
        await project.json(
          'table-diff',
          'prod:dev',
          'marts.best',
          'raw.regions',
          '--skip-columns',
          columns.join(),
        )
      ).data?.['tables'];
    expect(await compared('share', 'word', 'amount')).toMatchObject([
      { model: 'marts.best', differing: [] },
      { model: 'raw.regions', rows: { equal: 2 } },
    ]);
    // It identifies the rows of the one, and the other has no such column.
    expect(await compared('region')).toBeUndefined();
    expect(await project.json('table-diff', 'prod:dev', 'marts.*', '--skip-columns', 'wrod')).toMatchObject({
      error: { code: 'query.unknown-column' },
    });
  });

  test('a wildcard leaves out what cannot be compared and says why; a name is refused', async () => {
    const reason = 'The environment prod has no model marts.newer.';
    const all = await done('table-diff', 'prod:dev', 'marts.*');
    expect(all['not_compared']).toEqual([{ model: 'marts.newer', reason }]);
    expect((await project.plinth('table-diff', 'prod:dev', 'marts.*')).stdout).toContain(
      `marts.newer\nnot compared: ${reason}`,
    );
    expect(await project.json('table-diff', 'prod:dev', 'marts.newer')).toMatchObject({
      error: { code: 'query.unknown-model' },
    });
  });

  test('compares several models, by name or wildcard, one after the other', async () => {
    const compared = await project.json('table-diff', 'prod:dev', 'marts.*', 'raw.regions', '--exit-code');
    expect(compared).toMatchObject({
      code: 3,
      data: {
        tables: [
          { model: 'marts.best', rows: { different: 1 } },
          { model: 'marts.revenue', rows: { different: 0 } },
          { model: 'raw.regions', rows: { equal: 2 } },
        ],
      },
    });
    const text = await project.plinth('table-diff', 'prod:dev', 'marts.best', 'marts.revenue');
    expect(text.stdout).toMatch(/^marts\.best\n[\s\S]*\n\nmarts\.revenue\n/);
  });
});
