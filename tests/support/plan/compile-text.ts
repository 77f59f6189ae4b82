import { type CompiledProject, compileProject } from '../../../src/compiler/resolve/compile-project.ts';
import type { Project } from '../../../src/domain/project.ts';
import type { Diagnostic } from '../../../src/foundation/diagnostics/diagnostic.ts';
import { hash128 } from '../../../src/foundation/hash128.ts';

/** Compiles a project that is written down in a test: files by path, nothing on disk. Errors fail the test unless expected. */
export async function compileText(
  files: Readonly<Record<string, string>>,
  options: { readonly environment?: string; readonly mayHaveErrors?: boolean } = {},
): Promise<CompiledProject> {
  const all = new Map(Object.entries(files));
  const rooms = new Map<string, ReadonlyMap<string, string>>();
  const isSeed = (path: string): boolean => path.startsWith('seeds/');
  const compiled = await compileProject({
    folderName: 'test',
    files: new Map([...all].filter(([path]) => !isSeed(path))),
    seedPaths: [...all.keys()].filter(isSeed),
    problems: [],
    variables: {},
    gateway: undefined,
    environment: options.environment ?? 'prod',
    source: {
      list: async () => ({ files: [], problems: [] }),
      read: async () => ({ files: new Map(), problems: [] }),
      digest: async (path) => {
        const text = all.get(path);
        return text === undefined
          ? { path, kind: 'unreadable', detail: 'not there' }
          : { hash: hash128(text), head: text };
      },
    },
    cache: {
      readAll: async (room) => rooms.get(room) ?? new Map(),
      replaceAll: async (room, entries) => void rooms.set(room, entries),
    },
    userCode: {
      functions: async () => ({ functions: [], problems: [] }),
      call: async () => {
        throw new Error('no user code in these tests');
      },
      close: async () => {},
    },
  });
  const errors = compiled.diagnostics.filter(({ severity }: Diagnostic) => severity === 'error');
  if (options.mayHaveErrors !== true && errors.length > 0)
    throw new Error(errors.map(({ code, message }) => `${code}: ${message}`).join('\n'));
  return compiled;
}

/** The text of a model file. */
export function modelFile(name: string, kind: string, query: string, properties = ''): string {
  return `MODEL (name ${name}, kind ${kind}${properties === '' ? '' : `, ${properties}`});\n${query}`;
}

/** A project of models given by name as `[kind, query, properties]`. */
export async function projectOf(
  models: Readonly<Record<string, readonly [kind: string, query: string, properties?: string]>>,
  more: Readonly<Record<string, string>> = {},
): Promise<Project> {
  const files = Object.entries(models).map(([name, [kind, query, properties]]) => [
    `models/${name}.sql`,
    modelFile(name, kind, query, properties),
  ]);
  return (await compileText({ ...Object.fromEntries(files), ...more })).project;
}
