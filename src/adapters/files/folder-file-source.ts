import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { join, sep } from 'node:path';
import type { FileEntry, FileProblem, FileSource } from '../../domain/file-source.ts';

const TOP_FILES = new Set([
  'config.yaml',
  'config.yml',
  'config.py',
  'external_models.yaml',
  'external_models.yml',
  'schema.yaml',
  'schema.yml',
  'usage.yaml',
  'usage.yml',
  'README.md',
  'dbt_project.yml',
]);
const TOP_FOLDERS = new Set([
  'models',
  'seeds',
  'macros',
  'audits',
  'dq',
  'tests',
  'external_models',
  'linter',
  'signals',
  'materializations',
]);
const FILES_MAX = 200_000;
const TEXT_BYTES_MAX = 8 * 1024 * 1024;
const READ_AT_ONCE = 256;
const DIGEST_BYTES = 1024 * 1024;

/** Reads a project folder. Small files are read synchronously in slices: for thousands of them that is several times faster than promises. */
export function folderFileSource(folder: string): FileSource {
  const root = realpathSync(folder);
  const isInside = (real: string): boolean => real === root || real.startsWith(root + sep);

  function list(): { files: FileEntry[]; problems: FileProblem[] } {
    const files: FileEntry[] = [];
    const problems: FileProblem[] = [];
    const visited = new Set<string>();
    const visit = (relative: string, isTop: boolean): void => {
      const real = realpathSync.native(join(root, relative));
      if (visited.has(real)) return;
      visited.add(real);
      const entries = readdirSync(join(root, relative), { withFileTypes: true }).sort((a, b) =>
        a.name < b.name ? -1 : 1,
      );
      for (const entry of entries) {
        const path = relative === '' ? entry.name : `${relative}/${entry.name}`;
        if (entry.name.startsWith('.') || entry.name === 'node_modules' || entry.name === '__pycache__')
          continue;
        if (isTop && !TOP_FILES.has(entry.name) && !TOP_FOLDERS.has(entry.name)) continue;
        if (files.length >= FILES_MAX) {
          problems.push({ path, kind: 'unreadable', detail: `a project has at most ${FILES_MAX} files` });
          return;
        }
        try {
          if (entry.isSymbolicLink() && !isInside(realpathSync.native(join(root, path)))) {
            problems.push({ path, kind: 'escapes-project', detail: 'a symbolic link' });
            continue;
          }
          const stats = statSync(join(root, path));
          if (isTop && stats.isDirectory() !== TOP_FOLDERS.has(entry.name))
            problems.push({
              path,
              kind: 'unreadable',
              detail: stats.isDirectory() ? 'it is a folder' : 'it is not a folder',
            });
          else if (stats.isDirectory()) visit(path, false);
          else if (stats.isFile()) files.push({ path, size: stats.size });
          else problems.push({ path, kind: 'unreadable', detail: NOT_A_FILE });
        } catch (error) {
          problems.push({ path, kind: 'unreadable', detail: reason(error) });
        }
      }
    };
    visit('', true);
    return { files, problems };
  }

  function readOne(path: string): string | FileProblem {
    try {
      const real = realpathSync.native(join(root, path));
      if (!isInside(real)) return { path, kind: 'escapes-project', detail: 'the path leaves the project' };
      const bytes = readBytes(real, TEXT_BYTES_MAX);
      if (typeof bytes === 'number') return { path, kind: 'too-large', detail: String(bytes) };
      if (!isUtf8(bytes))
        return { path, kind: 'not-utf8', detail: `byte ${firstBadByte(bytes)} begins no character` };
      const text = bytes.toString('utf8');
      return withoutMark(text);
    } catch (error) {
      return { path, kind: 'unreadable', detail: reason(error) };
    }
  }

  return {
    list: async () => list(),
    async read(paths) {
      const files = new Map<string, string>();
      const problems: FileProblem[] = [];
      for (let i = 0; i < paths.length; i++) {
        const path = paths[i] as string;
        const text = readOne(path);
        if (typeof text === 'string') files.set(path, text);
        else problems.push(text);
        if (i % READ_AT_ONCE === READ_AT_ONCE - 1) await new Promise(setImmediate);
      }
      return { files, problems };
    },
    async digest(path, headBytes) {
      try {
        const real = realpathSync.native(join(root, path));
        if (!isInside(real)) return { path, kind: 'escapes-project', detail: 'the path leaves the project' };
        const sha = createHash('sha256');
        const fd = openRegular(real);
        for await (const chunk of createReadStream(real, { fd, highWaterMark: DIGEST_BYTES }))
          sha.update(chunk as Buffer);
        const head = readHead(real, headBytes);
        if (!isUtf8Prefix(head))
          return { path, kind: 'not-utf8', detail: `byte ${firstBadByte(head)} begins no character` };
        if (head.includes(0)) return { path, kind: 'not-utf8', detail: 'it holds bytes of value 0' };
        return { hash: sha.digest('hex'), head: withoutMark(wholeCharacters(head)) };
      } catch (error) {
        return { path, kind: 'unreadable', detail: reason(error) };
      }
    },
  };
}

const NOT_A_FILE = 'it is not a regular file';

/** Opens a real path for reading. A pipe would block forever and a device never end, so only regular files are accepted. The check is made on the open file, so it cannot be exchanged in between. */
function openRegular(real: string): number {
  const file = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  const stats = fstatSync(file);
  if (stats.isFile()) return file;
  closeSync(file);
  throw new Error(stats.isDirectory() ? 'it is a folder' : NOT_A_FILE);
}

/** The bytes of a file, or its size when that is more than allowed; a file that grows meanwhile is read to the size it had. */
function readBytes(real: string, bytesMax: number): Buffer | number {
  const file = openRegular(real);
  try {
    const { size } = fstatSync(file);
    if (size > bytesMax) return size;
    const buffer = Buffer.allocUnsafe(size);
    let length = 0;
    for (let read = -1; read !== 0 && length < size; length += read)
      read = readSync(file, buffer, length, size - length, length);
    return buffer.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

function readHead(path: string, bytes: number): Buffer {
  const file = openRegular(path);
  try {
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(file, buffer, 0, bytes, 0));
  } finally {
    closeSync(file);
  }
}

const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

/** The text of bytes that may end inside a character. */
const wholeCharacters = (bytes: Buffer): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });

/** The 1-based number of the first byte that is not part of UTF-8 text, found by halving. */
function firstBadByte(bytes: Buffer): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isUtf8Prefix(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  return good + 1;
}

/** A cut inside a character does not make the text before it bad. */
function isUtf8Prefix(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    // What `fatal` throws is the answer.
    return false;
  }
}

function reason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'ENOTDIR') return 'it does not exist';
  if (code === 'ENAMETOOLONG') return 'its path is too long';
  if (code === 'ERR_INVALID_ARG_VALUE') return 'its path holds a character that no path can have';
  if (code === 'ELOOP') return 'its links go in a circle';
  return error instanceof Error ? error.message : String(error);
}
