import type { Diagnostic } from '../../src/foundation/diagnostics/diagnostic.ts';
import { lint } from '../../src/operations/project/lint.ts';
import { loadProject } from '../../src/operations/project/load-project.ts';
import { openWorkspace } from '../../src/operations/workspace.ts';
import { marked } from '../support/marked-source.ts';
import { temporaryProject } from '../support/temporary-project.ts';

/** Texts of a project; `«…»` marks where the diagnostic must be. Without a mark it must have no place. */
export type MarkedFiles = Readonly<Record<string, string | Buffer>>;

/** What brings one code of the catalog about: a project that is loaded or linted, or something that is done. */
export type DiagnosticCase =
  | {
      readonly kind: 'project';
      readonly code: string;
      readonly files: MarkedFiles;
      readonly isLinted: boolean;
      readonly variables: Readonly<Record<string, string>>;
      readonly prepare: (folder: string) => void;
    }
  | { readonly kind: 'act'; readonly code: string; readonly run: () => Promise<string | undefined> };

interface ProjectOptions {
  readonly variables?: Readonly<Record<string, string>>;
  /** What no text can say: links, pipes. */
  readonly prepare?: (folder: string) => void;
}

/** A project that has the diagnostic when it is loaded. */
export function loading(code: string, files: MarkedFiles, options: ProjectOptions = {}): DiagnosticCase {
  const { variables = {}, prepare = () => undefined } = options;
  return { kind: 'project', code, files, isLinted: false, variables, prepare };
}

/** A project of one model file. */
export const modelFile = (code: string, text: string, more: MarkedFiles = {}): DiagnosticCase =>
  loading(code, { 'models/a.sql': text, ...more });

/** A project that has the diagnostic when its lint rules run. */
export function linting(code: string, files: MarkedFiles): DiagnosticCase {
  return { ...(loading(code, files) as DiagnosticCase & { kind: 'project' }), isLinted: true };
}

/** Something done that ends with the code; it has no place in a file. */
export const acting = (code: string, run: () => Promise<string | undefined>): DiagnosticCase => ({
  kind: 'act',
  code,
  run,
});

/** Where a diagnostic is: `file:start-end`, or `nowhere`. */
const placeOf = (at: Diagnostic['at']): string =>
  at === undefined ? 'nowhere' : `${at.file}:${at.start}-${at.end}`;

/** Places where the code was found, and the places that are marked. */
export async function placesOf(each: DiagnosticCase & { readonly kind: 'project' }): Promise<{
  readonly found: readonly string[];
  readonly expected: readonly string[];
  readonly all: string;
}> {
  const expected: string[] = [];
  const files: Record<string, string | Buffer> = {};
  for (const [file, source] of Object.entries(each.files)) {
    if (typeof source !== 'string') {
      files[file] = source;
      continue;
    }
    const { text, ranges } = marked(source);
    files[file] = text;
    expected.push(...ranges.map((range) => placeOf({ file, ...range })));
  }
  const project = temporaryProject({
    'models/healthy.sql': 'MODEL (name h.healthy);\nSELECT 1 AS id\n',
    ...files,
  });
  const workspace = openWorkspace({
    folder: project.folder,
    variables: each.variables,
    executionTime: Date.UTC(2026, 0, 2),
  });
  try {
    each.prepare(project.folder);
    const loaded = await loadProject(workspace);
    const diagnostics = each.isLinted ? (await lint(workspace, loaded)).diagnostics : loaded.diagnostics;
    const found = diagnostics.filter(({ code }) => code === each.code).map(({ at }) => placeOf(at));
    const all = diagnostics
      .map(({ code, at, message }) => {
        const text = at === undefined ? '' : (loaded.sources.get(at.file) ?? '').slice(at.start, at.end);
        return `${code} ${placeOf(at)} «${text.slice(0, 60)}» ${message.slice(0, 120)}`;
      })
      .join('\n');
    return {
      found: found.toSorted(),
      expected: (expected.length === 0 ? ['nowhere'] : expected).toSorted(),
      all,
    };
  } finally {
    await workspace.close();
    project.delete();
  }
}
