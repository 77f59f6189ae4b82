import { join } from 'node:path';
import type { FileWriter } from '../../domain/file-writer.ts';
import type { UserCode } from '../../domain/user-code.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { makePrivateFolder } from '../../foundation/private-files.ts';
import { workerUserCode } from './worker-user-code.ts';

/** Stored texts become files again, in a folder named after them: a worker thread can only import files. */
export function storedUserCode(
  folder: string,
  files: Readonly<Record<string, string>>,
  writerOf: (home: string) => FileWriter,
): UserCode {
  const named = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  const home = join(folder, '.plinth', 'applied', hash128(...named.flat()));
  makePrivateFolder(home);
  const writer = writerOf(home);
  for (const [path, text] of named) writer.create(path, text);
  return workerUserCode(home);
}
