import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file of an example project: npm leaves `.gitignore` files out of packages, so there it is called `gitignore`. */
export interface ExampleFile {
  readonly path: string;
  readonly text: string;
}

/** What a person who worked in the example may have left there: never copied. */
const LEFT_BEHIND = /^(?:\.plinth|data)(?:\/|$)|\.duckdb(?:\.wal)?$/;

/** The files of one example that comes with the package; undefined when it was installed without. */
export function exampleFiles(name: string): readonly ExampleFile[] | undefined {
  const folder = exampleFolder(name);
  if (folder === undefined) return undefined;
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter((path) => !LEFT_BEHIND.test(path))
    .sort()
    .map((path) => ({
      path: path === 'gitignore' ? '.gitignore' : path,
      text: readFileSync(join(folder, path), 'utf8'),
    }));
}

/** Beside `src` or `dist`, however deep the bundler put this file. */
function exampleFolder(name: string): string | undefined {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, 'examples', name);
    if (existsSync(join(found, 'config.yaml'))) return found;
  }
  return undefined;
}
