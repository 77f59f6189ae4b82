import { afterEach, expect, test } from 'vitest';
import { temporaryProject } from '../../../tests/support/temporary-project.ts';
import type { Plan } from '../../domain/plan.ts';
import type { Run, RunEvent } from '../../domain/run.ts';
import { openWorld } from '../open-world.ts';
import { loadProject } from '../project/load-project.ts';
import { openWorkspace } from '../workspace.ts';
import { apply } from './apply.ts';
import { NO_OPTIONS } from './diff.ts';
import { type DueWork, dueWork } from './due-work.ts';
import { plan } from './plan.ts';
import { run } from './run.ts';

const project = temporaryProject({
  'config.yaml': 'gateways:\n  local:\n    connection: {type: duckdb, database: w.duckdb}\n',
  'models/a.sql': `MODEL (
  name m.a,
  kind INCREMENTAL_BY_TIME_RANGE (time_column d, auto_restatement_cron '0 12 * * *', auto_restatement_intervals 2),
  start '2025-01-01'
);
SELECT CAST(@start_ds AS DATE) AS d
`,
  'models/v.sql': 'MODEL (name m.v, kind VIEW);\nSELECT 1 AS x\n',
});
afterEach(() => project.delete());

const at = (hour: number): number => Date.UTC(2025, 0, 4, hour);

async function ended(work: AsyncGenerator<RunEvent, Run>): Promise<void> {
  for (;;) {
    const next = await work.next();
    if (next.done !== true) continue;
    expect(next.value.error).toBeUndefined();
    return;
  }
}

async function planAt(hour: number): Promise<void> {
  const workspace = openWorkspace({ folder: project.folder, variables: {}, executionTime: at(hour) });
  try {
    const world = openWorld(workspace);
    const request = { world, environment: 'prod', options: NO_OPTIONS };
    const planned = await plan(workspace, await loadProject(workspace), request);
    await ended(apply(await world, planned.plan as Plan, { who: 'test' }));
  } finally {
    await workspace.close();
  }
}

/** What is due at an hour, after it was done. */
async function runAt(hour: number, selection?: string): Promise<DueWork> {
  const executionTime = at(hour);
  const workspace = openWorkspace({ folder: project.folder, variables: {}, executionTime });
  try {
    const world = await openWorld(workspace);
    const due = await dueWork(world, {
      environment: 'prod',
      executionTime,
      ...(selection === undefined ? {} : { selection }),
    });
    await ended(run(world, due, { who: 'test' }));
    return due;
  } finally {
    await workspace.close();
  }
}

test('neither a plan nor a run of selected models takes a tick of automatic restatement away', async () => {
  await planAt(0);
  project.write({ 'models/v.sql': 'MODEL (name m.v, kind VIEW);\nSELECT 2 AS x\n' });
  await planAt(13);
  expect((await runAt(14, 'm.v')).missing).toEqual([]);
  const { missing } = await runAt(15);
  expect(missing.map(({ model }) => model)).toEqual(['m.a']);
  expect((await runAt(16)).missing).toEqual([]);
});
