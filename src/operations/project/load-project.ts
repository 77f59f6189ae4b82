import { basename } from 'node:path';
import { inspectQuery } from '../../compiler/lint/inspect-query.ts';
import { type CompiledProject, compileProject } from '../../compiler/resolve/compile-project.ts';
import { rollupModels } from '../../compiler/semantic/rollups/rollup-models.ts';
import { failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import type { Project } from '../../domain/project.ts';
import { hasErrors, sortDiagnostics } from '../../foundation/diagnostics/diagnostic.ts';
import type { Workspace } from '../workspace.ts';
import { describeFilesOf } from './describe-files.ts';

/** A project as loaded by a command: with the texts its diagnostics point into, and how much of it had to be compiled. */
export interface LoadedWorkspace extends CompiledProject {
  readonly sources: ReadonlyMap<string, string>;
  /** Models that the rollups of the project are: planned and built beside its own, in no list of them. */
  readonly rollups: readonly Model[];
}

/** Reads, loads and resolves the whole project. Wrong files become diagnostics; only a folder without a project is thrown. */
export async function loadProject(workspace: Workspace, environment = 'prod'): Promise<LoadedWorkspace> {
  const listed = await workspace.files.list();
  const isSeed = (path: string): boolean => path.startsWith('seeds/');
  const paths = listed.files.map(({ path }) => path);
  if (
    !paths.some(
      (path) =>
        path.startsWith('models/') || path.startsWith('config.') || path.startsWith('external_models'),
    )
  )
    throw failure('project.nothing-found', { folder: workspace.folder });
  if (paths.includes('dbt_project.yml') && !paths.some((path) => /^config\.ya?ml$/.test(path)))
    throw failure('project.dbt', { folder: workspace.folder });
  const read = await workspace.files.read(paths.filter((path) => !isSeed(path)));
  const compiled = await compileProject({
    folderName: basename(workspace.folder),
    files: read.files,
    seedPaths: paths.filter(isSeed),
    problems: [...listed.problems, ...read.problems],
    variables: workspace.variables,
    gateway: workspace.gateway,
    environment,
    source: workspace.files,
    cache: workspace.cache,
    userCode: workspace.userCode,
    describeFiles: describeFilesOf(workspace),
    inspectQuery,
  });
  // Excerpts of config.yaml in diagnostics must not show what it calls secret.
  workspace.secrets.noteConfig(compiled.project.config);
  const project = await withSignalHashes(compiled.project, workspace);
  // What is wrong with the definitions is reported already; rollups over them would only repeat it.
  const rollups = hasErrors(compiled.diagnostics)
    ? { models: [], diagnostics: [] }
    : await rollupModels(project, compiled.compileContext);
  return {
    ...compiled,
    project,
    diagnostics: sortDiagnostics([...compiled.diagnostics, ...rollups.diagnostics]),
    sources: read.files,
    rollups: rollups.models,
  };
}

/** The code of a signal belongs to the models that ask it: when it changes, a plan must see that. */
async function withSignalHashes(project: Project, { userCode }: Workspace): Promise<Project> {
  if (project.models.every(({ signals }) => signals.length === 0)) return project;
  const { functions } = await userCode.functions('signals');
  const hashes = new Map(functions.map(({ name, hash }) => [name.toLowerCase(), hash]));
  const models = project.models.map((model): Model => {
    if (model.signals.length === 0) return model;
    const signals = model.signals.map((signal) => {
      const hash = hashes.get(signal.name.toLowerCase());
      return hash === undefined ? signal : { ...signal, hash };
    });
    return { ...model, signals };
  });
  return { ...project, models };
}
