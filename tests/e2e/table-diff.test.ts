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
