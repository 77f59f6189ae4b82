/** What the world does to plans and runs: full disks, wrong values, tables that must not lose columns, Ctrl-C, schedulers. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from '../e2e/planned-project.ts';
import { envelope, runPlinth } from '../e2e/run-plinth.ts';
import { orders, TINY_PROJECT } from '../e2e/tiny-project.ts';
import { IS_LONG } from '../support/long-form.ts';

const COUNTS = 'SELECT COUNT(*)::INTEGER, SUM(amount)::INTEGER FROM staging.orders';
const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0).reverse()) close();
});

async function built(files: Readonly<Record<string, string>> = TINY_PROJECT): Promise<PlannedProject> {
  const project = plannedProject(files);
  open.push(() => project.remove());
  const ended = await project.plinth('plan', '--yes');
  expect(ended.code, ended.stderr).toBe(0);
  return project;
}

describe('values', () => {
  test('of the wrong type fail the run, name the value, and change nothing', async () => {
    const project = await built();
    project.write('data/orders.csv', orders(10).replace('9,2025-01-05,EU,10', '9,2025-01-05,EU,many'));
    project.now('2025-01-06');
    expect(await project.json('run')).toMatchObject({
      code: 1,
      ok: false,
      error: { code: 'engine.type-mismatch', message: expect.stringContaining('many') },
    });
    expect(await project.rows(COUNTS)).toEqual([[6, 90]]);
  });
  test('of a time column that the query does not return are an error of the file', async () => {
    const project = plannedProject({
      ...TINY_PROJECT,
      'models/orders.sql': (TINY_PROJECT['models/orders.sql'] as string).replace(
        'time_column day',
        'time_column dag',
      ),
    });
    open.push(() => project.remove());
    const answer = await project.json('plan', '--yes');
    expect(answer).toMatchObject({
      code: 2,
      ok: false,
      error: { code: 'model.unknown-column-in-block', file: 'models/orders.sql', line: 3 },
    });
  });
});

describe('a table that is kept', () => {
  const model = (columns: string): string =>
    `MODEL (name kept.days, kind INCREMENTAL_BY_TIME_RANGE (time_column day, forward_only true));
SELECT ${columns} FROM READ_CSV('data/orders.csv', header = true, all_varchar = true) WHERE day BETWEEN @start_ds AND @end_ds
`;
  test('loses a column only when that is allowed by name; a rollback over it is refused', async () => {
    const files = {
      'config.yaml': TINY_PROJECT['config.yaml'] as string,
      'data/orders.csv': TINY_PROJECT['data/orders.csv'] as string,
      'models/days.sql': model('day::DATE AS day, region, amount::INTEGER AS amount'),
    };
    const project = await built(files);
    project.write('models/days.sql', model('day::DATE AS day, amount::INTEGER AS amount'));
    const refused = await project.json('plan', '--yes');
    expect(refused, JSON.stringify(refused)).toMatchObject({
      code: 2,
      ok: false,
      error: {
        code: 'plan.destructive-change',
        message: expect.stringContaining('region'),
      },
    });
    expect(await project.rows('SELECT COUNT(region)::INTEGER FROM kept.days')).toEqual([[6]]);
    const allowed = await project.json('plan', '--yes', '--allow-destructive-model', 'kept.days');
    expect(allowed, JSON.stringify(allowed)).toMatchObject({ code: 0, data: { applied: true } });
    expect(await project.rows('SELECT COUNT(*)::INTEGER FROM kept.days')).toEqual([[6]]);
    expect((await project.json('query', '--sql', 'SELECT region FROM kept.days')).code).toBe(1);
    const back = await project.json('rollback', '--yes');
    expect(back, JSON.stringify(back)).toMatchObject({
      code: 2,
      ok: false,
      error: { code: 'plan.cannot-roll-back' },
    });
  });
});

// Making a small disk needs the right to mount; keeper.test.ts fills one in another way.
const CAN_MOUNT = ((): boolean => {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
})();

function smallDisk(size: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-small-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  // The keeper may still have the database open for a moment.
  open.push(() => execFileSync('umount', ['-l', folder]));
  return folder;
}

describe('a disk', () => {
  test.runIf(CAN_MOUNT)('that is full fails the plan, and what was there is still shown', async () => {
    const project = await built();
    const small = smallDisk('6m');
    cpSync(project.folder, small, { recursive: true, filter: (path) => !/duckdb|\.plinth/.test(path) });
    const inSmall = (...args: readonly string[]) =>
      runPlinth([...args], { cwd: small, variables: { PLINTH_NOW: '2025-01-04' } });
    expect((await inSmall('plan', '--yes')).code).toBe(0);
    execFileSync('sed', [
      '-i',
      's/COUNT(\\*) AS orders/COUNT(*) AS orders, (SELECT LIST(x * 7919 % 1000003) FROM RANGE(3000000) AS t(x)) AS big/',
      join(small, 'models/revenue.sql'),
    ]);
    const full = await inSmall('plan', '--yes', '--json');
    expect(full.code).toBe(1);
    expect(envelope(full).error).toMatchObject({ code: 'engine.disk-full' });
    const rows = await inSmall(
      'query',
      '--format',
      'csv',
      '--sql',
      'SELECT region, revenue::INTEGER AS revenue FROM marts.revenue ORDER BY region',
    );
    expect(rows.stdout).toBe('region,revenue\nEU,30\nUS,60\n');
  });
});

describe('Ctrl-C', () => {
  const SLOW = {
    ...TINY_PROJECT,
    'models/slow.sql': `MODEL (name marts.slow, kind FULL);
SELECT COUNT(*) AS n FROM staging.orders AS o CROSS JOIN RANGE(100000) AS a(x) CROSS JOIN RANGE(100000) AS b(y) WHERE o.order_id + x * y % 7 = -1
`,
  };
  async function interrupted(
    signals: number,
  ): Promise<{ code: number | null; error: unknown; stderr: string; project: PlannedProject }> {
    const project = plannedProject(SLOW);
    open.push(() => project.remove());
    const ended = await runPlinth(['plan', '--yes', '--json'], {
      cwd: project.folder,
      variables: { PLINTH_NOW: '2025-01-04' },
      meanwhile: (child) => {
        let sent = 0;
        child.stdout?.on('data', (chunk: Buffer) => {
          if (sent > 0 || !chunk.toString().includes('"model":"marts.slow"')) return;
          const send = (): void => {
            child.kill('SIGINT');
            if (++sent < signals) setTimeout(send, 500);
          };
          send();
        });
      },
    });
    return { code: ended.code, error: envelope(ended).error, stderr: ended.stderr, project };
  }
  test('twice gives up what runs; nothing of it is shown, and the next plan goes on', async () => {
    const { code, stderr, project } = await interrupted(2);
    expect(code).toBe(130);
    expect(stderr).toMatch(/Nothing new is begun; finishing marts\.slow[\w., ]*\. Ctrl-C again cancels it\./);
    expect((await project.json('environments')).data).toEqual({ environments: [] });
    project.write('models/slow.sql', '');
    const next = await project.json('plan', '--yes');
    expect(next, JSON.stringify(next)).toMatchObject({ code: 0, data: { applied: true } });
    expect(await project.rows(COUNTS)).toEqual([[6, 90]]);
  });
});

describe('a worker', () => {
  test('runs what is due once, and then nothing', async () => {
    const project = await built();
    project.now('2025-01-06');
    const first = await project.json('worker', '--once');
    expect(first).toMatchObject({ code: 0, data: { runs: [{ environment: 'prod', status: 'succeeded' }] } });
    expect(await project.rows(COUNTS)).toEqual([[10, 150]]);
    expect((await project.json('worker', '--once')).data).toMatchObject({ runs: [] });
  });
  test('stays until it is stopped, and ends in order', async () => {
    const project = await built();
    const ended = await runPlinth(['worker', '--json'], {
      cwd: project.folder,
      meanwhile: (child) => {
        child.stdout?.on('data', (chunk: Buffer) => {
          if (chunk.toString().includes('scheduler.run-finished')) child.kill('SIGTERM');
        });
      },
    });
    expect(ended.code, ended.stderr).toBe(0);
    const events = ended.stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { event?: string }).event);
    expect(events).toEqual(
      expect.arrayContaining(['scheduler.leading', 'scheduler.run-started', 'scheduler.stopped']),
    );
    expect(await project.rows('SELECT COUNT(*)::INTEGER FROM staging.orders')).toEqual([[20]]);
  });
  test.runIf(CAN_MOUNT && IS_LONG)(
    'tries again soon after the disk was full, not at the next tick',
    async () => {
      const small = smallDisk('48m');
      const project = plannedProject({
        'config.yaml': TINY_PROJECT['config.yaml'] as string,
        'models/big.sql': `MODEL (name s.big, kind FULL);
SELECT md5(x::TEXT) AS a FROM range(CASE WHEN @end_ds > '2025-01-03' THEN 300000 ELSE 1 END) AS t(x)
`,
      });
      open.push(() => project.remove());
      cpSync(project.folder, small, { recursive: true });
      const planned = await runPlinth(['plan', '--yes'], {
        cwd: small,
        variables: { PLINTH_NOW: '2025-01-04' },
      });
      expect(planned.code, planned.stderr).toBe(0);
      const ballast = join(small, 'ballast');
      const { bavail, bsize } = statfsSync(small);
      // Enough for the state, and not for the model.
      writeFileSync(ballast, Buffer.alloc(bavail * bsize - 3 * 1024 ** 2));
      let output = '';
      const ended = await runPlinth(['worker', '--json'], {
        cwd: small,
        meanwhile: (child) => {
          child.stdout?.on('data', (chunk: Buffer) => {
            output += chunk.toString();
            if (output.includes('"retry_at":"')) rmSync(ballast, { force: true });
            if (!/scheduler.run-finished.*succeeded/.test(output)) return;
            output = '';
            child.kill('SIGTERM');
          });
        },
      });
      expect(ended.code, ended.stdout + ended.stderr).toBe(0);
      expect(ended.stdout).toContain('engine.disk-full');
    },
  );
});

const DEPTH = IS_LONG ? 500 : 120;

describe('views', () => {
  test('hundreds over one another are built and answer', async () => {
    const view = (depth: number): readonly [string, string] => [
      `models/v${depth}.sql`,
      `MODEL (name s.v${depth}, kind VIEW);\nSELECT a FROM s.v${depth - 1}\n`,
    ];
    const project = await built({
      'config.yaml': TINY_PROJECT['config.yaml'] as string,
      'models/v0.sql': 'MODEL (name s.v0, kind FULL);\nSELECT 1 AS a\n',
      ...Object.fromEntries(Array.from({ length: DEPTH }, (_, index) => view(index + 1))),
    });
    expect(await project.rows(`SELECT a FROM s.v${DEPTH}`)).toEqual([[1]]);
  });
});

describe('signals', () => {
  test('hold back what they do not let through, and say so', async () => {
    const project = await built({
      ...TINY_PROJECT,
      'models/orders.sql': (TINY_PROJECT['models/orders.sql'] as string).replace(
        '  grain order_id,',
        "  grain order_id,\n  signals (delivered(until := '2025-01-06T00:00:00.000Z')),",
      ),
      // Arguments are SQL texts, as those of macros.
      'signals/delivered.ts': `export function delivered(ranges: [string, string][], given: { until: string }): [string, string][] {
  const until = given.until.replaceAll("'", '');
  return ranges.map(([start, end]) => [start, end < until ? end : until]);
}
`,
    });
    project.now('2025-01-08');
    const ran = await project.json('run');
    expect(ran, JSON.stringify(ran)).toMatchObject({ code: 0 });
    expect(ran.data?.['waiting']).toEqual(
      expect.arrayContaining([expect.objectContaining({ model: 'staging.orders' })]),
    );
    expect(await project.rows('SELECT MAX(day)::VARCHAR FROM staging.orders')).toEqual([['2025-01-05']]);
    project.write('signals/delivered.ts', 'export function delivered(): number {\n  return 42;\n}\n');
    // A run asks the signal as it was applied; a plan sees that it changed.
    const asBefore = await project.json('run');
    expect(asBefore).toMatchObject({ code: 0, diagnostics: [], data: { ignored_edits: ['staging.orders'] } });
    expect((await project.json('plan', '--yes')).data).toMatchObject({
      changes: [{ name: 'staging.orders', change: 'metadata' }],
    });
    const odd = await project.json('run');
    expect(odd.code).toBe(0);
    expect(odd.diagnostics).toEqual(
      expect.arrayContaining([expect.objectContaining({ code: 'cli.signal-failed' })]),
    );
  });
});

describe('the shop', () => {
  test('holds three orders back, publishes the rest, and both together are what came in', {
    timeout: 300_000,
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plinth-shop-'));
    open.push(() => rmSync(folder, { recursive: true, force: true }));
    const shop = join(folder, 'shop');
    expect((await runPlinth(['init', shop])).code).toBe(0);
    const at = { cwd: shop, variables: { PLINTH_NOW: '2026-01-02' } };
    const planned = await runPlinth(['plan', '--yes', '--json'], at);
    expect(planned.code, planned.stdout.slice(-2000)).toBe(0);
    const models = (envelope(planned).data?.['models'] ?? []) as {
      name: string;
      balance?: unknown;
      audits: unknown[];
    }[];
    expect(models.find(({ name }) => name === 'staging.orders')).toMatchObject({
      balance: { input: 24_153, published: 24_150, quarantined: 3 },
      audits: expect.arrayContaining([
        expect.objectContaining({ name: 'valid_channel', status: 'quarantined', failed_rows: 3 }),
      ]),
    });
    const sql = 'SELECT COUNT(*)::INTEGER, COUNT(DISTINCT channel)::INTEGER FROM marts.orders';
    expect(
      JSON.parse((await runPlinth(['query', '--format', 'json', '--sql', sql], at)).stdout).rows,
    ).toEqual([[24_150, 3]]);
    expect(envelope(await runPlinth(['plan', '--json'], at)).data).toMatchObject({
      changes: [],
      missing: [],
      stages: [],
    });
  });
});
