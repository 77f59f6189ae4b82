import { type Ended, envelope, runPlinth, type TemporaryProject, temporaryProject } from './run-plinth.ts';
import { TINY_PROJECT } from './tiny-project.ts';

/** A temporary project that is planned and run through the real program, at a fixed execution time. */
export interface PlannedProject extends TemporaryProject {
  /** Runs a command in the project; `now` counts as the execution time from then on. */
  plinth(...args: readonly string[]): Promise<Ended>;
  /** The same with `--json`; the envelope and the exit code. */
  json(...args: readonly string[]): Promise<ReturnType<typeof envelope> & { readonly code: number | null }>;
  /** Rows of a query, as lists. */
  rows(sql: string, environment?: string): Promise<readonly (readonly unknown[])[]>;
  now(time: string): void;
}

export function plannedProject(
  files: Readonly<Record<string, string>> = TINY_PROJECT,
  time = '2025-01-04',
): PlannedProject {
  const project = temporaryProject(files);
  let executionTime = time;
  const plinth = (...args: readonly string[]): Promise<Ended> =>
    runPlinth(args, { cwd: project.folder, variables: { PLINTH_NOW: executionTime } });
  return {
    ...project,
    plinth,
    async json(...args) {
      const ended = await plinth(...args, '--json');
      return { ...envelope(ended), code: ended.code };
    },
    async rows(sql, environment = 'prod') {
      const ended = await plinth('query', '--env', environment, '--format', 'json', '--sql', sql);
      if (ended.code !== 0) throw new Error(`${sql}\n${ended.stdout}${ended.stderr}`);
      return (JSON.parse(ended.stdout) as { rows: readonly (readonly unknown[])[] }).rows;
    },
    now(next) {
      executionTime = next;
    },
  };
}
