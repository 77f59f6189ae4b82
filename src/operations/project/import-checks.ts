import { isAbsolute, relative, resolve, sep } from 'node:path';
import { importDbt } from '../../compiler/quality/import/import-dbt.ts';
import { importSoda } from '../../compiler/quality/import/import-soda.ts';
import type { ForeignFile, ImportedChecks } from '../../compiler/quality/import/imported-check.ts';
import { failure } from '../../domain/failure.ts';
import type { FileWriter } from '../../domain/file-writer.ts';
import type { GivenFiles } from '../../domain/given-files.ts';
import { calledModels } from './called-models.ts';
import type { LoadedWorkspace } from './load-project.ts';

export interface ImportRequest {
  readonly tool: 'soda' | 'dbt-tests';
  readonly path: string;
  readonly as: 'checks' | 'audits';
  readonly variables: ReadonlyMap<string, string>;
  /** The models that names of tables mean. */
  readonly tables: ReadonlyMap<string, string>;
  readonly isDry: boolean;
  readonly isForced: boolean;
}

/** A file of the import, and what became of it. `kept`: there is another content, or the pack stands elsewhere, and it was left alone. */
export interface WrittenFile {
  readonly path: string;
  readonly text: string;
  readonly status: 'written' | 'would-write' | 'same' | 'kept';
}

export interface ImportReport extends Omit<ImportedChecks, 'files'> {
  readonly files: readonly WrittenFile[];
}

/** Writes checks of another tool as packs and audits of the project. Without `isForced` no file that exists is changed. */
export function importChecks(
  { given, writer }: { readonly given: GivenFiles; readonly writer: FileWriter },
  { project }: Pick<LoadedWorkspace, 'project'>,
  { tool, path, as, variables, tables, isDry, isForced }: ImportRequest,
): ImportReport {
  const files = wanted(given.texts(path, tool === 'soda' ? YAML : [...YAML, '.sql']), tool).map(
    (file): ForeignFile => ({ ...file, path: shownPath(file.path, writer.folder) }),
  );
  const { dialect } = project.config.modelDefaults;
  const world = { models: calledModels(project.models, tables), dialect, variables };
  const imported = tool === 'soda' ? importSoda(files, world) : importDbt(files, { ...world, as });
  if (imported.checks.length === 0) throw failure('dq.nothing-to-import', { path, tool });
  const places = new Map(project.dqPacks.map((pack) => [pack.name.value, pack.file]));
  const written = imported.files.map((file): WrittenFile => {
    const before = textOf(writer, file.path);
    if (before === file.text) return { ...file, status: 'same' };
    const name = /^name: "?([\w-]+)/m.exec(file.text)?.[1] ?? '';
    const isElsewhere = (places.get(name) ?? file.path) !== file.path;
    if (isElsewhere || (before !== undefined && !isForced)) return { ...file, status: 'kept' };
    if (isDry) return { ...file, status: 'would-write' };
    if (!writer.create(file.path, file.text)) writer.replace(file.path, file.text);
    return { ...file, status: 'written' };
  });
  return { ...imported, files: written };
}

const YAML = ['.yml', '.yaml'];

/** Of the SQL of a dbt project only what is below a folder tests; a file that is named itself is meant. */
function wanted(files: readonly ForeignFile[], tool: ImportRequest['tool']): readonly ForeignFile[] {
  if (tool === 'soda' || files.length === 1) return files;
  return files.filter(({ path }) => !path.endsWith('.sql') || /(?:^|[\\/])tests[\\/]/.test(resolve(path)));
}

/** As seen from the project where it lies there, else as it was given. */
function shownPath(path: string, folder: string): string {
  const inside = relative(folder, resolve(path));
  const shown = inside.startsWith('..') || isAbsolute(inside) ? path : inside;
  return shown.split(sep).join('/');
}

function textOf(writer: FileWriter, path: string): string | undefined {
  const pieces = writer.contents(path);
  return pieces === undefined ? undefined : Buffer.concat([...pieces]).toString('utf8');
}
