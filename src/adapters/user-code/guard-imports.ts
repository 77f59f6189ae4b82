/**
 * Keeps the code of one thread inside its folder, whatever way it imports: computed names, `require`, data URLs.
 *
 *   entry ─▶ its folder is noted ─▶ each import of a noted file must lie in that folder, and is noted with it
 *
 * A user who runs a project runs its code; this is not a sandbox. It keeps what macros can reach the same as what their hash covers.
 */
import { realpathSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Names of places; all others (packages, `node:`, data URLs) are outside without looking. */
const PLACE = /^(?:\.|\/|file:)/;

/** Installs the guard in this thread and gives the one way to import a file of a folder of the project. */
export function guardImports(
  projectFolder: string,
): (path: string, folder: string, version: string) => Promise<Record<string, unknown>> {
  const entries = new Map<string, string>();
  const folderOf = new Map<string, string>();
  registerHooks({
    resolve(specifier, context, next) {
      const entryFolder = entries.get(specifier);
      if (entryFolder !== undefined) {
        const resolved = next(specifier, context);
        folderOf.set(resolved.url, entryFolder);
        return resolved;
      }
      const folder = folderOf.get(context.parentURL ?? '');
      if (specifier === 'plinth' || specifier.startsWith('plinth/'))
        throw new Error(`only types can be imported from ${specifier}; write import type`);
      const resolved = PLACE.test(specifier) ? next(specifier, context) : undefined;
      if (folder === undefined || resolved === undefined || !isInside(projectFolder, folder, resolved.url))
        throw new Error(`${specifier} lies outside ${folder ?? 'the folder'}/`);
      folderOf.set(resolved.url, folder);
      return resolved;
    },
  });
  // Ways to the modules of Node that no import passes.
  for (const name of ['getBuiltinModule', 'binding', '_linkedBinding', 'dlopen'])
    Object.defineProperty(process, name, { value: undefined });
  return async (path, folder, version) => {
    const url = `${pathToFileURL(path).href}?${version}`;
    entries.set(url, folder);
    try {
      return (await import(url)) as Record<string, unknown>;
    } finally {
      entries.delete(url);
    }
  };
}

function isInside(projectFolder: string, folder: string, url: string): boolean {
  if (!url.startsWith('file:')) return false;
  return realpathSync(fileURLToPath(url)).startsWith(realpathSync(join(projectFolder, folder)) + sep);
}
