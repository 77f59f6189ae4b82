import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { failure } from '../../domain/failure.ts';
import type { FilePieces, FileWriter } from '../../domain/file-writer.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../foundation/private-files.ts';

/** Writes beside the place and renames. The folder is made with the first file. `isPrivate`: all of it for its owner alone. */
export function folderFileWriter(
  folder: string,
  { isPrivate = false }: { readonly isPrivate?: boolean } = {},
): FileWriter {
  const root = resolve(folder);
  const mode = { mode: isPrivate ? PRIVATE_FILE : 0o666 };

  /** The place of a file, its folder made; a link on the way that leads outside is refused. */
  function placeOf(path: string): string {
    const place = resolve(root, path);
    if (!place.startsWith(root + sep)) throw refused(path, 'the path leaves the folder');
    return attempt(path, () => {
      makeFolder(dirname(place), isPrivate ? PRIVATE_FOLDER : 0o777);
      const real = realpathSync(dirname(place));
      const realRoot = realpathSync(root);
      if (real !== realRoot && !real.startsWith(realRoot + sep))
        throw refused(path, 'a link leads outside the folder');
      return place;
    });
  }

  return {
    folder: root,
    entries() {
      if (!existsSync(root)) return undefined;
      return attempt('.', () => readdirSync(root));
    },
    contents(path) {
      const place = resolve(root, path);
      const stats = attempt(path, () => lstatSync(place, { throwIfNoEntry: false }));
      if (stats === undefined) return undefined;
      if (!stats.isFile()) throw refused(path, 'something else than a file has that name');
      return piecesOf(path, place);
    },
    create(path, text) {
      const place = placeOf(path);
      const temporary = temporaryOf(place);
      try {
        return attempt(path, () => {
          writeFileSync(temporary, text, mode);
          try {
            // Unlike rename, a link fails when the name is taken: nothing is overwritten, not even in a race.
            linkSync(temporary, place);
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
            if (existsSync(place)) return false;
            renameSync(temporary, place);
          }
          return true;
        });
      } finally {
        rmSync(temporary, { force: true });
      }
    },
    replace(path, text) {
      const place = placeOf(path);
      const temporary = temporaryOf(place);
      try {
        attempt(path, () => {
          // The target of a link is replaced, not the link.
          const target = existsSync(place) ? realpathSync(place) : place;
          writeFileSync(temporary, text, mode);
          if (existsSync(target)) chmodSync(temporary, statSync(target).mode);
          renameSync(temporary, target);
        });
      } finally {
        rmSync(temporary, { force: true });
      }
    },
    open: (path) => openPieces(path, placeOf(path), mode.mode),
  };
}

const PIECE_BYTES = 1 << 20;

function* piecesOf(path: string, place: string): Iterable<Uint8Array> {
  const file = attempt(path, () => openSync(place, 'r'));
  try {
    for (;;) {
      const piece = Buffer.alloc(PIECE_BYTES);
      const length = attempt(path, () => readSync(file, piece));
      if (length === 0) return;
      yield piece.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

/** One folder after the other: Node's own recursive mkdir never returns below a folder where nothing can be made, such as /proc. */
function makeFolder(path: string, mode: number): void {
  if (isFolder(path)) return;
  if (path !== dirname(path)) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process was faster.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

const unfinished = new Set<string>();

function openPieces(path: string, place: string, mode: number): FilePieces {
  const temporary = temporaryOf(place);
  if (unfinished.size === 0) process.once('exit', removeUnfinished);
  const file = attempt(path, () => openSync(temporary, 'w', mode));
  unfinished.add(temporary);
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(file);
    isOpen = false;
    unfinished.delete(temporary);
    if (unfinished.size === 0) process.removeListener('exit', removeUnfinished);
  };
  return {
    write: (piece) => attempt(path, () => writeAll(file, Buffer.from(piece))),
    finish() {
      attempt(path, () => {
        close();
        renameSync(temporary, place);
      });
    },
    discard() {
      close();
      rmSync(temporary, { force: true });
    },
  };
}

/** A write may take only a part of what it was given. */
function writeAll(file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}

/** Ctrl-C while a large file is written leaves no part of it. */
function removeUnfinished(): void {
  for (const temporary of unfinished) rmSync(temporary, { force: true });
}

function temporaryOf(place: string): string {
  return join(dirname(place), `.${basename(place)}.${process.pid}.tmp`);
}

function attempt<Result>(path: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (error instanceof Error && error.name === 'Failure') throw error;
    throw refused(path, reason(error), error);
  }
}

function refused(path: string, detail: string, cause?: unknown): Error {
  return failure('cli.cannot-write', { path, detail }, { cause });
}

function reason(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'ENOENT':
      return 'no file or folder can be made there';
    case 'EROFS':
      return 'the disk is read-only';
    case 'ENOSPC':
      return 'the disk is full';
    case 'ENOTDIR':
    case 'EEXIST':
      return 'a file is where a folder should be';
    case 'EISDIR':
      return 'a folder is where the file should be';
    default:
      return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
  }
}
