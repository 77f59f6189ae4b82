/** When checks run, and which time they go by: the schedules of packs, `--execution-time`, and the back-test of what was measured. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from '../e2e/planned-project.ts';
import { TINY_PROJECT } from '../e2e/tiny-project.ts';

const PACK = `kind: dq
name: orders_dq
depends_on: staging.orders
schedule: '@hourly'
profiles: [amount]
rules:
  - freshness(day) < 31h: {name: fresh}
  - row_count = 2: {name: of_today, filter: day = CURRENT_DATE - 1}
`;
const SERIES = `kind: dq
name: series_dq
depends_on: raw.measured
rules:
  - anomaly for max(value): {training: 3, name: usual}
`;

let project: PlannedProject;
beforeAll(async () => {
  project = plannedProject(
    {
      ...TINY_PROJECT,
      'dq/orders.yml': PACK,
      'dq/series.yml': SERIES,
      'models/measured.sql':
        "MODEL (name raw.measured, kind FULL);\nSELECT value FROM READ_CSV('data/measured.csv', columns = {'value': 'DOUBLE'})\n",
      'data/measured.csv': '100\n',
    },
    '2025-01-04T06:00:00Z',
  );
  const { code, stderr } = await project.plinth('plan', '--yes');
  if (code !== 0) throw new Error(stderr);
});
afterAll(() => project.remove());

interface Result {
  readonly check: string;
  readonly outcome: string;
  readonly at: string;
  readonly trigger: string;
}

/** Of the pack on staging.orders, by a command; with the profiles that it made. */
async function found(...command: readonly string[]) {
  const { stdout } = await project.plinth(...command, '--json');
  const events = stdout
    .split('\n')
    .filter((line) => line.startsWith('{"v"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const checked = events.find(({ event, model }) => event === 'model.checked' && model === 'staging.orders');
  return {
    results: ((checked?.['results'] ?? []) as readonly Result[]).map(
      ({ check, outcome, at, trigger }) => `${check} ${outcome} ${at} ${trigger}`,
    ),
    profiled: events.filter(({ event }) => event === 'model.profiled').map(({ model }) => model),
  };
}

test('a check goes by the time that is given: ages, the clock of filters, and when it was', async () => {
  const { results } = await found('check', '--pack', 'orders_dq');
  expect(results).toEqual([
    'orders_dq/fresh pass 2025-01-04T06:00:00.000Z demand',
    'orders_dq/of_today pass 2025-01-04T06:00:00.000Z demand',
  ]);
  const later = await found('check', '--pack', 'orders_dq', '--execution-time', '2025-01-05T08:00:00Z');
  expect(later.results).toEqual([
    'orders_dq/fresh fail 2025-01-05T08:00:00.000Z demand',
    'orders_dq/of_today fail 2025-01-05T08:00:00.000Z demand',
  ]);
});

test('a pack is checked when its schedule says so, and rows that are the same are not profiled again', async () => {
  project.now('2025-01-04T06:30:00Z');
  await project.plinth('check');
  expect(await found('worker', '--once')).toEqual({ results: [], profiled: [] });
  project.now('2025-01-04T07:10:00Z');
  expect(await found('worker', '--once')).toEqual({
    results: [
      'orders_dq/fresh fail 2025-01-04T07:10:00.000Z schedule',
      'orders_dq/of_today pass 2025-01-04T07:10:00.000Z schedule',
    ],
    profiled: [],
  });
  expect((await found('worker', '--once')).results).toEqual([]);
});

test('a check at a time to come does not stop the schedule until then', async () => {
  await project.plinth('check', '--execution-time', '2030-01-01');
  project.now('2025-01-04T08:10:00Z');
  expect((await found('worker', '--once')).results).toHaveLength(2);
  expect((await found('worker', '--once')).results).toHaveLength(0);
});

test('the checks of a run are those that it caused, whatever time it was given', async () => {
  const { data } = await project.json('runs', '--limit', '9');
  const { runs } = data as { readonly runs: readonly { readonly run_id: string; readonly kind: string }[] };
  const plan = runs.find(({ kind }) => kind === 'plan')?.run_id ?? '';
  const shown = await project.json('runs', plan);
  const { run } = shown.data as { readonly run: { readonly checks: readonly Result[] } };
  expect(run.checks.map(({ check }) => check)).toEqual([
    'orders_dq/fresh',
    'orders_dq/of_today',
    'series_dq/usual',
  ]);
});

test('the back-test says of the history what the checks said when they ran', async () => {
  const said: string[] = [];
  for (const [index, value] of [101, 99, 100.5, 500, 100].entries()) {
    project.write('data/measured.csv', `${value}\n`);
    project.now(`2025-01-${String(6 + index).padStart(2, '0')}T06:00:00Z`);
    const { stdout } = await project.plinth('run', '--json');
    said.push(/"check":"series_dq\/usual"[^{}]*"outcome":"(\w+)"/.exec(stdout)?.[1] ?? '');
  }
  expect(said).toEqual([...Array(2).fill('not_evaluated'), 'pass', 'fail', 'pass']);
  // The same rows again: nothing is learned from them twice.
  const again = await project.json('check', '--pack', 'series_dq');
  expect(again.data).toMatchObject({ results: [{ outcome: 'pass' }] });
  const { code, data } = await project.json('check', '--backtest');
  expect(code).toBe(0);
  const points = [
    [100, 'training'],
    [101, 'training'],
    [99, 'training'],
    [100.5, 'normal'],
    [500, 'anomaly'],
    [100, 'normal'],
  ];
  expect(data).toMatchObject({
    rules: [
      {
        ...{ check: 'series_dq/usual', method: 'robust_z', values: 6, in_training: 3, flagged: 1 },
        points: points.map(([value, word]) => ({ value, verdict: word })),
      },
    ],
  });
  const { stdout } = await project.plinth('check', '--backtest', '--pack', 'series_dq');
  expect(stdout).toMatch(/6 values, 3 of them training, 1 flagged[\s\S]*2025-01-09T06:00:00Z\t500\t/);
  expect(await project.json('check', '--backtest', '--pack', 'none')).toMatchObject({
    code: 2,
    error: { code: 'dq.unknown-pack' },
  });
});
