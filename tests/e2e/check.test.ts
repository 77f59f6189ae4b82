/** Checks run on demand and after each change, their results are kept, and incidents open and close once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from './planned-project.ts';
import { orders, TINY_PROJECT } from './tiny-project.ts';

const PACK = `kind: dq
name: orders_dq
depends_on: staging.orders
owner: mara
profiles: [amount, region]
rules:
  - row_count > 0: {name: some}
  - max(amount) <= 30: {name: no_large_order}
  - missing_count(region) = 0: {name: region_known}
  - avg(amount) > 100: {name: amber, severity: warning}
  - invalid_count(region) = 0: {name: not_abroad, valid_values: [EU, US], samples_limit: 5}
  - change for row_count >= 0: {name: growing}
`;

interface Checked {
  readonly check: string;
  readonly outcome: string;
  readonly value: number | null;
  readonly data_version: string;
  readonly sample?: { readonly rows: readonly (readonly unknown[])[] };
}

let project: PlannedProject;
beforeAll(async () => {
  project = plannedProject({ ...TINY_PROJECT, 'dq/orders.yml': PACK });
});
afterAll(() => project.remove());

/** Lines of a command that are events of checks. */
async function events(...args: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const { stdout } = await project.plinth(...args, '--json');
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => /^(model\.(checked|profiled)|checks\.|incident\.)/.test(String(event)));
}

const outcomes = (results: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries((results as readonly Checked[]).map(({ check, outcome }) => [check, outcome]));

describe('checks of a dq pack', () => {
  test('run after the plan that brings them', async () => {
    const [started, checked, profiled] = await events('plan', '--yes');
    expect(profiled).toMatchObject({ event: 'model.profiled', model: 'staging.orders', rows: 6 });
    expect(started).toMatchObject({ event: 'checks.started', models: 1 });
    expect(checked).toMatchObject({ event: 'model.checked', model: 'staging.orders' });
    expect(outcomes(checked?.['results'])).toEqual({
      'orders_dq/some': 'pass',
      'orders_dq/no_large_order': 'pass',
      'orders_dq/region_known': 'pass',
      'orders_dq/amber': 'warn',
      'orders_dq/not_abroad': 'pass',
      'orders_dq/growing': 'not_evaluated',
    });
  });

  test('run on demand, and a warning is no failure', async () => {
    const { code, data } = await project.json('check');
    expect({ code, data }).toMatchObject({ code: 0, data: { tally: { pass: 4, warn: 1, fail: 0 } } });
    const { results } = data as { readonly results: readonly Checked[] };
    expect(results.find(({ check }) => check === 'orders_dq/amber')).toMatchObject({ value: 15 });
    expect(new Set(results.map(({ data_version }) => data_version)).size).toBe(1);
  });

  test('do not run again after a run that changes nothing', async () => {
    expect(await events('run')).toEqual([]);
  });

  test('fail after a change of the rows, open an incident once and close it once', async () => {
    project.write('data/orders.csv', orders(12, { 21: 500 }));
    project.now('2025-01-12');
    const failed = await events('run');
    expect(outcomes(failed.find(({ event }) => event === 'model.checked')?.['results'])).toMatchObject({
      'orders_dq/no_large_order': 'fail',
      'orders_dq/growing': 'pass',
    });
    const { data: listed } = await project.json('runs', '--limit', '1');
    const [last] = (listed as { readonly runs: readonly { readonly run_id: string }[] }).runs;
    const { data: shown } = await project.json('runs', last?.run_id ?? '');
    const { run } = shown as { readonly run: { readonly checks: unknown } };
    expect(outcomes(run.checks)).toMatchObject({
      'orders_dq/no_large_order': 'fail',
    });
    expect(failed.filter(({ event }) => event === 'incident.opened')).toMatchObject([
      { incident: { check: 'orders_dq/no_large_order', owner: 'mara', state: 'open', failures: 1 } },
    ]);
    const again = await project.json('check');
    expect(again).toMatchObject({ code: 1, data: { incidents: [] } });
    // The same data is compared with the same data as before, not with itself.
    const { results } = again.data as { readonly results: readonly (Checked & { baseline?: number })[] };
    expect(results.find(({ check }) => check === 'orders_dq/growing')).toMatchObject({ baseline: 6 });

    project.write('data/orders.csv', orders(12));
    await project.plinth('plan', '--restate-model', 'staging.orders', '--yes');
    const { data } = await project.json('check');
    expect(data).toMatchObject({ tally: { fail: 0 } });
    const log = await project.json('check', '--pack', 'orders_dq');
    expect(log).toMatchObject({ data: { incidents: [] } });
  });

  test('show rows that are wrong', async () => {
    project.write('data/orders.csv', orders(12).replace('21,2025-01-11,EU', '21,2025-01-11,XX'));
    await project.plinth('plan', '--restate-model', 'staging.orders', '--yes');
    const { code, data } = await project.json('check', '--select', 'staging.*');
    expect(code).toBe(1);
    const { results } = data as { readonly results: readonly Checked[] };
    expect(results.find(({ check }) => check === 'orders_dq/not_abroad')?.sample?.rows).toEqual([
      [21, '2025-01-11', 'XX', 10],
    ]);
  });

  test('of a pack that is not applied are refused by name', async () => {
    const ended = await project.json('check', '--pack', 'orders');
    expect(ended).toMatchObject({ code: 2, ok: false, error: { code: 'dq.unknown-pack' } });
  });

  test('that are edited run when a plan applies them', async () => {
    project.write('dq/orders.yml', PACK.replace('avg(amount) > 100', 'avg(amount) > 1'));
    const found = await events('plan', '--yes');
    const checked = found.find(({ event }) => event === 'model.checked');
    expect(outcomes(checked?.['results'])).toMatchObject({ 'orders_dq/amber': 'pass' });
  });

  test('that are taken away trouble nobody: their incidents close, and the product is as the others say', async () => {
    project.write('dq/orders.yml', PACK.replace('max(amount) <= 30', 'max(amount) <= 1'));
    const opened = await events('plan', '--yes');
    expect(opened).toContainEqual(expect.objectContaining({ event: 'incident.opened' }));
    expect((await project.json('status')).data).toMatchObject({ health: 'degraded' });
    project.write('dq/orders.yml', PACK.replace(/.*(no_large_order|amber).*\n/g, ''));
    const found = await events('plan', '--yes');
    expect(found.filter(({ event }) => String(event).startsWith('incident'))).toMatchObject([
      { event: 'incident.closed', incident: { check: 'orders_dq/no_large_order', closed_by: null } },
    ]);
    const { data } = await project.json('status');
    const reasons = data?.['reasons'] as readonly { readonly check: string | null }[];
    expect(reasons.filter(({ check }) => /no_large_order|amber/.test(String(check)))).toEqual([]);
  });
});
