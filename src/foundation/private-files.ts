/** Files and folders for the eyes of their owner, whatever the umask of the process. */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  type Stats,
} from 'node:fs';
import { dirname, join } from 'node:path';

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;

const isOpen = ({ mode }: Stats): boolean => (mode & OTHERS) !== 0;

/** Whether a file is there that this process can only read: itself or its folder may not be written, or lies on a disk that is read-only. */
export function isOnlyReadable(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    // A database needs room for its log beside the file.
    for (const each of [path, dirname(path)]) accessSync(each, constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

/** Makes a folder, and those above it that are missing, for its owner alone. One that is there stays as it is. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
}

/** Makes an empty file for its owner alone, or takes the rights of others from one that is there. */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_FILE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    makePrivate(path);
  }
}

/** Takes the rights of others from a file or folder, if it is there and ours to change. */
export function makePrivate(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !isOpen(found) || !(found.isFile() || found.isDirectory())) return;
  try {
    chmodSync(path, found.isDirectory() ? PRIVATE_FOLDER : PRIVATE_FILE);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EPERM' && code !== 'EROFS' && code !== 'ENOENT') throw error;
  }
}

/** The same for a folder with all that is below it. Other users cannot enter a folder that is private, so it is looked into no further. */
export function makeTreePrivate(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true || !isOpen(found)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    makeTreePrivate(path);
    makePrivate(path);
  }
  // The last, so that one who was interrupted begins again.
  makePrivate(folder);
}
