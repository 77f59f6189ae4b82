/** Plans and runs, one after the other, as a person at the command line would start them beside a server. */
import type { PlannedProject } from '../e2e/planned-project.ts';

const HOUR_MS = 3_600_000;
export const FIRST_HOUR = Date.UTC(2025, 5, 15);

export interface BuildReport {
  readonly plans: number;
  readonly runs: number;
  /** Those that did not end well, the first ones. */
  readonly failed: readonly string[];
}

/** Until `isOver`; at least one plan and one run. */
export async function build(project: PlannedProject, isOver: () => boolean): Promise<BuildReport> {
  const failed: string[] = [];
  let plans = 0;
  let runs = 0;
  const command = async (...args: readonly string[]): Promise<void> => {
    const { code, stdout, stderr } = await project.plinth(...args);
    if (code !== 0 && failed.length < 10)
      failed.push(`${args.join(' ')}: ${code} ${stdout.slice(-600)} ${stderr.slice(-600)}`);
  };
  while (runs === 0 || !isOver()) {
    await command('plan', '--yes', '--restate-model', 'marts.rebuilt');
    plans++;
    runs++;
    project.now(new Date(FIRST_HOUR + runs * HOUR_MS).toISOString());
    await command('run');
  }
  return { plans, runs, failed };
}

/** What the warehouse has after that many runs, in the words of `wantedRows`. */
export async function builtRows(project: PlannedProject): Promise<unknown> {
  return project.rows(
    'SELECT (SELECT count(*) FROM marts.hours)::INTEGER AS hours, (SELECT sum(orders)::INTEGER FROM marts.rebuilt) AS orders',
  );
}

/** The model begins on 14 June. */
export const wantedRows = (runs: number, orders: number): unknown => [[24 + runs, orders]];
