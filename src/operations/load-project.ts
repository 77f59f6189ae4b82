import type { LoadedProject } from '../domain/project.ts';
import type { Workspace } from './workspace.ts';

/** A project as loaded by a command: with the texts its diagnostics point into, and how much of it had to be compiled. */
export interface LoadedWorkspace extends LoadedProject {
  readonly sources: ReadonlyMap<string, string>;
  readonly work: { readonly files: number; readonly analyzed: number; readonly resolved: number };
}

/** Reads, loads and resolves the whole project. Wrong files become diagnostics; only an unreadable folder is thrown. */
export async function loadProject(workspace: Workspace): Promise<LoadedWorkspace> {
  throw new Error(`being built: ${workspace.folder}`);
}
