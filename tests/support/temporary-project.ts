import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type LoadedWorkspace, loadProject } from '../../src/operations/project/load-project.ts';
import { openWorkspace } from '../../src/operations/workspace.ts';

/** A project folder of a test: written, changed and loaded like a user's. */
export interface TemporaryProject {
  readonly folder: string;
  write(files: Readonly<Record<string, string | Buffer>>): void;
  remove(path: string): void;
  /** A busy machine must not make a macro seem endless, so the limit on users' code is generous unless it is what is tested. */
  load(variables?: Readonly<Record<string, string>>, userCodeMs?: number): Promise<LoadedWorkspace>;
  delete(): void;
}

export function temporaryProject(files: Readonly<Record<string, string | Buffer>>): TemporaryProject {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-project-'));
  const project: TemporaryProject = {
    folder,
    write(more) {
      for (const [path, text] of Object.entries(more)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
    },
    remove: (path) => rmSync(join(folder, path)),
    async load(variables = {}, userCodeMs = 30_000) {
      const workspace = openWorkspace({ folder, variables, executionTime: Date.UTC(2026, 0, 2), userCodeMs });
      try {
        return await loadProject(workspace);
      } finally {
        await workspace.close();
      }
    },
    delete: () => rmSync(folder, { recursive: true, force: true }),
  };
  project.write(files);
  return project;
}
