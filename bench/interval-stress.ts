import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, measureSeries, type Summary } from './measure.ts';

/** A no-op plan over very many intervals, beside a command that only loads the same project. */
export interface StressResult {
  readonly name: string;
  readonly plan: Summary;
  readonly load: Summary;
  /** What the plan takes beyond loading. */
  readonly aboveLoadMs: number;
  readonly aboveLoadMb: number | null;
}

const PLINTH = join(import.meta.dirname, '..', 'bin', 'plinth');
const NOW = '2026-01-01T00:02:00Z';

const SHAPES = [
  {
    name: '5-minute cron, 5 years, 100 models',
    models: 100,
    cron: '*/5 * * * *',
    start: '2021-01-01',
    unit: 'TIMESTAMP',
  },
  { name: 'daily, 10 years, 1,000 models', models: 1000, cron: '@daily', start: '2016-01-01', unit: 'DATE' },
] as const;

/** Writes, applies (empty backfill) and measures both projects; tells what it has after each. */
export async function measureStress(
  work: string,
  tell: (found: readonly StressResult[]) => void,
): Promise<readonly StressResult[]> {
  const results: StressResult[] = [];
  for (const { name, models, cron, start, unit } of SHAPES) {
    process.stderr.write(`[plan] interval stress: ${name}\n`);
    const folder = join(work, `stress-${process.pid}-${models}`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'models'), { recursive: true });
    writeFileSync(join(folder, 'config.yaml'), 'name: stress\nmodel_defaults: {dialect: duckdb}\n');
    for (let i = 0; i < models; i++)
      writeFileSync(
        join(folder, 'models', `m${i}.sql`),
        `MODEL (name s.m${i}, kind INCREMENTAL_BY_TIME_RANGE (time_column at), cron '${cron}', start '${start}');\nSELECT CAST(@start_ts AS ${unit}) AS at, ${i} AS n\n`,
      );
    const command = (...args: readonly string[]): Command => ({
      program: PLINTH,
      args: [...args, '--json', '--execution-time', NOW],
      cwd: folder,
    });
    await measureSeries(1, command('plan', '--yes', '--empty-backfill'));
    const load = await measureSeries(5, command('info'));
    const plan = await measureSeries(5, command('plan'), undefined, ({ stdout }) => {
      const { data } = JSON.parse(stdout.trim().split('\n').at(-1)!) as {
        data: { missing: unknown[]; changes: unknown[] };
      };
      if (data.missing.length + data.changes.length > 0) throw new Error('the plan is not a no-op');
    });
    results.push({
      name,
      plan,
      load,
      aboveLoadMs: Math.round(plan.medianMs - load.medianMs),
      aboveLoadMb:
        plan.peakRssMb === null || load.peakRssMb === null ? null : plan.peakRssMb - load.peakRssMb,
    });
    tell(results);
  }
  return results;
}
