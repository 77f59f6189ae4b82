import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import { join, sep } from 'node:path';

const TEXT_BYTES_MAX = 8 * 1024 * 1024;

/** Paths of the code files below a folder of the project, sorted. Links that leave the project are not followed; the file source reports them. */
export function sourceFiles(projectFolder: string, folder: string): readonly string[] {
  const found: string[] = [];
  const visited = new Set<string>();
  const visit = (path: string): void => {
    const real = realPathInside(projectFolder, path);
    if (real === undefined || visited.has(real)) return;
    visited.add(real);
    for (const entry of entriesOf(real)) {
      if (entry.name === 'node_modules' || entry.name.startsWith('.')) continue;
      const inside = `${path}/${entry.name}`;
      // A link is either; reading it as the other finds nothing.
      if (entry.isDirectory() || entry.isSymbolicLink()) visit(inside);
      if ((entry.isFile() || entry.isSymbolicLink()) && isCode(entry.name)) found.push(inside);
    }
  };
  visit(folder);
  return found.sort();
}

const isCode = (name: string): boolean =>
  /\.(?:ts|js|mjs|mts)$/.test(name) && !/\.(?:test|d)\.\w+$/.test(name);

function entriesOf(real: string): readonly Dirent[] {
  try {
    return readdirSync(real, { withFileTypes: true });
  } catch {
    // The folder is optional, and what cannot be listed has no code for us.
    return [];
  }
}

/** The text of a code file; undefined when it is not a readable regular file of the project. Never blocks, as reading a pipe would. */
export function readSource(projectFolder: string, path: string): string | undefined {
  const real = realPathInside(projectFolder, path);
  if (real === undefined) return undefined;
  try {
    const file = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const stats = fstatSync(file);
      return stats.isFile() && stats.size <= TEXT_BYTES_MAX ? readFileSync(file, 'utf8') : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    // Reported by the file source, which reads the same folder.
    return undefined;
  }
}

function realPathInside(projectFolder: string, path: string): string | undefined {
  try {
    const root = realpathSync(projectFolder);
    const real = realpathSync(join(projectFolder, path));
    return real.startsWith(root + sep) ? real : undefined;
  } catch {
    // It does not exist, or its links go in a circle.
    return undefined;
  }
}
