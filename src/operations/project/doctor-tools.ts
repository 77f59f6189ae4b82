import type { Workspace } from '../workspace.ts';

/** What the doctor cannot find out by itself: versions, and how to run another program. */
export interface DoctorTools {
  readonly nodeVersion: string;
  readonly platform: string;
  /** Of the operating system. */
  readonly release: string;
  /** Runs a program and returns what it printed; undefined when it is not there or fails. */
  readonly output: (command: string, args: readonly string[]) => Promise<string | undefined>;
  /** Undefined where there is no project folder. */
  readonly workspace: Workspace | undefined;
  readonly folder: string;
}
