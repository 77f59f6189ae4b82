/** Every adapter of a port passes the port's suite. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe } from 'vitest';
import { folderCompileCache } from '../../src/adapters/cache/folder-compile-cache.ts';
import { folderFileSource } from '../../src/adapters/files/folder-file-source.ts';
import { folderResultStore } from '../../src/adapters/results/folder-result-store.ts';
import { workerUserCode } from '../../src/adapters/user-code/worker-user-code.ts';
import { compileCacheConformance } from './compile-cache.ts';
import { fileSourceConformance } from './file-source.ts';
import { resultStoreConformance } from './result-store.ts';
import { userCodeConformance } from './user-code.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-conformance-'));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

describe('a folder as compile cache', () => {
  compileCacheConformance((build) => folderCompileCache(join(folders[0] ?? folderOf({}), 'cache'), build));
});
describe('a folder as source of files', () =>
  fileSourceConformance((files) => folderFileSource(folderOf(files))));
describe('a worker thread as runner of user code', () =>
  userCodeConformance((files) => workerUserCode(folderOf(files))));
describe('a folder as store of results', () =>
  resultStoreConformance(() => folderResultStore(join(folderOf({}), 'results'))));
