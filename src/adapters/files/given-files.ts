import {
  createReadStream,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { failure } from '../../domain/failure.ts';
import type { GivenFiles } from '../../domain/given-files.ts';

export const givenFiles: GivenFiles = {
  text: (path) => read(path, () => readFileSync(path, 'utf8')),
  bytes: (path, shownAs = path) => read(shownAs, () => readFileSync(path)),
  texts(path, endings) {
    if (!read(path, () => statSync(path)).isDirectory()) return [{ path, text: textOf(path) }];
    return filesBelow(path, endings)
      .sort()
      .map((file) => ({ path: file, text: textOf(file) }));
  },
  async *lines(path) {
    const input = path === undefined ? process.stdin : createReadStream(path);
    try {
      yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    } catch (cause) {
      throw cannotRead(path ?? 'standard input', cause);
    }
  },
  write(path, bytes) {
    const beside = `${path}.${process.pid}.part`;
    try {
      if (existsSync(path) && !statSync(path).isFile()) {
        writeFileSync(path, bytes);
        return;
      }
      writeFileSync(beside, bytes);
      renameSync(beside, path);
    } catch (cause) {
      rmSync(beside, { force: true });
      throw failure('cli.cannot-write', { path, detail: (cause as Error).message }, { cause });
    }
  },
};

/** What other tools install or generate; its files are not the author's. */
const NOT_WRITTEN = new Set(['node_modules', 'target', 'dbt_packages', 'dbt_modules', 'venv', 'logs']);
const FILES_MAX = 10_000;
const TEXT_BYTES_MAX = 8 * 1024 * 1024;

/** Symbolic links are not followed, so no file is met twice. */
function filesBelow(folder: string, endings: readonly string[]): string[] {
  const found: string[] = [];
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const here = next;
    for (const entry of read(here, () => readdirSync(here, { withFileTypes: true }))) {
      if (entry.name.startsWith('.') || NOT_WRITTEN.has(entry.name)) continue;
      if (entry.isDirectory()) folders.push(join(here, entry.name));
      else if (entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
        found.push(join(here, entry.name));
    }
    if (found.length > FILES_MAX)
      throw cannotRead(folder, new Error(`it has more than ${FILES_MAX} files of this kind`));
  }
  return found;
}

function textOf(path: string): string {
  if (read(path, () => statSync(path)).size > TEXT_BYTES_MAX)
    throw cannotRead(path, new Error(`it has more than ${TEXT_BYTES_MAX} bytes`));
  return read(path, () => readFileSync(path, 'utf8')).replace(/^\uFEFF/, '');
}

function read<Content>(path: string, content: () => Content): Content {
  try {
    return content();
  } catch (cause) {
    throw cannotRead(path, cause);
  }
}

const cannotRead = (path: string, cause: unknown): Error =>
  failure('cli.cannot-read', { path, detail: (cause as Error).message }, { cause });
