/** `plinth profile` keeps what tables look like, and shows how they change. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from './planned-project.ts';
import { orders, TINY_PROJECT } from './tiny-project.ts';

const PACK = `kind: dq
name: orders_dq
depends_on: staging.orders
profiles: [amount, region]
`;

interface Column {
  readonly name: string;
  readonly nulls: number;
  readonly min?: string;
  readonly max?: string;
  readonly drift: { readonly previous: { readonly is_drifted: boolean } | null; readonly baseline: unknown };
}
interface Profiled {
  readonly profiles: readonly {
    readonly id: string;
    readonly model: string;
    readonly rows: number;
    readonly columns: readonly Column[];
  }[];
  readonly not_profiled: readonly unknown[];
}

let project: PlannedProject;
beforeAll(async () => {
  project = plannedProject({ ...TINY_PROJECT, 'dq/orders.yml': PACK });
  await project.plinth('plan', '--yes');
});
afterAll(() => project.remove());

async function profiled(...args: readonly string[]): Promise<Profiled> {
  const { code, data } = await project.json('profile', ...args);
  expect(code).toBe(0);
  return data as unknown as Profiled;
}

describe('plinth profile', () => {
  test('measures the columns that packs name', async () => {
    const { profiles } = await profiled();
    expect(profiles.map(({ model }) => model)).toEqual(['staging.orders']);
    expect(profiles[0]?.columns.map(({ name }) => name).sort()).toEqual(['amount', 'region']);
    expect(profiles[0]?.columns[0]?.drift).toEqual({ previous: null, baseline: null });
  });

  test('compares the same data with other data only, not with itself', async () => {
    const { profiles } = await profiled();
    for (const column of profiles[0]?.columns ?? []) expect(column.drift.previous).toBeNull();
  });

  test('of a model that is named has all of its columns', async () => {
    const named = await profiled('staging.*');
    expect(named.profiles.length).toBeGreaterThan(0);
  });

  test('sees drift after the rows changed, and says it', async () => {
    const amounts = Object.fromEntries(Array.from({ length: 18 }, (_, index) => [index + 7, 500]));
    project.write('data/orders.csv', orders(12, amounts));
    project.now('2025-01-12');
    const ran = await project.plinth('run');
    expect(ran.stderr).toContain('Profiled  staging.orders');
    // Twice: the second time it is the same data, and the same drift.
    for (let times = 0; times < 2; times++) {
      const { profiles } = await profiled();
      const amount = profiles[0]?.columns.find(({ name }) => name === 'amount');
      expect(amount?.drift.previous).toMatchObject({ is_drifted: true });
    }
    const { stdout, stderr } = await project.plinth('profile');
    expect(stderr).toContain('staging.orders');
    expect(stdout).toContain('amount');
    expect(stdout).toContain('500');
  });

  test('writes a page that says it, too', async () => {
    await project.plinth('profile', '--html', 'report.html');
    const page = readFileSync(join(project.folder, 'report.html'), 'utf8');
    expect(page).toContain('staging.orders');
    expect(page).toContain('Rows over time');
  });

  test('of an environment that was never applied fails', async () => {
    const { code } = await project.json('profile', '--env', 'nowhere');
    expect(code).not.toBe(0);
  });
});
